//! Coloring over the lists of removed vertices, then of those whose predecessors are colored.
//!
//! Definition, paper and deviations: see the module.
//!
//! Returns: `color` u32, never null; the first is 0.
//!
//! Memory: 8 bytes per vertex, 1.2 bytes of frontiers, both indexes; in stores of another order the ranks (4
//! bytes).
//!
//! Passes over the edges: the lists of a vertex once when it is removed, once per 32 colors below its own, and once
//! when it is colored.

use super::order::{Order, State, removed_degree};
use crate::outcome::{Column, Outcome, Values};
use outcrop_engine::{Engine, FrontierBuilder, Gather};
use outcrop_store::access::Neighbors;
use outcrop_types::{
    Direction, Error, MemoryPlan, ProgressUnit, Purpose, Result, RunEnd, VertexId, VertexSet, VertexValues, length_from,
};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Number of vertices per unit of work of a thread.
const BLOCK: u32 = 1 << 14;

/// Returns the memory for `vertices` vertices, without the indexes.
pub fn memory(vertices: u32) -> MemoryPlan {
    let numbers = VertexValues::<u32>::bytes(u64::from(vertices));
    MemoryPlan::new()
        .with(Purpose::Degrees, numbers)
        .with(Purpose::VertexValues, numbers)
        .with(Purpose::Frontier, frontier_bytes(vertices))
}

/// Returns the memory of the remaining, removed, ready and colored vertices, and of two sets while they change.
const fn frontier_bytes(vertices: u32) -> u64 {
    6 * VertexSet::bytes(vertices)
}

/// Colors all vertices; for an undirected graph, `directions` contains one direction. `entries` are those of the lists
/// in all `directions`.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, or if the run is interrupted.
pub fn coloring(
    engine: &Engine<'_>,
    directions: &[Direction],
    order: Order<'_>,
    entries: VertexValues<u32>,
) -> Result<Outcome> {
    let vertices = engine.vertices();
    let _frontiers = engine.budget().reserve(frontier_bytes(vertices), Purpose::Frontier)?;
    let coloring = Coloring {
        engine,
        directions,
        order,
        counts: entries.map(AtomicU32::new),
        states: engine.vertex_values(|_| AtomicU32::new(State::Left.word()))?,
    };
    let mut left = VertexSet::all(vertices);
    let mut ready = VertexSet::empty(vertices);
    let (mut iterations, mut colored) = (0_u32, 0_u64);
    engine.set_end(RunEnd::Count { unit: ProgressUnit::Vertices, total: vertices.into(), at_most: false });
    while !left.is_empty() || !ready.is_empty() {
        engine.checkpoint("colors", |state| {
            state.number(&mut iterations)?;
            state.number(&mut colored)?;
            state.frontier(&mut left)?;
            state.frontier(&mut ready)?;
            state.shared(&coloring.counts)?;
            state.shared(&coloring.states)
        })?;
        // A vertex is half done when it is removed.
        engine.set_done((u64::from(vertices) - length_from(left.len()) + colored) / 2);
        if left.is_empty() {
            ready = coloring.color(&ready, &mut colored)?;
        } else {
            left = coloring.remove(&left)?;
            if left.is_empty() {
                ready = engine.vertex_filter(&VertexSet::all(vertices), |vertex| coloring.count(vertex) == 0);
            }
        }
        iterations = engine.end_iteration(None);
    }
    if colored < u64::from(vertices) {
        return Err(Error::internal("the degree of a vertex is not the number of entries of its lists"));
    }
    engine.set_done(vertices.into());
    let colors = Values::Count(coloring.states.map(AtomicU32::into_inner));
    Ok(Outcome::new(vec![Column::new("color", colors)], iterations))
}

/// State of all vertices.
struct Coloring<'r, 'g> {
    engine: &'r Engine<'g>,
    directions: &'r [Direction],
    order: Order<'r>,
    /// Number of list entries in the remaining graph; for a removed vertex, of entries of uncolored predecessors; if
    /// there are none, the colors of the window that neighbors have.
    counts: VertexValues<AtomicU32>,
    /// Words of states.
    states: VertexValues<AtomicU32>,
}

impl Coloring<'_, '_> {
    #[inline]
    fn state(&self, vertex: VertexId) -> State {
        State::from_word(self.states[vertex as usize].load(Relaxed))
    }

    #[inline]
    fn set_state(&self, vertex: VertexId, state: State) {
        self.states[vertex as usize].store(state.word(), Relaxed);
    }

    #[inline]
    fn count(&self, vertex: VertexId) -> u32 {
        self.counts[vertex as usize].load(Relaxed)
    }

    /// Folds the lists of the vertices of `set` in all directions.
    fn gather<G: Gather>(&self, set: &VertexSet, program: &G) -> Result<()> {
        self.directions.iter().try_for_each(|direction| self.engine.gather_over(set, *direction, program))
    }

    /// Removes the vertices of small degree from the remaining graph `left`, and returns the rest.
    fn remove(&self, left: &VertexSet) -> Result<VertexSet> {
        let sums = self.engine.workers().map_blocks(left.positions(), BLOCK, |positions| {
            let mut sum = 0;
            left.for_each_in(positions, |vertex| sum += u64::from(self.count(vertex)));
            sum
        });
        let most = removed_degree(sums.into_iter().sum(), length_from(left.len()));
        let removed = self.engine.vertex_filter(left, |vertex| u64::from(self.count(vertex)) <= most);
        self.engine.vertex_map(&removed, |vertex| {
            self.set_state(vertex, State::Removed);
            self.counts[vertex as usize].store(0, Relaxed);
        });
        self.gather(&removed, &Remove(self))?;
        self.engine.vertex_map(&removed, |vertex| self.set_state(vertex, State::Waiting(0)));
        Ok(self.engine.vertex_filter(left, |vertex| self.state(vertex) == State::Left))
    }

    /// Colors those of the `ready` vertices that have a free color in their window, and adds their number to `colored`.
    /// Returns the vertices that are ready then.
    fn color(&self, ready: &VertexSet, colored: &mut u64) -> Result<VertexSet> {
        self.gather(ready, &Look(self))?;
        self.engine.vertex_map(ready, |vertex| {
            let taken = self.counts[vertex as usize].swap(0, Relaxed);
            self.set_state(vertex, self.state(vertex).next(taken));
        });
        let done = self.engine.vertex_filter(ready, |vertex| self.state(vertex).is_colored());
        *colored += length_from(done.len());
        let next = self.engine.collect(|next| self.gather(&done, &Tell { coloring: self, next }))?;
        Ok(next.union(self.engine.vertex_filter(ready, |vertex| !self.state(vertex).is_colored())))
    }
}

/// Removes vertices from the remaining graph, and counts their predecessors: neighbors that are removed later, or at
/// the same time and are earlier in the order.
struct Remove<'c, 'r, 'g>(&'c Coloring<'r, 'g>);

impl Gather for Remove<'_, '_, '_> {
    type Sum = (VertexId, u32);

    fn begin(&self, vertex: VertexId) -> (VertexId, u32) {
        (vertex, 0)
    }

    #[inline]
    fn gather(&self, (vertex, predecessors): &mut (VertexId, u32), piece: Neighbors<'_>) {
        let Self(coloring) = self;
        for other in piece.ids().iter().filter(|other| *other != vertex) {
            match coloring.state(*other) {
                State::Left => {
                    coloring.counts[*other as usize].fetch_sub(1, Relaxed);
                    *predecessors += 1;
                }
                State::Removed if coloring.order.of(*other) < coloring.order.of(*vertex) => *predecessors += 1,
                State::Removed | State::Waiting(_) | State::Colored(_) => {}
            }
        }
    }

    fn apply(&self, vertex: VertexId, sum: (VertexId, u32)) {
        self.0.counts[vertex as usize].fetch_add(sum.1, Relaxed);
    }
}

/// Finds the colors of neighbors.
struct Look<'c, 'r, 'g>(&'c Coloring<'r, 'g>);

impl Gather for Look<'_, '_, '_> {
    type Sum = (State, u32);

    fn begin(&self, vertex: VertexId) -> (State, u32) {
        (self.0.state(vertex), 0)
    }

    #[inline]
    fn gather(&self, (own, taken): &mut (State, u32), piece: Neighbors<'_>) {
        for other in piece.ids() {
            if let State::Colored(color) = self.0.state(*other) {
                *taken |= own.bit(color);
            }
        }
    }

    fn apply(&self, vertex: VertexId, sum: (State, u32)) {
        self.0.counts[vertex as usize].fetch_or(sum.1, Relaxed);
    }
}

/// Tells uncolored neighbors, which are all later, that one more predecessor is colored.
struct Tell<'c, 'r, 'g> {
    coloring: &'c Coloring<'r, 'g>,
    next: &'c FrontierBuilder,
}

impl Gather for Tell<'_, '_, '_> {
    type Sum = ();

    fn begin(&self, _: VertexId) {}

    #[inline]
    fn gather(&self, (): &mut (), piece: Neighbors<'_>) {
        for other in piece.ids().iter().filter(|other| !self.coloring.state(**other).is_colored()) {
            if self.coloring.counts[*other as usize].fetch_sub(1, Relaxed) == 1 {
                self.next.add(*other);
            }
        }
    }

    fn apply(&self, _: VertexId, (): ()) {}
}
