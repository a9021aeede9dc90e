//! The vertices of a batch, and their positions in it.

use outcrop_types::{VertexId, VertexRange, VertexSet};

/// Vertices whose lists are held at the same time.
pub(super) enum Batch<'b> {
    /// The members of a set that lie in a range.
    Range(&'b VertexSet, VertexRange),
    /// A set of few vertices, all of them.
    Members(&'b [VertexId]),
}

impl Batch<'_> {
    /// The position of a vertex of the batch.
    #[inline]
    pub(super) fn position(&self, vertex: VertexId) -> usize {
        match self {
            Self::Range(_, range) => (vertex - range.start) as usize,
            Self::Members(members) => members.binary_search(&vertex).unwrap_or(0),
        }
    }

    /// True if `vertex` is in the batch; only asked for vertices of the range.
    #[inline]
    pub(super) fn contains(&self, vertex: VertexId) -> bool {
        match self {
            Self::Range(set, _) => set.len() == set.universe() as usize || set.contains(vertex),
            Self::Members(_) => true,
        }
    }
}
