//! Source of the positions of lists: all in memory, or those of one window of vertices after the other.

use super::index::ListIndex;
use crate::access::Reads;
use outcrop_types::{Cancellation, Result, VertexId, VertexRange, VertexSet, number_from};
use std::ops::Range;

/// The positions of all lists.
pub(crate) enum Index {
    /// Index of all lists in memory.
    Resident(ListIndex),
    /// Index that is read when needed.
    Streamed(Box<dyn WindowedIndex>),
}

/// An index on disk, of which one window at a time is in memory.
pub(crate) trait WindowedIndex: Send + Sync {
    /// Has `cancellation` stop what is read from now on.
    fn stopped_by(&mut self, cancellation: &Cancellation);

    /// Number of vertices of the graph.
    fn vertices(&self) -> u32;

    /// The window to read for what is wanted of `range`, which is not empty: it has the first vertex of the range, and
    /// as many of the others as there is room for.
    fn window(&self, range: VertexRange) -> VertexRange;

    /// Reads that [`WindowedIndex::with`] would make for `window`.
    fn reads(&self, window: VertexRange) -> Reads;

    /// The vertices around `vertex` of which it is known without reading where their lists lie together, and where that
    /// is.
    fn neighborhood(&self, vertex: VertexId) -> (VertexRange, Range<u64>);

    /// Reads `window`, unless that is what was read last, and does `work` with it.
    ///
    /// # Errors
    /// The index is damaged or cannot be read; what `work` returns; interruption.
    fn with(&self, window: VertexRange, work: &mut dyn FnMut(&ListIndex) -> Result<()>) -> Result<()>;
}

impl Index {
    /// Number of vertices of the graph.
    pub(crate) fn vertices(&self) -> u32 {
        match self {
            Self::Resident(index) => index.range().end,
            Self::Streamed(windows) => windows.vertices(),
        }
    }
}

/// The first member of `set` at or behind `vertex`.
pub(super) fn member_from(set: &VertexSet, vertex: VertexId) -> Option<VertexId> {
    match set {
        VertexSet::Sparse { members, .. } => members.get(members.partition_point(|member| *member < vertex)).copied(),
        VertexSet::Dense { bits, .. } => bits.iter_range(VertexRange::new(vertex, set.universe())).next(),
    }
}

/// Wanted rest of `set` from `vertex` on: the vertices from the next member to behind the last; `None` where there is
/// none.
pub(super) fn rest_of(set: &VertexSet, vertex: VertexId) -> Option<VertexRange> {
    let first = member_from(set, vertex)?;
    let end = match set {
        VertexSet::Sparse { members, .. } => members.last().map_or(first, |last| *last).saturating_add(1),
        VertexSet::Dense { .. } => set.universe(),
    };
    Some(VertexRange::new(first, end))
}

/// The positions in `set` of its members in `range`.
pub(super) fn positions_in(set: &VertexSet, range: VertexRange) -> VertexRange {
    match set {
        VertexSet::Sparse { members, .. } => {
            let before = |end: VertexId| members.partition_point(|member| *member < end);
            let position = |end| number_from(before(end));
            VertexRange::new(position(range.start), position(range.end))
        }
        VertexSet::Dense { .. } => range,
    }
}
