//! Visits of some vertices within sweeps, past all others.

use outcrop_store::access::{Neighbours, Visit};
use outcrop_types::{BitSet, VertexId};
use std::ops::ControlFlow;

/// Those of a visit that are members.
pub(super) struct Among<'v, V> {
    pub(super) members: &'v BitSet,
    pub(super) visit: &'v V,
    /// Whether everything is read, and what is wanted of it visited: what systems do that know no other way (LOSC, section 3.6).
    pub(super) whole: bool,
}

impl<V: Visit> Among<'_, V> {
    fn visits(&self, vertex: VertexId) -> bool {
        self.members.contains(vertex) && self.visit.wants(vertex)
    }
}

impl<V: Visit> Visit for Among<'_, V> {
    /// Nothing where the list is not wanted.
    type Fold = Option<V::Fold>;

    fn selective(&self) -> bool {
        !self.whole
    }

    fn wants(&self, vertex: VertexId) -> bool {
        self.whole || self.visits(vertex)
    }

    fn begin(&self, vertex: VertexId) -> Option<V::Fold> {
        (!self.whole || self.visits(vertex)).then(|| self.visit.begin(vertex))
    }

    #[inline]
    fn neighbours(&self, vertex: VertexId, fold: &mut Option<V::Fold>, piece: Neighbours<'_>) -> ControlFlow<()> {
        fold.as_mut().map_or(ControlFlow::Break(()), |fold| self.visit.neighbours(vertex, fold, piece))
    }

    fn end(&self, vertex: VertexId, fold: Option<V::Fold>) {
        if let Some(fold) = fold {
            self.visit.end(vertex, fold);
        }
    }
}
