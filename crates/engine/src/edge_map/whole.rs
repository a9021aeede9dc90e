//! Visits within sweeps: of some vertices, and past all others.

use outcrop_store::access::{Neighbours, Visit};
use outcrop_types::{BitSet, VertexId};
use std::ops::ControlFlow;

/// Those of a visit that are members.
pub(super) struct Among<'v, V> {
    pub(super) members: &'v BitSet,
    pub(super) visit: &'v V,
}

impl<V: Visit> Visit for Among<'_, V> {
    type Fold = V::Fold;

    fn wants(&self, vertex: VertexId) -> bool {
        self.members.contains(vertex) && self.visit.wants(vertex)
    }

    fn begin(&self, vertex: VertexId) -> V::Fold {
        self.visit.begin(vertex)
    }

    #[inline]
    fn neighbours(&self, vertex: VertexId, fold: &mut V::Fold, piece: Neighbours<'_>) -> ControlFlow<()> {
        self.visit.neighbours(vertex, fold, piece)
    }

    fn end(&self, vertex: VertexId, fold: V::Fold) {
        self.visit.end(vertex, fold);
    }
}

/// Reads everything, and visits what is wanted of it: what systems do that know no other way (LOSC, section 3.6).
pub(super) struct Whole<'v, V>(pub(super) &'v V);

impl<V: Visit> Visit for Whole<'_, V> {
    /// Nothing where the list is not wanted.
    type Fold = Option<V::Fold>;

    fn selective(&self) -> bool {
        false
    }

    fn begin(&self, vertex: VertexId) -> Option<V::Fold> {
        self.0.wants(vertex).then(|| self.0.begin(vertex))
    }

    #[inline]
    fn neighbours(&self, vertex: VertexId, fold: &mut Option<V::Fold>, piece: Neighbours<'_>) -> ControlFlow<()> {
        fold.as_mut().map_or(ControlFlow::Break(()), |fold| self.0.neighbours(vertex, fold, piece))
    }

    fn end(&self, vertex: VertexId, fold: Option<V::Fold>) {
        if let Some(fold) = fold {
            self.0.end(vertex, fold);
        }
    }
}
