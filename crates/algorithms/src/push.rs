//! Goes through the lists of some vertices, in either direction.

use outcrop_store::access::{Adjacency, Neighbours, Visit};
use outcrop_types::{Result, VertexId, VertexRange, VertexSet};
use std::ops::ControlFlow;

/// Calls `at_edge` with each vertex of `frontier` and each entry of its list, all workers at once.
pub(crate) fn push<A: Adjacency>(
    lists: &A,
    frontier: &VertexSet,
    at_edge: &(impl Fn(VertexId, VertexId) + Sync),
) -> Result<()> {
    if frontier.len() == frontier.universe() as usize {
        return lists.sweep(VertexRange::new(0, frontier.universe()), &Push(at_edge));
    }
    lists.select(frontier, &Push(at_edge))
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
