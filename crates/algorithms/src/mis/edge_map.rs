//! Maximal independent set over the lists of undecided vertices.
//!
//! Definition: see `messages.rs`. The set is the same.
//!
//! Paper: Luby, SIAM Journal on Computing 15, 1986, algorithm A.
//!
//! Returns: `in_set` u32, 1 for members of the set and 0 for others, never null.
//!
//! Memory: 4 bytes per vertex, five eighths of a byte of frontiers, both indexes; in stores of another order the ranks
//! (4 bytes).
//!
//! Passes over the edges: the lists of undecided vertices once per round, up to the first undecided neighbor with a
//! smaller number, and those of members once more.
//!
//! Deviations: numbers are chosen from 2^64 instead of n^4, and are distinct.

use super::round::{MEMBER, OUTSIDE, Round, UNDECIDED};
use crate::IdOrder;
use crate::outcome::{Column, Outcome, Values};
use outcrop_engine::{EdgeMap, EdgeMapOptions, EdgeMapOutput, Engine};
use outcrop_store::access::{FoldLists, Neighbors};
use outcrop_types::{
    BitSet, Direction, EdgeDirection, MemoryPlan, ProgressUnit, Purpose, Result, RunEnd, VertexId, VertexSet,
    VertexValues, length_from,
};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Returns the memory for `vertices` vertices, without the indexes.
pub fn memory(vertices: u32) -> MemoryPlan {
    MemoryPlan::new()
        .with(Purpose::VertexValues, VertexValues::<u32>::bytes(u64::from(vertices)))
        .with(Purpose::Frontier, frontier_bytes(vertices))
}

/// Returns the memory of the undecided vertices before and after a round, of new members, of vertices with a smaller
/// neighbor, and of bits for a sweep.
const fn frontier_bytes(vertices: u32) -> u64 {
    3 * VertexSet::bytes(vertices) + 2 * BitSet::bytes(vertices)
}

/// Computes the set for `seed`; for an undirected graph, `directions` contains one direction.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, or if the run is interrupted.
pub fn mis(engine: &Engine<'_>, directions: &[Direction], ranks: IdOrder<'_>, seed: u64) -> Result<Outcome> {
    let vertices = engine.vertices();
    let _frontiers = engine.budget().reserve(frontier_bytes(vertices), Purpose::Frontier)?;
    let states = engine.vertex_values(|_| AtomicU32::new(UNDECIDED))?;
    let (mut undecided, mut number) = (VertexSet::all(vertices), 0);
    engine.set_end(RunEnd::Count { unit: ProgressUnit::Vertices, total: vertices.into(), at_most: false });
    while !undecided.is_empty() {
        engine.checkpoint("rounds", |state| {
            state.number(&mut number)?;
            state.frontier(&mut undecided)?;
            state.shared(&states)
        })?;
        engine.set_done(u64::from(vertices) - length_from(undecided.len()));
        let compare =
            Compare { round: Round::new(ranks, seed, number), states: &states, beaten: BitSet::empty(vertices) };
        for direction in directions {
            engine.visit(engine.lists(*direction)?, &undecided, EdgeDirection::Push, &compare)?;
        }
        let joining = engine.vertex_filter(&undecided, |vertex| !compare.beaten.contains(vertex));
        drop(compare);
        engine.vertex_map(&joining, |vertex| states[vertex as usize].store(MEMBER, Relaxed));
        for direction in directions {
            let options = EdgeMapOptions { along: *direction, ..EdgeMapOutput::Nothing.into() };
            engine.edge_map(&joining, &Exclude(&states), options)?;
        }
        drop(joining);
        undecided = engine.vertex_filter(&undecided, |vertex| states[vertex as usize].load(Relaxed) == UNDECIDED);
        number = engine.end_iteration(None);
    }
    engine.set_done(vertices.into());
    let states = Values::Count(states.map(AtomicU32::into_inner));
    Ok(Outcome::new(vec![Column::new("in_set", states)], number))
}

/// Search for undecided neighbors with a smaller number.
struct Compare<'r> {
    round: Round<'r>,
    states: &'r [AtomicU32],
    /// Vertices with such a neighbor.
    beaten: BitSet,
}

impl FoldLists for Compare<'_> {
    /// Number of the vertex.
    type Fold = u64;

    #[inline]
    fn wants(&self, vertex: VertexId) -> bool {
        !self.beaten.contains(vertex)
    }

    fn stops_early(&self) -> bool {
        true
    }

    #[inline]
    fn begin(&self, vertex: VertexId) -> u64 {
        self.round.number(vertex)
    }

    #[inline]
    fn neighbors(&self, vertex: VertexId, own: &mut u64, piece: Neighbors<'_>) -> ControlFlow<()> {
        let undecided = |id: VertexId| self.states[id as usize].load(Relaxed) == UNDECIDED;
        if piece.ids().iter().any(|id| *id != vertex && undecided(*id) && self.round.number(*id) < *own) {
            self.beaten.insert(vertex);
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn end(&self, _: VertexId, _: u64) {}
}

/// Exclusion of the neighbors of new members.
struct Exclude<'s>(&'s [AtomicU32]);

impl EdgeMap for Exclude<'_> {
    #[inline]
    fn update_atomic(&self, _: VertexId, target: VertexId, _: f64) -> bool {
        self.0[target as usize].store(OUTSIDE, Relaxed);
        true
    }

    #[inline]
    fn cond(&self, target: VertexId) -> bool {
        self.0[target as usize].load(Relaxed) == UNDECIDED
    }
}
