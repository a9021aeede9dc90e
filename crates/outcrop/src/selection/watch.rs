//! Observation of the lists that searches request together.

use outcrop_store::access::{AccessStatistics, Adjacency, IoCost, ListBatch, Visit, VisitBatch};
use outcrop_types::{BitSet, MemoryBudget, Purpose, Reservation, Result, VertexId, VertexRange, VertexSet};
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

/// Lists that record the requested vertices.
pub(super) struct Watched<'w> {
    lists: &'w dyn Adjacency,
    most_sets: usize,
    budget: &'w MemoryBudget,
    asked: Mutex<RequestedSets>,
}

/// Sets of vertices whose lists were requested together.
#[derive(Default)]
pub(super) struct RequestedSets {
    pub(super) sets: Vec<BitSet>,
    held: Vec<Reservation>,
}

impl<'w> Watched<'w> {
    /// Maximum useful number of sets: searches with more steps request few lists in each.
    pub(super) const MOST_SETS: usize = 64;

    /// Creates an observer that records up to `most_sets` sets.
    pub(super) fn new(lists: &'w dyn Adjacency, most_sets: usize, budget: &'w MemoryBudget) -> Self {
        Self { lists, most_sets, budget, asked: Mutex::default() }
    }

    pub(super) fn into_requested_sets(self) -> RequestedSets {
        self.asked.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns an empty set and its reservation; `None` if there are enough sets.
    fn set(&self) -> Result<Option<(BitSet, Reservation)>> {
        if self.asked.lock().unwrap_or_else(PoisonError::into_inner).sets.len() >= self.most_sets {
            return Ok(None);
        }
        let vertices = self.lists.num_vertices();
        let held = self.budget.reserve(BitSet::bytes(vertices), Purpose::Frontier)?;
        Ok(Some((BitSet::empty(vertices), held)))
    }

    fn keep(&self, set: BitSet, held: Reservation) {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.sets.push(set);
        asked.held.push(held);
    }
}

impl Adjacency for Watched<'_> {
    fn num_vertices(&self) -> u32 {
        self.lists.num_vertices()
    }

    fn num_arcs(&self) -> u64 {
        self.lists.num_arcs()
    }

    fn cost_of(&self, set: &VertexSet) -> IoCost {
        self.lists.cost_of(set)
    }

    fn cost_of_sweep(&self) -> IoCost {
        self.lists.cost_of_sweep()
    }

    fn select(&self, set: &VertexSet, visit: &dyn Visit) -> Result<()> {
        if let Some((asked, held)) = self.set()? {
            set.for_each(|vertex| _ = asked.insert(vertex));
            self.keep(asked, held);
        }
        self.lists.select(set, visit)
    }

    fn sweep(&self, range: VertexRange, visit: &dyn Visit) -> Result<()> {
        let Some((asked, held)) = self.set()? else { return self.lists.sweep(range, visit) };
        self.lists.sweep(range, &Noting { visit, asked: &asked })?;
        self.keep(asked, held);
        Ok(())
    }

    fn statistics(&self) -> &AccessStatistics {
        self.lists.statistics()
    }
}

/// Visitor that records the vertices whose lists are visited.
struct Noting<'n> {
    visit: &'n dyn Visit,
    asked: &'n BitSet,
}

impl Visit for Noting<'_> {
    fn selective(&self) -> bool {
        self.visit.selective()
    }

    fn filter(&self, first: VertexId, wanted: &mut [u64]) {
        self.visit.filter(first, wanted);
    }

    fn stops_early(&self) -> bool {
        self.visit.stops_early()
    }

    fn reads_weights(&self) -> bool {
        self.visit.reads_weights()
    }

    fn worker(&self) -> Box<dyn VisitBatch + '_> {
        Box::new(NotingBatch { asked: self.asked, visit: self.visit.worker() })
    }
}

/// Worker state of [`Noting`].
struct NotingBatch<'n> {
    asked: &'n BitSet,
    visit: Box<dyn VisitBatch + 'n>,
}

impl VisitBatch for NotingBatch<'_> {
    fn lists(&mut self, batch: &ListBatch<'_>) -> Result<ControlFlow<()>> {
        batch.lists().for_each(|(vertex, _)| _ = self.asked.insert(vertex));
        self.visit.lists(batch)
    }

    fn finish(&mut self) -> Result<()> {
        self.visit.finish()
    }
}
