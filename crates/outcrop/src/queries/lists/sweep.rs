//! Sweeps over all lists, and selections of lists.

use super::super::reading::{Question, Sides};
use super::batch::{DEGREES_BYTES, ListArrays, Members};
use super::few::Collecting;
use super::filling::Filling;
use super::first::FindingFirst;
use crate::graph::Graph;
use crate::lists::KeptRanks;
use outcrop_engine::Engine;
use outcrop_engine::schedule::{Schedule, Scheduler};
use outcrop_store::access::{Adjacency, Visit};
use outcrop_store::layout::DegreeReader;
use outcrop_store::updates::degrees_memory;
use outcrop_types::{
    AccessMode, BitSet, Direction, EdgeDirection, Error, MemoryPlan, Purpose, Result, Silent, VertexId, VertexRange,
    VertexSet,
};
use std::num::NonZeroU32;
use std::ops::RangeInclusive;

/// Memory per list of a batch, in bytes: its vertex twice, its offset, its degree, and the position of its next piece.
const LIST_BYTES: u64 = 4 + 4 + 8 + 4 + 8;
/// Number of entries of a batch per list: a batch has fewer lists than entries.
const ENTRIES_A_LIST: u32 = 8;
/// Reciprocal of the share of the memory for a batch of the default size, and bounds of that size.
const BATCH_SHARE: u64 = 8;
const BATCHES: RangeInclusive<u64> = 1 << 10..=1 << 20;
/// Reciprocal of the share of all list entries from which a frontier is large.
const LARGE: u64 = 20;
/// Reciprocal of the share of a batch up to which lists are collected without their degrees.
const FEW_SHARE: u32 = 8;
/// Number of vertices per unit of work of a thread.
const BLOCK: u32 = 1 << 13;

/// Sweep over all lists of a direction, or a selection of lists, in batches. Holds the ranks of all vertices if the
/// vertex order is not the original.
pub struct ListSweep {
    sides: Sides,
    weighted: bool,
    /// Maximum number of entries per batch, except for a longer list.
    batch: u32,
    /// Memory of the largest arrays of a batch so far, in bytes.
    largest: u64,
    ranks: Option<KeptRanks>,
    lists: Requested,
    next: VertexId,
}

/// Lists that a sweep returns.
struct Requested {
    direction: Direction,
    /// Vertices of a selection, and how to read their lists; `None` for all vertices.
    selected: Option<(VertexSet, AccessMode)>,
    /// Set of which only the first member in each list is requested.
    first_of: Option<BitSet>,
    /// Estimated number of entries.
    entries: u64,
    /// Estimated seconds.
    seconds: f64,
}

impl Requested {
    /// Returns true if no list of a vertex from `next` on is requested, of `vertices` vertices.
    fn is_empty_from(&self, next: VertexId, vertices: u32) -> bool {
        let rest = VertexRange::new(next.min(vertices), vertices);
        match &self.selected {
            None => rest.is_empty(),
            Some((VertexSet::Dense { bits, .. }, _)) => bits.iter_range(rest).next().is_none(),
            Some((set, _)) => set.positions_in(rest).is_empty(),
        }
    }
}

/// Vertices whose lists are read.
#[derive(Clone, Copy, Debug)]
pub enum ListVertices<'v> {
    /// All vertices.
    All,
    /// Vertices with these ranks, in any order and with duplicates.
    Ranks(&'v [u32]),
}

/// Lists to read in place of those of a frontier, in the other direction.
#[derive(Clone, Copy, Debug)]
pub struct Pull<'v> {
    /// Direction of the lists.
    pub direction: Direction,
    /// Ranks of their vertices.
    pub ranks: &'v [u32],
    /// True if only the first neighbor in the frontier is needed of each list.
    pub first: bool,
    /// True to read them even if they take more time.
    pub always: bool,
}

impl ListSweep {
    /// Returns the estimated number of entries of all requested lists.
    pub const fn entries(&self) -> u64 {
        self.lists.entries
    }

    fn entry_bytes(&self) -> u64 {
        entry_bytes(self.weighted)
    }

    /// Returns the memory of the arrays of a batch, in bytes, unless a list is longer than all before.
    fn array_bytes(&self) -> u64 {
        let lists = LIST_BYTES * (u64::from(self.most_lists()) + 1);
        self.largest.max(lists + u64::from(self.batch) * self.entry_bytes() + DEGREES_BYTES)
    }

    fn most_lists(&self) -> u32 {
        self.batch.div_ceil(ENTRIES_A_LIST)
    }

    /// Returns the memory of a selection between its plan and its end: its vertices, a frontier, and a few lists that
    /// are collected.
    fn selection_bytes(&self, graph: &Graph) -> u64 {
        let sets = VertexSet::bytes(graph.num_vertices()) + BitSet::bytes(graph.num_vertices());
        sets + Collecting::bytes(self.batch / FEW_SHARE, self.weighted)
    }
}

impl Graph {
    /// Starts a sweep over the lists of `vertices` in one direction, with weights if `weighted`, in batches of `batch`
    /// entries (default: the number that fits in an eighth of the memory). The lists of `sides` stay open between its
    /// batches, and for the next sweep of the same sides.
    ///
    /// # Errors
    ///
    /// Returns an error if weights are requested but the graph has none, if a rank is not one of a vertex, if the
    /// budget is too small, or if the store is damaged.
    pub fn sweep(
        &self,
        direction: Direction,
        sides: Sides,
        weighted: bool,
        batch: Option<NonZeroU32>,
        vertices: ListVertices<'_>,
    ) -> Result<ListSweep> {
        let weighted = self.require_weights(weighted)?;
        let ranks =
            self.with_kept(|budget, kept| kept.take_ranks(&self.store, self.io, budget, self.workers.cancellation()))?;
        let lists = Requested {
            direction: self.store.stored(direction),
            selected: None,
            first_of: None,
            entries: 0,
            seconds: 0.0,
        };
        let fits = self.memory / BATCH_SHARE / (LIST_BYTES / u64::from(ENTRIES_A_LIST) + entry_bytes(weighted));
        let fits = fits.clamp(*BATCHES.start(), *BATCHES.end()) as u32;
        let batch = batch.map_or(fits, NonZeroU32::get);
        let mut sweep = ListSweep { sides, weighted, batch, largest: 0, ranks, lists, next: 0 };
        if let ListVertices::Ranks(members) = vertices {
            sweep.lists = self.select_lists(&sweep, direction, members)?;
        }
        Ok(sweep)
    }

    /// Lets `sweep`, which reads the lists of a frontier and has returned no batch, read the lists of `pull` if they
    /// take less time; returns true if so.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`Graph::sweep`].
    pub fn sweep_instead(&self, sweep: &mut ListSweep, pull: Pull<'_>) -> Result<bool> {
        let other = self.select_lists(sweep, pull.direction, pull.ranks)?;
        // Few entries of a list are read before its first one in a large frontier: this is Ligra's rule.
        let entries = self.store.manifest().arcs(other.direction).map_or(0, |arcs| arcs / LARGE);
        let large = pull.first && sweep.lists.entries > entries;
        let better = pull.always || large || other.seconds < sweep.lists.seconds;
        if better {
            let frontier = std::mem::replace(&mut sweep.lists, other).selected;
            sweep.lists.first_of = frontier.filter(|_| pull.first).map(|(set, _)| set.into_bits());
        }
        Ok(better)
    }

    /// Plans the selection of the lists of the vertices with these `ranks`: by a select or by a sweep.
    fn select_lists(&self, sweep: &ListSweep, direction: Direction, ranks: &[u32]) -> Result<Requested> {
        let direction = self.store.stored(direction);
        let question = self.question_of(sweep, true)?;
        let held = charge(sweep.ranks.as_ref(), &question)?;
        let sets = VertexSet::bytes(self.num_vertices()) + 2 * BitSet::bytes(self.num_vertices());
        let _sets = question.budget.reserve(sets, Purpose::Frontier)?;
        let set = self.vertices_of(sweep.ranks.as_ref(), ranks)?;
        let scheduler = Scheduler { schedule: Schedule::Auto, bandwidths: self.bandwidths()? };
        let (plan, estimates) = question.read(sweep.weighted, held + sets, None, |lists, _| {
            let [out, into] = [Direction::Out, Direction::In].map(|direction| lists.of(direction));
            let engine = Engine::new(self.num_vertices(), out, into, &self.workers, &question.budget, &Silent);
            let engine = engine.scheduled_by(scheduler);
            Ok(engine.plan_visit(lists.require(direction)?, &set, EdgeDirection::Push))
        })?;
        let seconds =
            if plan.access == AccessMode::Select { estimates.select_seconds } else { estimates.sweep_seconds };
        Ok(Requested {
            direction,
            selected: Some((set, plan.access)),
            first_of: None,
            entries: estimates.select.arcs,
            seconds,
        })
    }

    /// Returns the vertices with these ranks.
    fn vertices_of(&self, ranks: Option<&KeptRanks>, members: &[u32]) -> Result<VertexSet> {
        let vertices = self.num_vertices();
        if let Some(unknown) = members.iter().find(|rank| **rank >= vertices) {
            return Err(Error::Usage(format!("row {unknown} exceeds the last of {vertices} vertices")));
        }
        let wanted = BitSet::empty(vertices);
        members.iter().for_each(|rank| _ = wanted.insert(*rank));
        let Some(ranks) = ranks else { return Ok(VertexSet::from_bits(wanted)) };
        let set = BitSet::empty(vertices);
        self.workers.map_blocks(vertices, BLOCK, |block| {
            block
                .iter()
                .filter(|vertex| wanted.contains(ranks.rank(*vertex)))
                .for_each(|vertex| _ = set.insert(vertex));
        });
        Ok(VertexSet::from_bits(set))
    }

    /// Returns the next batch of `sweep`; `None` at the end.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget is too small (also for a list longer than a batch), if the store is damaged, or
    /// if the query is interrupted.
    pub fn next_lists(&self, sweep: &mut ListSweep) -> Result<Option<ListArrays>> {
        if !sweep.lists.is_empty_from(sweep.next, self.num_vertices()) {
            return self.read_batch(sweep).map(Some);
        }
        if let Some(ranks) = sweep.ranks.take() {
            self.with_kept(|budget, kept| {
                kept.put_ranks(ranks, budget);
                Ok(())
            })?;
        }
        Ok(None)
    }

    fn read_batch(&self, sweep: &mut ListSweep) -> Result<ListArrays> {
        let question = self.question_of(sweep, sweep.lists.selected.is_some())?;
        let mut held = charge(sweep.ranks.as_ref(), &question)?;
        let selection = sweep.lists.selected.as_ref().map_or(0, |_| sweep.selection_bytes(self));
        let _selection = question.budget.reserve(selection, Purpose::Frontier)?;
        held += selection;
        if sweep.lists.first_of.is_some() {
            return self.read_first(sweep, &question, held);
        }
        if let Some(few) = self.read_few(sweep, &question, held)? {
            sweep.next = self.num_vertices();
            return Ok(few);
        }
        let _reader = question.budget.reserve(DegreeReader::MEMORY_BYTES, Purpose::IoBuffers)?;
        let mut degrees = DegreeReader::open(&self.store, sweep.lists.direction, self.io, &question.budget)?;
        let rest = VertexRange::new(sweep.next, self.num_vertices());
        let selected = sweep.lists.selected.as_ref();
        let most = (sweep.most_lists(), sweep.batch);
        let members = Members::first(selected.map(|(set, _)| set), rest, most, &mut degrees)?;
        let lists = members.vertices.len() as u64 + 1;
        let of_arrays = LIST_BYTES * lists + sweep.entry_bytes() * members.entries() + DEGREES_BYTES;
        // Lists that were opened with less cache for a long list stay open for the next batches.
        sweep.largest = of_arrays.max(sweep.array_bytes());
        let _arrays = question.budget.reserve(sweep.largest, Purpose::Results)?;
        held += DegreeReader::MEMORY_BYTES + sweep.largest;
        let filling = Filling::new(&members, sweep.ranks.as_ref(), sweep.weighted);
        let access = selected.map_or(AccessMode::Sweep, |(_, access)| *access);
        question.read(sweep.weighted, held, None, |lists, _| {
            visit(lists.require(sweep.lists.direction)?, &members, access, &filling)
        })?;
        let arrays = filling.into_arrays().ok_or_else(|| degrees.differ())?;
        sweep.next = members.range().end;
        Ok(members.with(sweep.ranks.as_ref(), arrays))
    }

    /// Returns the first neighbors in a frontier of the next vertices.
    fn read_first(&self, sweep: &mut ListSweep, question: &Question<'_>, held: u64) -> Result<ListArrays> {
        let Requested { direction, selected: Some((set, _)), first_of: Some(frontier), .. } = &sweep.lists else {
            return Err(Error::internal("the sweep has no frontier"));
        };
        let arrays = sweep.array_bytes();
        let _arrays = question.budget.reserve(arrays, Purpose::Results)?;
        let vertices = Members::some_of(set, VertexRange::new(sweep.next, self.num_vertices()), sweep.most_lists());
        let range = vertices.first().zip(vertices.last()).map(|(first, last)| VertexRange::new(*first, last + 1));
        let range = range.ok_or_else(|| Error::internal("the sweep is at its end"))?;
        let finding = FindingFirst::new(&vertices, frontier, sweep.weighted);
        question
            .read(sweep.weighted, held + arrays, None, |lists, _| lists.require(*direction)?.sweep(range, &finding))?;
        let (members, (mut neighbors, weights)) = finding.into_lists();
        let ranks = sweep.ranks.as_ref();
        ranks.iter().for_each(|ranks| neighbors.iter_mut().for_each(|vertex| *vertex = ranks.rank(*vertex)));
        sweep.next = range.end;
        Ok(members.with(sweep.ranks.as_ref(), (neighbors, weights)))
    }

    /// Returns all lists of a small selection as one batch; `None` if there are too many entries.
    fn read_few(&self, sweep: &ListSweep, question: &Question<'_>, held: u64) -> Result<Option<ListArrays>> {
        let most = sweep.batch / FEW_SHARE;
        let few = sweep.lists.selected.as_ref().filter(|(set, access)| {
            *access == AccessMode::Select && sweep.next == 0 && sweep.lists.entries.max(set.len() as u64) <= most.into()
        });
        let Some((set, _)) = few else { return Ok(None) };
        let arrays = sweep.array_bytes();
        let _arrays = question.budget.reserve(arrays, Purpose::Results)?;
        let collecting = Collecting::new(most, sweep.weighted);
        question.read(sweep.weighted, held + arrays, None, |lists, _| {
            lists.require(sweep.lists.direction)?.select(set, &collecting)
        })?;
        let ranks = sweep.ranks.as_ref();
        Ok(collecting.into_lists(set, ranks).map(|(members, arrays)| members.with(ranks, arrays)))
    }

    /// Starts a query for `sweep`, or for a selection in its place. All queries of selections plan the same memory, so
    /// that the lists with their cache stay open.
    fn question_of(&self, sweep: &ListSweep, selects: bool) -> Result<Question<'_>> {
        let ranks = sweep.ranks.as_ref().map_or(0, KeptRanks::bytes);
        let changes = sweep.sides.directions(self).iter().map(|direction| degrees_memory(&self.store, *direction));
        let plan = changes.fold(MemoryPlan::new(), MemoryPlan::or).with(Purpose::IdMap, ranks);
        let plan =
            plan.with(Purpose::IoBuffers, DegreeReader::MEMORY_BYTES).with(Purpose::Results, sweep.array_bytes());
        let sets = sweep.selection_bytes(self) + 2 * BitSet::bytes(self.num_vertices());
        let plan = if selects { plan.with(Purpose::Frontier, sets) } else { plan };
        Question::begin_lists(self, sweep.sides, plan)
    }
}

/// Returns the memory of an entry of a batch, in bytes.
const fn entry_bytes(weighted: bool) -> u64 {
    if weighted { 4 + 8 } else { 4 }
}

/// Moves the reservation of the ranks to the budget of `question`; returns its bytes.
fn charge(ranks: Option<&KeptRanks>, question: &Question<'_>) -> Result<u64> {
    ranks.map_or(Ok(0), |ranks| ranks.charge_to(&question.budget).map(|()| ranks.bytes()))
}

/// Visits the lists of the `members`.
fn visit(lists: &dyn Adjacency, members: &Members, access: AccessMode, filling: &dyn Visit) -> Result<()> {
    match access {
        AccessMode::Sweep => lists.sweep(members.range(), filling),
        AccessMode::Select => {
            lists.select(&VertexSet::from_members(members.vertices.clone(), lists.num_vertices()), filling)
        }
    }
}
