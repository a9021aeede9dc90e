//! Updates of a store: adds and removes edges without rewriting its lists.

use super::changes::{ChangeCounts, EdgeChange, EdgeChanges};
use super::counts::UpdateCounts;
use super::entry::ChangedLists;
use super::levels::{Levels, levels_to_keep, load_changes};
use super::new_vertices::{AddedVertices, NewVertices};
use super::publish::Generation;
use super::resolve::{FoundCopies, LookUp, NamedArc, Rules, unrepresentable_weight};
use crate::access::{Adjacency, Workers};
use crate::component::{Component, ComponentWriter};
use crate::journal::JournalUpdate;
use crate::layout::compact::IndexResidence;
use crate::layout::{ListOptions, StoredLists};
use crate::manifest::{Dedup, Manifest, OriginalIds, SelfLoops};
use crate::original_ids::are_few;
use crate::store::Store;
use crate::work_context::WorkContext;
use crate::writing::IdBatch;
use outcrop_types::{
    BitSet, Direction, Error, MAX_VERTICES, MemoryPlan, Phase, ProgressUnit, Purpose, Reservation, Result, VertexId,
    VertexSet, VertexValues, WeightRounding, WeightType, index_from, length_from, number_from,
};

/// Memory of a collected change, in bytes.
const CHANGE_BYTES: u64 = length_from(size_of::<EdgeChange>());

/// Edges between vertices of a store, in the order given by the user; added edges may also have new vertices.
#[derive(Clone, Debug, Default)]
pub struct UpdateEdges {
    /// Edges to remove before any are added: all edges from the first to the second vertex.
    pub removed: Vec<(VertexId, VertexId)>,
    /// Edges to add, with weights, which stores without weights ignore.
    pub added: Vec<(VertexId, VertexId, f64)>,
    /// New vertices.
    pub vertices: AddedVertices,
    /// Rounded weights of these edges.
    pub rounding: WeightRounding,
}

/// Report of an update.
#[derive(Clone, Debug)]
pub struct UpdateReport {
    /// Counts.
    pub counts: UpdateCounts,
    /// Manifest of the updated store.
    pub manifest: Manifest,
}

impl UpdateEdges {
    fn count(&self) -> u64 {
        length_from(self.removed.len() + self.added.len())
    }

    /// Returns the working memory of an update that names `entries` list entries and yields `changes`, in bytes.
    pub(crate) fn working_bytes(entries: u64, changes: u64) -> u64 {
        // Entries are sorted with as much memory again, before changes are collected.
        let named = entries * length_from(size_of::<NamedArc>());
        named + named.max(changes * CHANGE_BYTES)
    }
}

/// Removes and adds `edges` and adds their new vertices; `journal` contains the edges as given by the user. The lists
/// stay unchanged in their files; changes are stored separately, together with earlier changes, and replace them
/// atomically. `store` must be opened with [`Store::open_for_update`]. Writes nothing if nothing changes.
///
/// # Errors
/// Returns an error if a vertex does not exist, if the budget or disk is too small, if the store is damaged, if writing
/// fails, or if the run is interrupted. The store is then unchanged.
pub fn update(
    store: &Store,
    edges: &UpdateEdges,
    journal: &JournalUpdate,
    work: WorkContext<'_>,
) -> Result<UpdateReport> {
    let (manifest, observer) = (store.manifest(), work.observer);
    let new = &edges.vertices;
    let vertices = manifest.graph.vertices.checked_add(new.count);
    let vertices = vertices.filter(|vertices| u64::from(*vertices) <= MAX_VERTICES);
    let vertices =
        vertices.ok_or_else(|| Error::Usage(format!("the graph would exceed the limit of {MAX_VERTICES} vertices")))?;
    let update = ListUpdate { store, vertices, written: store.as_written(), work };
    let mut counts = UpdateCounts::default();
    let mut generation = Generation::begin(work.storage, store)?;
    let mut kept = None;
    for direction in store.stored_directions() {
        let mut own = UpdateCounts::default();
        let (lists, changes, _held) = update.changes(direction, edges, &mut own)?;
        if direction == Direction::Out {
            counts = own;
            if !counts.changed() && new.count == 0 && !journal.counts(manifest.times().is_some()) {
                return Ok(UpdateReport { counts, manifest: manifest.clone() });
            }
        }
        let levels = level_counts(store, direction);
        let kept = *kept.get_or_insert_with(|| levels_to_keep(&levels, ChangeCounts::of(&changes)));
        let (level, _held) = update.level(direction, &levels, kept, changes)?;
        let _buffers = work.budget.reserve(ComponentWriter::MEMORY_BYTES, Purpose::IoBuffers)?;
        generation.write(lists, &level)?;
    }
    generation.keep_levels(kept.unwrap_or(0))?;
    update.write_vertices(new, &mut generation)?;
    let note = generation.write_journal((journal, Some(&new.ids).filter(|ids| !ids.is_empty())), work)?;
    note.iter().for_each(|note| observer.note(note));
    work.cancellation().check()?;
    let num_edges = manifest.graph.edges.saturating_sub(counts.removed) + counts.added;
    let (manifest, note) = generation.publish(vertices, num_edges, &edges.rounding)?;
    note.iter().for_each(|note| observer.note(note));
    Ok(UpdateReport { counts, manifest })
}

/// Returns the maximum memory of [`update`] for `edges` edges with `new` vertices, whose IDs have `text_bytes` bytes;
/// and that of the pending changes of one direction and new vertices while they are read.
pub fn update_memory(
    store: &Store,
    edges: u64,
    new: u32,
    text_bytes: u64,
    workers: &Workers,
) -> (MemoryPlan, MemoryPlan) {
    let vertices = store.manifest().graph.vertices.saturating_add(new);
    let (changing, changes) = changes_memory(store, edges, vertices, workers);
    let journal = MemoryPlan::new().with(Purpose::SortSpace, JournalUpdate::memory(store));
    let mut plan = changing.or(journal);
    let mut pending = MemoryPlan::new().with(Purpose::Updates, changes);
    if new > 0 && store.manifest().numbering.ids != OriginalIds::Dense {
        let added = added_memory(store.manifest(), new, text_bytes);
        let listed = VertexSet::bytes(store.manifest().listed_vertices());
        // Loaded vertices take half of written ones.
        pending = pending
            .with(Purpose::IdMap, added.bytes_for(Purpose::IdMap) / 2)
            .with(Purpose::IoBuffers, added.bytes_for(Purpose::IoBuffers))
            .with(Purpose::Frontier, listed);
        plan = plan.or(added);
    }
    (plan, pending)
}

/// Returns the memory of writing `new` vertices together with earlier ones: both, and all of them.
fn added_memory(manifest: &Manifest, new: u32, text_bytes: u64) -> MemoryPlan {
    let (known, added) = (NewVertices::bytes(manifest), NewVertices::bytes_of(new, text_bytes));
    MemoryPlan::new()
        .with(Purpose::IdMap, 2 * (known + added))
        .with(Purpose::IoBuffers, Component::READER_BYTES + ComponentWriter::MEMORY_BYTES)
}

/// Returns the maximum memory of changing lists by `edges` edges between `vertices` vertices, and the memory of the
/// result in bytes.
fn changes_memory(store: &Store, edges: u64, vertices: u32, workers: &Workers) -> (MemoryPlan, u64) {
    let (manifest, written) = (store.manifest(), store.as_written());
    let (named, listed, weighted) =
        (named_entries(manifest, edges), written.manifest().graph.vertices, manifest.graph.weighted);
    let bytes = |count: u64| {
        let (changed, removed) = (number_from(count), number_from(if weighted { 0 } else { count }));
        EdgeChanges::bytes(vertices, weighted, ChangeCounts { changed, removed, added: changed - removed })
    };
    // A weight that changes is removed and added.
    let changes_per_entry = if weighted && manifest.rules.dedup != Dedup::Keep { 2 } else { 1 };
    let of = |direction| {
        let before = changes_before(store, direction);
        let own = changes_per_entry * named;
        let (count, found) = (before + own, VertexValues::<FoundCopies>::bytes(named));
        // Pending copies of an entry are written again.
        let changes = if manifest.rules.dedup == Dedup::Keep { own + before } else { own };
        let looking_up = StoredLists::memory(&written, direction, workers, IndexResidence::STREAMED)
            .with(Purpose::Updates, UpdateEdges::working_bytes(named, 0) + found)
            .with(Purpose::Frontier, BitSet::bytes(listed) + VertexSet::bytes(listed));
        let collecting = MemoryPlan::new()
            .with(Purpose::Updates, UpdateEdges::working_bytes(named, changes) + found + bytes(before))
            .with(Purpose::IoBuffers, Component::READER_BYTES);
        // An update may merge all levels.
        let merging = MemoryPlan::new()
            .with(Purpose::Updates, CHANGE_BYTES * (changes + total(&level_counts(store, direction)) + changes))
            .with(Purpose::IoBuffers, Component::READER_BYTES.max(ComponentWriter::MEMORY_BYTES));
        (looking_up.or(collecting).or(merging), bytes(count))
    };
    let larger =
        |(plan, changes): (MemoryPlan, u64), (other, more): (MemoryPlan, u64)| (plan.or(other), changes.max(more));
    store.stored_directions().map(of).fold((MemoryPlan::new(), 0), larger)
}

/// Returns the number of list entries of a direction that `edges` edges name.
const fn named_entries(manifest: &Manifest, edges: u64) -> u64 {
    if manifest.graph.directed { edges } else { 2 * edges }
}

/// Returns the number of existing changes of the lists of `direction`.
fn changes_before(store: &Store, direction: Direction) -> u64 {
    let lists = store.manifest().changes.updates.as_ref().and_then(|entry| entry.lists(direction));
    lists.map_or(0, |lists| lists.counts().total())
}

/// Returns the changes of the lists of `direction` in each level, oldest first.
fn level_counts(store: &Store, direction: Direction) -> Vec<ChangeCounts> {
    let updates = store.manifest().changes.updates.iter();
    updates.flat_map(|entry| entry.levels().iter().map(|level| level.counts(direction)).collect::<Vec<_>>()).collect()
}

fn total(levels: &[ChangeCounts]) -> u64 {
    levels.iter().map(|counts| counts.total()).sum()
}

/// Context of all steps of an update.
struct ListUpdate<'w> {
    store: &'w Store,
    /// Final number of vertices.
    vertices: u32,
    /// The lists as in their files.
    written: Store,
    work: WorkContext<'w>,
}

impl ListUpdate<'_> {
    /// Returns the changes of the lists of `direction` that `edges` cause, the numbers of all changes after it, and the
    /// reserved memory.
    fn changes(
        &self,
        direction: Direction,
        edges: &UpdateEdges,
        counts: &mut UpdateCounts,
    ) -> Result<(ChangedLists, Vec<EdgeChange>, Reservation)> {
        let (manifest, budget) = (self.store.manifest(), self.work.budget);
        let entries = named_entries(manifest, edges.count());
        let mut held = budget.reserve(UpdateEdges::working_bytes(entries, 0), Purpose::Updates)?;
        let named = self.named(direction, edges, counts)?;
        let found = self.look_up(direction, &named)?;
        let old = {
            let _buffers = budget.reserve(Component::READER_BYTES, Purpose::IoBuffers)?;
            load_changes(self.store, direction, self.work.io, budget, self.work.cancellation())?
        };
        let (rules, mut count) = (Rules::of(manifest), 0);
        rules.change(&named, &found, old.as_ref(), &mut UpdateCounts::default(), &mut |_| count += 1)?;
        held.grow_to(UpdateEdges::working_bytes(entries, length_from(count)))?;
        let mut changes = Vec::with_capacity(count);
        rules.change(&named, &found, old.as_ref(), counts, &mut |change| changes.push(change))?;
        let before = manifest.changes.updates.as_ref().and_then(|entry| entry.lists(direction));
        let lists = before.copied().unwrap_or(ChangedLists::none(direction)).after(&changes, old.as_ref());
        drop((named, found, old));
        held.shrink_to(CHANGE_BYTES * length_from(count));
        Ok((lists, changes, held))
    }

    /// Returns the newest level of the lists of `direction`, with its reserved memory: `newest`, merged with all but
    /// the `kept` oldest `levels` of the store.
    fn level(
        &self,
        direction: Direction,
        levels: &[ChangeCounts],
        kept: usize,
        newest: Vec<EdgeChange>,
    ) -> Result<(Vec<EdgeChange>, Option<Reservation>)> {
        let WorkContext { io, budget, .. } = self.work;
        if levels.len() == kept {
            return Ok((newest, None));
        }
        let most = total(&levels[kept..]) + length_from(newest.len());
        let held = budget.reserve(CHANGE_BYTES * most, Purpose::Updates)?;
        let _buffers = budget.reserve(Component::READER_BYTES, Purpose::IoBuffers)?;
        let mut all = Vec::with_capacity(index_from(most));
        if let Some(mut levels) = Levels::open(self.store, direction, io, kept, &newest)? {
            levels.for_each(self.work.cancellation(), |change| {
                all.push(*change);
                Ok(())
            })?;
        }
        Ok((all, Some(held)))
    }

    /// Returns the list entries of `direction` that `edges` name, in order.
    fn named(&self, direction: Direction, edges: &UpdateEdges, counts: &mut UpdateCounts) -> Result<Vec<NamedArc>> {
        let manifest = self.store.manifest();
        let kind = manifest.weights().unwrap_or(WeightType::F64);
        if let Some((_, _, weight)) =
            edges.added.iter().find(|(_, _, weight)| !weight.is_finite() || !kind.holds(*weight))
        {
            return Err(unrepresentable_weight(*weight, kind));
        }
        let removed = edges.removed.iter().map(|(source, target)| (*source, *target, f64::NAN));
        let mut named = Vec::with_capacity(index_from(named_entries(manifest, edges.count())));
        for (source, target, weight) in removed.chain(edges.added.iter().copied()) {
            if source.max(target) >= self.vertices {
                return Err(Error::Usage("an update contains a vertex that does not exist".to_owned()));
            }
            if source == target && manifest.rules.self_loops == SelfLoops::Drop && !weight.is_nan() {
                counts.loops_dropped += 1;
                continue;
            }
            let weight = if manifest.graph.weighted || weight.is_nan() { weight } else { 1.0 };
            let out = NamedArc { vertex: source, neighbor: target, weight };
            let into = NamedArc { vertex: target, neighbor: source, weight };
            if manifest.graph.directed {
                named.push(if direction == Direction::Out { out } else { into });
            } else {
                named.push(out);
                named.extend(Some(into).filter(|_| source != target));
            }
        }
        named.sort_by_key(NamedArc::key);
        Ok(named)
    }

    /// Looks up the copies of each named entry in the file of lists, with one select over all their lists.
    fn look_up(&self, direction: Direction, named: &[NamedArc]) -> Result<VertexValues<FoundCopies>> {
        let (budget, vertices) = (self.work.budget, self.written.manifest().graph.vertices);
        let found = VertexValues::new(budget, Purpose::Updates, named.len(), |_| FoundCopies::default())?;
        let total = Some(length_from(named.len()));
        self.work.observer.phase(&Phase { name: "looking up edges", unit: ProgressUnit::Edges, total });
        let _set = budget.reserve(BitSet::bytes(vertices) + VertexSet::bytes(vertices), Purpose::Frontier)?;
        let touched = BitSet::empty(vertices);
        named.iter().filter(|arc| arc.vertex < vertices).for_each(|arc| _ = touched.insert(arc.vertex));
        let set = VertexSet::from_bits(touched);
        self.select(direction, &set, &LookUp { named, found: &found })?;
        Ok(found)
    }

    /// Writes the vertices that `added` and earlier updates add to those with lists.
    fn write_vertices(&self, added: &AddedVertices, generation: &mut Generation<'_>) -> Result<()> {
        let (manifest, WorkContext { io, budget, .. }) = (self.store.manifest(), self.work);
        if added.count == 0 && manifest.new_vertices() == 0 {
            return Ok(());
        }
        let text_bytes = if let IdBatch::Texts { bytes, .. } = &added.ids { length_from(bytes.len()) } else { 0 };
        let plan = added_memory(manifest, number_from(added.ids.len()), text_bytes);
        budget.require(&plan)?;
        let _held = budget.reserve(plan.bytes_for(Purpose::IdMap), Purpose::IdMap)?;
        let _buffers = budget.reserve(plan.bytes_for(Purpose::IoBuffers), Purpose::IoBuffers)?;
        let known = NewVertices::load(self.store, io)?;
        generation.write_vertices(&known.with(added)?, manifest.numbering.ids == OriginalIds::Dense)
    }

    fn select(&self, direction: Direction, set: &VertexSet, visit: &LookUp<'_>) -> Result<()> {
        let WorkContext { io, budget, workers, .. } = self.work;
        let members = match set {
            VertexSet::Sparse { members, .. } => {
                are_few(&self.written, members.len()).then(|| members.as_slice().into())
            }
            VertexSet::Dense { .. } => None,
        };
        let options = ListOptions { members, ..ListOptions::once(io) };
        StoredLists::open(&self.written, direction, &options, budget, workers)?.select(set, visit)
    }
}
