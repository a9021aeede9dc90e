//! Queries for all edges, in the order of original IDs or list by list in disk order.

use super::answer::{Answer, ArcColumns, Arcs};
use super::reading::{Question, Sides};
use crate::graph::Graph;
use crate::result::{TableSource, batch_memory};
use outcrop_engine::AtomicLists;
use outcrop_store::access::{FoldLists, Neighbors};
use outcrop_store::layout::DegreeReader;
use outcrop_store::updates::degrees_memory;
use outcrop_store::writing::{ArcOrder, ArcRanker};
use outcrop_types::{
    Direction, MemoryBudget, MemoryPlan, Purpose, Result, VertexId, VertexRange, VertexValues, index_from,
};
use std::num::NonZeroU32;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Number of degrees read at once.
const DEGREES: u32 = 1 << 14;
/// Memory per list of a batch, in bytes: its vertex, its offset, its degree, and the position of its next piece.
const LIST_BYTES: u64 = 4 + 8 + 4 + 8;

/// Sweep over all lists of a direction, in batches. Holds the ranks of all vertices if the vertex order is not the
/// original.
pub struct ListSweep {
    direction: Direction,
    weighted: bool,
    /// Maximum number of lists and of entries per batch, except for a longer list.
    batch: u32,
    next: VertexId,
    ranks: Option<VertexValues<u32>>,
}

/// Batch of lists: list `i` belongs to the vertex with rank `vertices[i]` and has the entries
/// `offsets[i]..offsets[i + 1]`.
pub struct ListArrays {
    /// Ranks of the vertices, which are their row numbers in results.
    pub vertices: Vec<u32>,
    /// Start of each list, and the end of the last one.
    pub offsets: Vec<u64>,
    /// Ranks of the neighbors, in the order of the store.
    pub neighbors: Vec<u32>,
    /// Weights of the edges, if requested.
    pub weights: Option<Vec<f64>>,
}

impl Graph {
    /// Returns all edges with the columns `source`, `target` and, if requested, `weight`, in ascending order of the
    /// original IDs of source and target. An undirected edge is returned once, smaller ID first. Edges are sorted
    /// before the first batch.
    ///
    /// # Errors
    ///
    /// Returns an error if weights are requested but the graph has none, if the store is damaged, if the budget or disk
    /// is too small, or if the query is interrupted.
    pub fn edges(&self, weights: bool) -> Result<Answer> {
        let weighted = self.require_weights(weights)?;
        let budget = self.budget();
        let ranker = ArcRanker {
            store: &self.store,
            temporary: &self.temp_folder,
            weighted,
            work: self.work(&budget, &*self.observer),
        };
        let batches = batch_memory(&self.store);
        budget.require(&ranker.memory().with(Purpose::Results, batches))?;
        let room = budget.reserve(batches, Purpose::Results)?;
        let arcs = Arcs { arcs: ranker.sort(ArcOrder::Edges)?, ranks: None, layer: None };
        drop(room);
        self.report_notes();
        let columns = ArcColumns { first: "source", second: "target", weighted, layered: false };
        Ok(Answer::arcs(TableSource::new(self, budget)?, &columns, vec![arcs], Vec::new()))
    }

    /// Starts a sweep over the lists of one direction, with weights if `weighted`, in batches of `batch` lists and
    /// entries.
    ///
    /// # Errors
    ///
    /// Returns an error if weights are requested but the graph has none, if the budget cannot hold the ranks, or if the
    /// store is damaged.
    pub fn sweep(&self, direction: Direction, weighted: bool, batch: NonZeroU32) -> Result<ListSweep> {
        let weighted = self.require_weights(weighted)?;
        let of_all = |budget: &MemoryBudget| outcrop_store::ranks(&self.store, self.io, budget, self.cancellation());
        let ranks = self.within_memory(of_all)?;
        Ok(ListSweep { direction: self.store.stored(direction), weighted, batch: batch.get(), next: 0, ranks })
    }

    /// Returns the next batch of `sweep`; `None` at the end.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget is too small (also for a list longer than a batch), if the store is damaged, or
    /// if the query is interrupted.
    pub fn next_lists(&self, sweep: &mut ListSweep) -> Result<Option<ListArrays>> {
        if sweep.next >= self.num_vertices() {
            return Ok(None);
        }
        let direction = sweep.direction;
        let ranks = sweep.ranks.as_ref().map_or(0, |ranks| 4 * ranks.len() as u64);
        let entry = if sweep.weighted { 4 + 8 } else { 4 };
        let plan = MemoryPlan::new().with(Purpose::IdMap, ranks).and(&degrees_memory(&self.store, direction));
        let plan = plan.with(Purpose::IoBuffers, DegreeReader::MEMORY_BYTES);
        let arrays = u64::from(sweep.batch) * (LIST_BYTES + entry) + 4 * u64::from(DEGREES);
        let question = Question::begin(self, Sides::of(direction), plan.with(Purpose::Results, arrays))?;
        let _ranks = question.budget.reserve(ranks, Purpose::IdMap)?;
        let _reader = question.budget.reserve(DegreeReader::MEMORY_BYTES, Purpose::IoBuffers)?;
        let mut degrees = DegreeReader::open(&self.store, direction, self.io, &question.budget)?;
        let (range, offsets) = self.lists_from(sweep, &mut degrees)?;
        let entries = offsets.last().map_or(0, |end| *end);
        let held = arrays.max(LIST_BYTES * offsets.len() as u64 + entry * entries + 4 * u64::from(DEGREES));
        let _arrays = question.budget.reserve(held, Purpose::Results)?;
        let filling = Filling::new(range, &offsets, sweep);
        question.read(sweep.weighted, ranks + DegreeReader::MEMORY_BYTES + held, None, |lists, _| {
            lists.require(direction)?.sweep(range, &filling)
        })?;
        if filling.differs.load(Relaxed) {
            return Err(degrees.differ());
        }
        let (neighbors, weights) = filling.arrays.into_plain();
        sweep.next = range.end;
        let rank = |vertex: VertexId| sweep.ranks.as_ref().map_or(vertex, |ranks| ranks[vertex as usize]);
        Ok(Some(ListArrays { vertices: (range.start..range.end).map(rank).collect(), offsets, neighbors, weights }))
    }

    /// Returns the vertices of the next batch, and the starts of their lists in it.
    fn lists_from(&self, sweep: &ListSweep, degrees: &mut DegreeReader) -> Result<(VertexRange, Vec<u64>)> {
        let (mut offsets, mut some) = (vec![0_u64], Vec::new());
        let most = sweep.next.saturating_add(sweep.batch).min(self.num_vertices());
        let mut end = sweep.next;
        while end < most {
            let stretch = VertexRange::new(end, end.saturating_add(DEGREES).min(most));
            degrees.read(stretch, &mut some)?;
            for degree in &some {
                let entries = offsets.last().map_or(0, |end| *end) + u64::from(*degree);
                if entries > u64::from(sweep.batch) && end > sweep.next {
                    return Ok((VertexRange::new(sweep.next, end), offsets));
                }
                offsets.push(entries);
                end += 1;
            }
        }
        Ok((VertexRange::new(sweep.next, end), offsets))
    }
}

/// Visitor that fills the arrays of a batch.
struct Filling<'f> {
    range: VertexRange,
    offsets: &'f [u64],
    ranks: Option<&'f [u32]>,
    arrays: AtomicLists,
    /// True if the length of a list differs from the expected one.
    differs: AtomicBool,
}

impl<'f> Filling<'f> {
    fn new(range: VertexRange, offsets: &'f [u64], sweep: &'f ListSweep) -> Self {
        let entries = offsets.last().map_or(0, |end| *end);
        let arrays = AtomicLists::new(index_from(entries), sweep.weighted);
        Self { range, offsets, ranks: sweep.ranks.as_deref(), arrays, differs: AtomicBool::new(false) }
    }
}

impl FoldLists for Filling<'_> {
    /// Positions of the remaining entries.
    type Fold = Range<usize>;

    fn selective(&self) -> bool {
        false
    }

    fn begin(&self, vertex: VertexId) -> Range<usize> {
        let list = index_from(u64::from(vertex - self.range.start));
        index_from(self.offsets[list])..index_from(self.offsets[list + 1])
    }

    fn neighbors(&self, _: VertexId, rest: &mut Range<usize>, piece: Neighbors<'_>) -> ControlFlow<()> {
        if piece.len() > rest.len() {
            self.differs.store(true, Relaxed);
            return ControlFlow::Break(());
        }
        let places = rest.start..rest.start + piece.len();
        rest.start = places.end;
        match self.ranks {
            Some(ranks) => self.arrays.put_as(places, piece, |vertex| ranks[vertex as usize]),
            None => self.arrays.put_as(places, piece, |vertex| vertex),
        }
        ControlFlow::Continue(())
    }

    fn end(&self, _: VertexId, rest: Range<usize>) {
        if !rest.is_empty() {
            self.differs.store(true, Relaxed);
        }
    }
}
