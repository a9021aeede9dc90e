//! Watches which lists searches ask for together.

use outcrop_store::access::{AccessStatistics, Adjacency, IoCost, Neighbours, Visit};
use outcrop_types::{BitSet, MemoryBudget, Purpose, Reservation, Result, VertexId, VertexRange, VertexSet};
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

/// Lists that remember who was asked for.
pub(super) struct Watched<'w, A> {
    lists: &'w A,
    most_sets: usize,
    budget: &'w MemoryBudget,
    asked: Mutex<Asked>,
}

/// Sets of vertices whose lists were asked for together.
#[derive(Default)]
pub(super) struct Asked {
    pub(super) sets: Vec<BitSet>,
    held: Vec<Reservation>,
}

impl<'w, A: Adjacency> Watched<'w, A> {
    /// The most sets that are worth keeping: searches with more steps ask for little in each.
    pub(super) const MOST_SETS: usize = 64;

    /// Remembers up to `most_sets`.
    pub(super) fn new(lists: &'w A, most_sets: usize, budget: &'w MemoryBudget) -> Self {
        Self { lists, most_sets, budget, asked: Mutex::default() }
    }

    pub(super) fn into_asked(self) -> Asked {
        self.asked.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// An empty set, and what pays for it; none where there are enough.
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

impl<A: Adjacency> Adjacency for Watched<'_, A> {
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

    fn select<V: Visit>(&self, set: &VertexSet, visit: &V) -> Result<()> {
        if let Some((asked, held)) = self.set()? {
            set.for_each(|vertex| _ = asked.insert(vertex));
            self.keep(asked, held);
        }
        self.lists.select(set, visit)
    }

    fn sweep<V: Visit>(&self, range: VertexRange, visit: &V) -> Result<()> {
        let Some((asked, held)) = self.set()? else { return self.lists.sweep(range, visit) };
        self.lists.sweep(range, &Noting { visit, asked: &asked })?;
        self.keep(asked, held);
        Ok(())
    }

    fn statistics(&self) -> &AccessStatistics {
        self.lists.statistics()
    }
}

/// Notes whose lists are visited.
struct Noting<'n, V> {
    visit: &'n V,
    asked: &'n BitSet,
}

impl<V: Visit> Visit for Noting<'_, V> {
    type Fold = V::Fold;

    fn selective(&self) -> bool {
        self.visit.selective()
    }

    fn wants(&self, vertex: VertexId) -> bool {
        self.visit.wants(vertex)
    }

    fn begin(&self, vertex: VertexId) -> V::Fold {
        self.asked.insert(vertex);
        self.visit.begin(vertex)
    }

    fn neighbours(&self, vertex: VertexId, fold: &mut V::Fold, piece: Neighbours<'_>) -> ControlFlow<()> {
        self.visit.neighbours(vertex, fold, piece)
    }

    fn end(&self, vertex: VertexId, fold: V::Fold) {
        self.visit.end(vertex, fold);
    }
}
