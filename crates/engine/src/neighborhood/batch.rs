//! Vertices of a batch, and their positions in it.

use outcrop_types::{VertexId, VertexRange, VertexSet};

/// Vertices whose lists are in memory at the same time.
pub(super) enum Batch<'b> {
    /// Members of a set that are in a range.
    Range(&'b VertexSet, VertexRange),
    /// Every member of a small set.
    Members(&'b [VertexId]),
}

impl Batch<'_> {
    /// Returns the position of a vertex of the batch.
    #[inline]
    pub(super) fn position(&self, vertex: VertexId) -> usize {
        match self {
            Self::Range(_, range) => (vertex - range.start) as usize,
            Self::Members(members) => members.binary_search(&vertex).unwrap_or(0),
        }
    }

    /// Returns true if `vertex`, which must be in the range, is in the batch.
    #[inline]
    pub(super) fn contains(&self, vertex: VertexId) -> bool {
        match self {
            Self::Range(set, _) => set.len() == set.universe() as usize || set.contains(vertex),
            Self::Members(_) => true,
        }
    }
}
