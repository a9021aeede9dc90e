//! Shortest path by the sum of weights.
//!
//! Definition: a path from a source to a target with the smallest sum of weights, which must not be negative.
//!
//! Paper: delta-stepping (Meyer and Sanders, Journal of Algorithms 2003), which stops at the end of the bucket of the
//! target.
//!
//! Returns: the ranks of the vertices of the path, and `distance`; no vertices and null if there is no path.
//!
//! Memory: that of `sssp` with predecessors, and in stores of another order the ranks and the vertices of ranks
//! (8 bytes per vertex).
//!
//! Passes over the edges: those of `sssp` up to the distance of the target.
//!
//! Deviations: predecessors are those of `sssp`, so the result does not depend on threads, order or layout.

use super::found::{self, Ends};
use crate::outcome::{Outcome, Scalar};
use crate::sssp::edge_map::Relax;
use crate::sssp::predecessors::predecessors;
use crate::sssp::{BucketWidth, edge_map, width};
use crate::weights::RefusedEdge;
use crate::{AtomicFloat, IdOrder};
use outcrop_engine::Engine;
use outcrop_types::{Error, MemoryPlan, Purpose, Result, VertexValues};
use std::sync::atomic::AtomicU64;

/// Returns the memory for `vertices` vertices, without frontiers and the indexes.
pub(super) fn memory(vertices: u32) -> MemoryPlan {
    let inverse = VertexValues::<u32>::bytes(vertices.into());
    edge_map::memory::<AtomicU64>(vertices, true).and(&found::memory(vertices)).with(Purpose::VertexValues, inverse)
}

/// Searches for a path between two ends.
///
/// # Errors
///
/// Returns an error under the same conditions as [`edge_map::sssp`].
pub(super) fn path(
    engine: &Engine<'_>,
    Ends { source, target }: Ends,
    ranks: IdOrder<'_>,
    refuse: impl Fn(RefusedEdge) -> Error,
) -> Result<Outcome> {
    let relax = Relax::<AtomicU64>::new(engine)?.until(target);
    let frontier = relax.begin(engine, &[source]);
    let width = width::of(engine, BucketWidth::Auto)?;
    let iterations = relax.lower(engine, frontier, width, false, &refuse)?;
    let distance = AtomicFloat::load(&relax.distance[target as usize]);
    if distance.is_infinite() {
        relax.check_beyond(engine, &refuse)?;
        return Ok(found::outcome(found::blank(engine, 0)?, Scalar::number("distance", None), iterations));
    }
    let before = predecessors(engine, &relax.distance, &[source], ranks, distance)?;
    drop(relax);
    let order = ranks.inverse(engine)?;
    let before = |vertex: &u32| (*vertex != source).then(|| order.of(before[*vertex as usize]));
    let backward = || std::iter::successors(Some(target), before);
    let mut path = found::blank(engine, backward().count())?;
    path.iter_mut().rev().zip(backward()).for_each(|(rank, vertex)| *rank = ranks.of(vertex));
    Ok(found::outcome(path, Scalar::number("distance", distance), iterations))
}
