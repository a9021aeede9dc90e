//! Conversion of a store to another layout or vertex order: a new store of the same graph.

use super::each_arc::EachArc;
use super::grow::{Growth, Inserted};
use super::permutation::VertexPermutation;
use crate::access::{Adjacency, Packer, StoredNeighbors, Workers};
use crate::component::{Component, PAYLOAD_BYTES};
use crate::journal::{JournalEntry, JournalUpdate, JournalWriter, NewUpdate, SegmentEntry, WrittenJournal};
use crate::layout::compact::IndexResidence;
use crate::layout::{Layout, ListOptions, StoredLists};
use crate::manifest::{Dedup, FileEntry, Manifest, Order, OrderParameters, SelfLoops};
use crate::original_ids::{INTEGERS_NAME, RANK_OF_VERTEX_NAME, TEXT_ENDS_NAME, TEXTS_NAME, VERTEX_OF_RANK_NAME};
use crate::sort::ExternalSorter;
use crate::store::Store;
use crate::updates::{EdgeChanges, with_changes};
use crate::work_context::WorkContext;
use crate::writing::arc_sorters::{ArcSorters, DurableArcs};
use crate::writing::checkpoint::BuildCheckpoints;
use crate::writing::context::{BuildContext, BuildLimits, Writing};
use crate::writing::list_files::Lists;
use crate::writing::options::{BuildOptions, BuildReport};
use crate::writing::preflight;
use crate::writing::record::{Arc as PlainArc, ArcRecord, WeightedArc};
use outcrop_types::{
    Direction, Error, InputSummary, MemoryBudget, MemoryPlan, Permutation, Phase, ProgressUnit, Purpose, Result,
    VertexId, VertexRange, VertexValues, WeightChoice, WeightRounding, index_from, length_from,
};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;

/// Name of the phase in which the arcs are in sorters.
const WRITING: &str = "writing lists";
/// Bytes copied at once.
const COPY_BYTES: usize = 64 * PAYLOAD_BYTES;

/// Options of a conversion.
#[derive(Clone, Debug)]
pub struct ConvertOptions {
    /// Folder of the new store.
    pub target: PathBuf,
    /// True to overwrite an existing store.
    pub overwrite: bool,
    /// Layout of the lists of the new store.
    pub layout: Layout,
    /// Type of the weights; `None` to keep their type.
    pub weights: Option<WeightChoice>,
    /// Folder for spill files; `None` for a folder next to the target.
    pub temp_folder: Option<PathBuf>,
    /// True if the new store replaces the old one and keeps its identity as the same graph.
    pub in_place: bool,
    /// Checkpoints from which an interrupted conversion can resume.
    pub checkpoints: Option<Arc<BuildCheckpoints>>,
}

impl ConvertOptions {
    /// Returns the options of the build that writes the new store; duplicate edges and loops have already been treated.
    pub(super) fn for_writing(&self, manifest: &Manifest) -> BuildOptions<'_> {
        BuildOptions {
            target: self.target.clone(),
            overwrite: self.overwrite,
            layout: self.layout.clone(),
            undirected: !manifest.graph.directed,
            dense_ids: true,
            num_vertices: None,
            dedup: Dedup::Keep,
            self_loops: SelfLoops::Keep,
            allow_empty: true,
            order: None,
            weights: self.weights.unwrap_or_else(|| manifest.weights().map_or(WeightChoice::Auto, WeightChoice::As)),
            temp_folder: self.temp_folder.clone(),
            checkpoints: self.checkpoints.as_deref(),
        }
    }
}

/// Builds a store of the same graph and IDs with the layout given by `options`; the vertices keep their order, or are
/// renumbered by `permutation`.
///
/// # Errors
///
/// Returns an error if the store is damaged, if the budget or disk is too small, if the target exists, if writing
/// fails, or if the conversion is interrupted. In all cases no files remain, and a store that was to be overwritten is
/// unchanged.
pub fn convert(
    store: &Store,
    options: &ConvertOptions,
    permutation: Option<&VertexPermutation<'_>>,
    work: WorkContext<'_>,
) -> Result<BuildReport> {
    convert_as(store, options, permutation.map_or(Change::None, Change::Permutation), work)
}

/// Same as [`convert`] with the updates of `growth` instead of the updates of the store, including new vertices. In the
/// original order, these are inserted by ID; in any other order, they are appended.
///
/// # Errors
///
/// Returns an error under the same conditions as [`convert`], if the store already has an ID, or if the number of
/// vertices exceeds the limit of a store.
pub fn convert_grown(
    store: &Store,
    options: &ConvertOptions,
    growth: &Growth<'_>,
    work: WorkContext<'_>,
) -> Result<BuildReport> {
    let held = length_from(growth.ids.len()) * 4;
    let _inserted = work.budget.reserve(held, Purpose::IdMap)?;
    convert_as(&store.as_written(), options, Change::Growth(growth), work)
}

fn convert_as(
    store: &Store,
    options: &ConvertOptions,
    change: Change<'_>,
    work: WorkContext<'_>,
) -> Result<BuildReport> {
    options.layout.validate()?;
    let manifest = store.manifest();
    let build = options.for_writing(manifest);
    work.budget.require(&memory(store, &build, work.workers))?;
    let buffers = build.writer_bytes(manifest.graph.weighted) + Component::READER_BYTES;
    change.require(store, buffers, work.budget)?;
    if !build.checkpoints.is_some_and(BuildCheckpoints::resumes) {
        preflight::require(work.storage, &build.temp_folder(), manifest.bytes())?;
    }
    let spill = build.spill_folder(work.storage)?;
    let context = BuildContext { work, options: &build, spill, limits: BuildLimits::default() };
    context.write_store(buffers, |writing| {
        let conversion = Conversion { store, in_place: options.in_place, change, writing };
        if manifest.graph.weighted { conversion.write::<WeightedArc>() } else { conversion.write::<PlainArc>() }
    })
}

/// Returns the minimum memory of [`convert`], including the numbers of the vertices if they are `permuted`.
pub fn convert_memory(store: &Store, options: &ConvertOptions, permuted: bool, workers: &Workers) -> MemoryPlan {
    let manifest = store.manifest();
    let build = options.for_writing(manifest);
    let lists = memory(store, &build, workers);
    if !permuted {
        return lists;
    }
    let buffers = build.writer_bytes(manifest.graph.weighted) + Component::READER_BYTES;
    let tables = VertexPermutation::memory(manifest).with(Purpose::IoBuffers, buffers);
    lists.or(tables).with(Purpose::IdMap, VertexValues::<u32>::bytes(manifest.graph.vertices.into()))
}

/// Returns the maximum memory of [`convert_grown`], without the changes and 4 bytes per new vertex.
pub fn grow_memory(store: &Store, options: &ConvertOptions, workers: &Workers) -> MemoryPlan {
    let manifest = store.manifest();
    let build = options.for_writing(manifest);
    let buffers = build.writer_bytes(manifest.graph.weighted) + Component::READER_BYTES;
    memory(&store.as_written(), &build, workers).or(Growth::memory(store).with(Purpose::IoBuffers, buffers))
}

/// Returns the minimum memory in use at the same time: the writers, and either two sorters with the lists being read,
/// or the journal.
fn memory(store: &Store, build: &BuildOptions<'_>, workers: &Workers) -> MemoryPlan {
    let manifest = store.manifest();
    let lists = StoredLists::memory(store, Direction::Out, workers, IndexResidence::STREAMED);
    let sorting = lists.with(Purpose::SortSpace, 2 * ExternalSorter::<PlainArc>::LEAST_BYTES);
    let journal = manifest.changes.journal.as_ref().map_or(0, |_| JournalUpdate::COPYING_BYTES);
    sorting
        .or(MemoryPlan::new().with(Purpose::SortSpace, journal))
        .with(Purpose::IoBuffers, build.writer_bytes(manifest.graph.weighted) + Component::READER_BYTES)
}

/// Difference between the vertices of the new store and those of the old one.
#[derive(Clone, Copy)]
enum Change<'c> {
    None,
    Permutation(&'c VertexPermutation<'c>),
    Growth(&'c Growth<'c>),
}

impl Change<'_> {
    /// # Errors
    ///
    /// Returns an error if the budget is too small for the ID tables, or if the permutation has another number of
    /// vertices.
    fn require(self, store: &Store, buffers: u64, budget: &MemoryBudget) -> Result<()> {
        let manifest = store.manifest();
        match self {
            Self::None => Ok(()),
            Self::Permutation(permutation) => {
                permutation.validate(manifest)?;
                budget.require(&VertexPermutation::memory(manifest).with(Purpose::IoBuffers, buffers))
            }
            Self::Growth(_) => budget.require(&Growth::memory(store).with(Purpose::IoBuffers, buffers)),
        }
    }
}

/// State of a conversion whose arcs, between the vertices of the new store, are in sorters.
#[derive(Serialize, Deserialize)]
struct SortedArcs {
    vertices: u32,
    /// True if the vertices kept their numbers.
    kept: bool,
    files: Vec<FileEntry>,
    journal: Option<JournalEntry>,
    /// New order, if any.
    order: Option<(Order, OrderParameters)>,
    /// The arcs, if they are durable.
    arcs: Option<DurableArcs>,
}

/// Conversion: the lists of one store are the source of the arcs of another.
struct Conversion<'c> {
    store: &'c Store,
    in_place: bool,
    change: Change<'c>,
    writing: &'c Writing<'c>,
}

impl Conversion<'_> {
    fn write<A: ArcRecord>(&self) -> Result<BuildReport> {
        let old = self.store.manifest();
        let (sorters, SortedArcs { vertices, kept, files, journal, order, .. }) = match self.resume::<A>()? {
            Some(resumed) => resumed,
            None => self.sort::<A>()?,
        };
        let lists = sorters.write(self.writing, vertices)?;
        self.check(kept, &lists)?;
        let mut all = WeightRounding::default();
        if let Change::Growth(growth) = self.change {
            all.add(growth.rounding.clone());
        }
        all.add(lists.rounding.clone());
        let rounding = lists.rounding.clone();
        let mut manifest = lists.manifest(self.writing, old, vertices, files);
        manifest.graph.weight_rounding = old.rounding_with(&all);
        manifest.changes.journal = journal;
        if let Some((order, parameters)) = order {
            (manifest.numbering.order, manifest.numbering.order_parameters) = (order, parameters.any());
        }
        let input = InputSummary::default();
        Ok(BuildReport { skipped_lines: 0, loops_dropped: 0, input, rounding, order_resumed: false, manifest })
    }

    /// Restores arcs in sorters from a checkpoint of this phase.
    fn resume<A: ArcRecord>(&self) -> Result<Option<(ArcSorters<A>, SortedArcs)>> {
        let context = self.writing.context;
        let Some(sorted) = context.resume::<SortedArcs>(WRITING)? else { return Ok(None) };
        let mut sorters = ArcSorters::new(context, context.work.budget.available())?;
        sorted.arcs.iter().try_for_each(|arcs| sorters.resume(arcs))?;
        Ok(Some((sorters, sorted)))
    }

    /// Writes all files except the lists, and sorts the arcs.
    fn sort<A: ArcRecord>(&self) -> Result<(ArcSorters<A>, SortedArcs)> {
        let (vertices, numbers, mut files) = self.write_tables()?;
        let (journal, segments) = self.write_journal()?;
        files.extend(segments);
        let mut sorters = self.read_arcs::<A>(&numbers)?;
        let order = match self.change {
            Change::Permutation(permutation) => Some((permutation.order, permutation.parameters)),
            Change::None | Change::Growth(_) => None,
        };
        let kept = matches!(numbers, Numbers::Kept);
        let mut sorted = SortedArcs { vertices, kept, files: files.clone(), journal, order, arcs: None };
        self.writing.checkpoint(WRITING, files.iter(), || {
            sorted.arcs = Some(sorters.keep()?);
            Ok(&sorted)
        })?;
        Ok((sorters, sorted))
    }

    /// # Errors
    ///
    /// Returns an error if the written lists differ from those in the manifest of the old store; `kept` is true if the
    /// vertices kept their numbers.
    fn check(&self, kept: bool, lists: &Lists) -> Result<()> {
        let old = self.store.manifest();
        if !matches!(self.change, Change::Growth(_)) && lists.edges != old.graph.edges {
            return Err(Error::corrupt(self.store.folder(), "its number of edges differs from the manifest"));
        }
        // Other numbers, changes and rounded weights make other arcs.
        let same = kept && old.changes.updates.is_none() && lists.rounding.is_none();
        if same && old.graph.arc_hash.is_some_and(|hash| hash != lists.arc_hash) {
            return Err(Error::corrupt(self.store.folder(), "its lists do not contain the original arcs"));
        }
        Ok(())
    }

    /// Writes the files that map IDs to vertices; returns the number of vertices and the new numbers of the old
    /// vertices.
    fn write_tables(&self) -> Result<(u32, Numbers<'_>, Vec<FileEntry>)> {
        let (store, writing, vertices) = (self.store, self.writing, self.store.manifest().graph.vertices);
        match self.change {
            Change::None => Ok((vertices, Numbers::Kept, copy_ids(store, writing)?)),
            Change::Permutation(permutation) => {
                let mut files = copy_all(&[INTEGERS_NAME, TEXTS_NAME, TEXT_ENDS_NAME], store, writing)?;
                files.extend(permutation.write_tables(store, writing)?);
                Ok((vertices, Numbers::Permuted(permutation.permutation), files))
            }
            Change::Growth(growth) => {
                let (inserted, files) = growth.write_tables(store, writing)?;
                Ok((inserted.vertices()?, Numbers::Shifted(inserted), files))
            }
        }
    }

    /// Writes the journal, including the additions of a growth.
    fn write_journal(&self) -> Result<(Option<JournalEntry>, Vec<FileEntry>)> {
        let growth = if let Change::Growth(growth) = self.change { Some(growth) } else { None };
        let update = growth.map(|growth| (growth.journal, Some(growth.ids)));
        copy_journal(self.store, self.in_place, update, self.writing)
    }

    /// Returns sorters with the arcs of all out-lists.
    fn read_arcs<A: ArcRecord>(&self, numbers: &Numbers<'_>) -> Result<ArcSorters<A>> {
        let (context, manifest) = (self.writing.context, self.store.manifest());
        let total = manifest.arcs(Direction::Out);
        context.work.observer.phase(&Phase { name: "reading lists", unit: ProgressUnit::Edges, total });
        let once = ListOptions::once(context.work.io);
        let lists = StoredLists::open(self.store, Direction::Out, &once, context.work.budget, context.work.workers)?;
        let mut sorters = ArcSorters::new(context, context.work.budget.available())?;
        let arcs = EachArc::new(|vertex, neighbor, weight| match manifest.graph.directed {
            true => sorters.push(numbers.of(vertex), numbers.of(neighbor), weight),
            false => sorters.push_entry(numbers.of(vertex), numbers.of(neighbor), weight),
        });
        let changes = if let Change::Growth(growth) = self.change { Some(growth.changes) } else { None };
        with_changes(&arcs, changes, |visit| {
            lists.sweep(VertexRange::new(0, manifest.graph.vertices), visit)?;
            // Added vertices have only added edges.
            let mut packer = Packer::new(visit);
            let end = changes.map_or(0, EdgeChanges::vertices);
            for vertex in manifest.graph.vertices..end.max(manifest.graph.vertices) {
                packer.list(vertex, StoredNeighbors::EMPTY)?;
            }
            packer.finish(lists.statistics())
        })?;
        arcs.finish()?;
        Ok(sorters)
    }
}

/// Map from old vertices to vertices of the new store.
enum Numbers<'n> {
    /// Identity.
    Kept,
    /// Permutation.
    Permuted(&'n Permutation),
    /// Insertion of other vertices in between.
    Shifted(Inserted),
}

impl Numbers<'_> {
    #[inline]
    fn of(&self, vertex: VertexId) -> VertexId {
        match self {
            Self::Kept => vertex,
            Self::Permuted(numbers) => numbers.apply(vertex),
            Self::Shifted(inserted) => inserted.number(vertex),
        }
    }
}

/// Copies the files with the ID of each vertex, sealed for the new store.
pub(super) fn copy_ids(store: &Store, writing: &Writing<'_>) -> Result<Vec<FileEntry>> {
    let names = [INTEGERS_NAME, TEXTS_NAME, TEXT_ENDS_NAME, VERTEX_OF_RANK_NAME, RANK_OF_VERTEX_NAME];
    copy_all(&names, store, writing)
}

/// Writes the journal of a copy of `store`, with an additional `update`. The copy diverges from the store as another
/// graph, unless it replaces the store.
pub(super) fn copy_journal(
    store: &Store,
    in_place: bool,
    update: Option<NewUpdate<'_>>,
    writing: &Writing<'_>,
) -> Result<(Option<JournalEntry>, Vec<FileEntry>)> {
    let manifest = store.manifest();
    if manifest.changes.journal.is_none() && !in_place {
        return Ok((None, Vec::new()));
    }
    let mut journal = manifest.journal_so_far();
    if !in_place {
        journal.lineage = writing.id.to_hex();
    }
    let work = writing.context.work;
    let (io, budget, cancellation) = (work.io, work.budget, work.cancellation());
    let create = &mut |name: &str| writing.component(name);
    let keep = &mut |segment: &SegmentEntry| {
        segment.file_names().iter().map(|name| copy(&store.component(name, io)?, writing, name)).collect()
    };
    let WrittenJournal { entry, files, surplus, .. } =
        JournalWriter { store, io, budget, cancellation, create, keep }.write(journal, update)?;
    for name in surplus {
        work.storage.remove_file(&writing.staging.folder().join(name))?;
    }
    Ok((Some(entry), files))
}

/// Copies the files among `names` that exist.
fn copy_all(names: &[&str], store: &Store, writing: &Writing<'_>) -> Result<Vec<FileEntry>> {
    let there = names.iter().filter(|name| store.manifest().file(name).is_some());
    there.map(|name| copy(&store.component(name, writing.context.work.io)?, writing, name)).collect()
}

fn copy(component: &Component, writing: &Writing<'_>, name: &str) -> Result<FileEntry> {
    let (mut reader, mut writer) = (component.reader()?, writing.component(name)?);
    let payload = component.units() * length_from(PAYLOAD_BYTES);
    let mut bytes = vec![0; COPY_BYTES];
    let mut position = 0;
    while position < payload {
        writing.context.work.cancellation().check()?;
        let count = index_from(payload - position).min(COPY_BYTES);
        let piece = &mut bytes[..count];
        reader.read_at(position, piece)?;
        writer.write(piece)?;
        position += length_from(count);
    }
    writer.finish()
}
