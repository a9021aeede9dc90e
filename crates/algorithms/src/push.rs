//! Goes through the lists of some vertices, in either direction.

use outcrop_engine::Engine;
use outcrop_store::access::{Adjacency, Neighbours, Visit};
use outcrop_types::{EdgeDirection, Result, VertexId, VertexSet};
use std::ops::ControlFlow;

/// Calls `at_edge` with each vertex of `frontier` and each entry of its list, all workers at once. The observer is told of a map.
pub(crate) fn push<A: Adjacency>(
    engine: &Engine<'_, A>,
    lists: &A,
    frontier: &VertexSet,
    at_edge: &(impl Fn(VertexId, VertexId) + Sync),
) -> Result<()> {
    engine.visit(lists, frontier, EdgeDirection::Push, &Push(at_edge))
}

struct Push<'p, F>(&'p F);

impl<F: Fn(VertexId, VertexId) + Sync> Visit for Push<'_, F> {
    type Fold = ();

    fn begin(&self, _: VertexId) {}

    #[inline]
    fn neighbours(&self, source: VertexId, (): &mut (), piece: Neighbours<'_>) -> ControlFlow<()> {
        piece.ids().iter().for_each(|target| (self.0)(source, *target));
        ControlFlow::Continue(())
    }

    fn end(&self, _: VertexId, (): ()) {}
}
