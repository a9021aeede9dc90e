//! Incremental breadth-first search, based on the previous result.
//!
//! Distances are repaired by `search/repair.rs` and lowered as for shortest paths. The predecessor of a vertex is found
//! again, among all in-neighbors, if something in its neighborhood changed.

use crate::atomic_float::AtomicLevel;
use crate::search::repair::{self, Lengths, Restarted, restart};
use crate::shape::Shape;
use crate::sssp::edge_map::{Relax, Rounds};
use crate::sssp::width::Width;
use crate::{AtomicFloat, UNREACHED};
use outcrop_engine::{Changes, Engine, FrontierBuilder, Gather};
use outcrop_store::access::Neighbors;
use outcrop_types::{BitSet, Direction, MemoryPlan, Purpose, Result, VertexId, VertexSet, VertexValues};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Adds the memory of an incremental run to the `memory` of a search, if the run is incremental.
pub(super) fn with_sets(shape: &Shape, memory: MemoryPlan) -> MemoryPlan {
    let memory = repair::with_sets(shape, memory);
    if shape.incremental { memory.with(Purpose::Frontier, BitSet::bytes(shape.vertices)) } else { memory }
}

/// Repairs the distances of the previous result, and the predecessors if there are any; returns the number of rounds,
/// or `None` if everything must be recomputed.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, or if the run is interrupted.
pub(super) fn repair_result(
    engine: &Engine<'_>,
    distance: VertexValues<AtomicU32>,
    predecessor: Option<&[AtomicU32]>,
    sources: &[VertexId],
    changes: &Changes,
) -> Result<(VertexValues<AtomicU32>, Option<u32>)> {
    let relax = Relax::of(distance.map(AtomicLevel));
    let mut rounds = None;
    if let Some(Restarted { frontier, affected, held }) =
        restart(engine, &relax.distance, Lengths::One, sources, changes)?
    {
        let moved = affected.into_bits();
        let begin_round = |rounds: &mut Rounds| {
            engine.touch(rounds.near().len() as u64);
            rounds.near().for_each(|vertex| _ = moved.insert(vertex));
            Ok(())
        };
        let end_round = || {
            engine.end_iteration(None);
            Ok(())
        };
        rounds = Some(relax.nearest(engine, frontier, Width::fixed(1.0), begin_round, end_round)?);
        if let Some(predecessor) = predecessor {
            let found = PredecessorRepair { distance: &relax.distance, predecessor };
            found.look_again(engine, VertexSet::from_bits(moved), changes)?;
        }
        drop(held);
    }
    Ok((relax.distance.map(|level| level.0), rounds))
}

/// Correct distances, and possibly incorrect predecessors.
#[derive(Clone, Copy)]
struct PredecessorRepair<'f> {
    distance: &'f [AtomicLevel],
    predecessor: &'f [AtomicU32],
}

impl PredecessorRepair<'_> {
    /// Finds the predecessors of the vertices in `moved`, of those whose predecessors moved away, and of those with a
    /// deleted arc from their predecessor or an inserted arc from a smaller vertex.
    fn look_again(self, engine: &Engine<'_>, moved: VertexSet, changes: &Changes) -> Result<()> {
        let left = engine.collect(|next| {
            let hung = |(source, target): &&(VertexId, VertexId)| self.predecessor(*target) == *source;
            changes.removed.iter().filter(hung).for_each(|(_, target)| next.add(*target));
            let offers = |(source, target): &&(VertexId, VertexId)| self.offers(*source, *target);
            changes.added.iter().filter(offers).for_each(|(_, target)| next.add(*target));
            engine.gather_over(&moved, Direction::Out, &Offer { found: self, next })
        })?;
        engine.end_iteration(None);
        let again = moved.union(left);
        engine.touch(again.len() as u64);
        engine.gather_over(&again, Direction::In, &First(self))?;
        engine.end_iteration(None);
        Ok(())
    }

    /// Returns true if an arc would make `source` the predecessor of `target`.
    fn offers(self, source: VertexId, target: VertexId) -> bool {
        let near = self.distance(source);
        near.is_finite() && near + 1.0 == self.distance(target) && source < self.predecessor(target)
    }

    fn predecessor(self, vertex: VertexId) -> VertexId {
        self.predecessor[vertex as usize].load(Relaxed)
    }

    fn distance(self, vertex: VertexId) -> f64 {
        self.distance[vertex as usize].load()
    }
}

/// Moved vertices become predecessors of vertices that are one step farther, if they are smaller; vertices that lost
/// their predecessor are collected.
struct Offer<'f> {
    found: PredecessorRepair<'f>,
    next: &'f FrontierBuilder,
}

impl Gather for Offer<'_> {
    type Sum = (VertexId, f64);

    fn begin(&self, vertex: VertexId) -> (VertexId, f64) {
        (vertex, self.found.distance(vertex))
    }

    fn gather(&self, (source, near): &mut (VertexId, f64), piece: Neighbors<'_>) {
        for target in piece.ids() {
            if near.is_finite() && *near + 1.0 == self.found.distance(*target) {
                self.found.predecessor[*target as usize].fetch_min(*source, Relaxed);
            } else if self.found.predecessor(*target) == *source {
                self.next.add(*target);
            }
        }
    }

    fn apply(&self, _: VertexId, _: (VertexId, f64)) {}
}

/// Search for the first in-neighbor that is one step nearer.
struct First<'f>(PredecessorRepair<'f>);

impl Gather for First<'_> {
    type Sum = (f64, VertexId);

    fn begin(&self, vertex: VertexId) -> (f64, VertexId) {
        (self.0.distance(vertex), UNREACHED)
    }

    fn gather(&self, (far, first): &mut (f64, VertexId), piece: Neighbors<'_>) {
        if *first != UNREACHED || !far.is_finite() {
            return;
        }
        let nearer = |source: VertexId| self.0.distance(source) + 1.0 == *far;
        let found = piece.ids().iter().copied().find(|source| nearer(*source));
        *first = found.unwrap_or(*first);
    }

    fn apply(&self, vertex: VertexId, (_, first): Self::Sum) {
        self.0.predecessor[vertex as usize].store(first, Relaxed);
    }
}
