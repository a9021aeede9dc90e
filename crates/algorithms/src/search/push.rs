//! Iteration over the lists of some vertices, in either direction.

use outcrop_engine::Engine;
use outcrop_store::access::{Adjacency, FoldLists, Neighbors};
use outcrop_types::{EdgeDirection, Result, VertexId, VertexSet};
use std::ops::ControlFlow;

/// Calls `at_edge` with each vertex of `frontier` and each entry of its list, in parallel. Reports an edge map to the
/// observer.
pub(crate) fn push(
    engine: &Engine<'_>,
    lists: &dyn Adjacency,
    frontier: &VertexSet,
    at_edge: &(impl Fn(VertexId, VertexId) + Sync),
) -> Result<()> {
    engine.visit(lists, frontier, EdgeDirection::Push, &Push(at_edge))
}

struct Push<'p, F>(&'p F);

impl<F: Fn(VertexId, VertexId) + Sync> FoldLists for Push<'_, F> {
    type Fold = ();

    fn begin(&self, _: VertexId) {}

    #[inline]
    fn neighbors(&self, source: VertexId, (): &mut (), piece: Neighbors<'_>) -> ControlFlow<()> {
        piece.ids().iter().for_each(|target| (self.0)(source, *target));
        ControlFlow::Continue(())
    }

    fn end(&self, _: VertexId, (): ()) {}
}
