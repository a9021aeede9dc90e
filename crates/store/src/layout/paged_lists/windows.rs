//! Positions of lists: all in memory, or one window of vertices at a time.

use super::index::ListIndex;
use crate::access::Reads;
use outcrop_types::{Cancellation, Result, VertexId, VertexRange, VertexSet};
use std::ops::Range;

/// Positions of all lists.
pub(crate) enum Index {
    /// Index in memory.
    Resident(ListIndex),
    /// Index read on demand.
    Streamed(Box<dyn WindowedIndex>),
}

/// Index on disk, with one window at a time in memory.
pub(crate) trait WindowedIndex: Send + Sync {
    /// Sets the `cancellation` that stops later reads.
    fn stopped_by(&mut self, cancellation: &Cancellation);

    /// Returns the number of vertices of the graph.
    fn vertices(&self) -> u32;

    /// Returns the window to read for the requested vertices of `range`, which is not empty: it contains the first
    /// vertex of the range, and as many of the others as fit in memory.
    fn window(&self, range: VertexRange) -> VertexRange;

    /// Returns the reads of [`WindowedIndex::with`] for `window`.
    fn reads(&self, window: VertexRange) -> Reads;

    /// Returns the vertices around `vertex` whose combined list extent is known without reading, and that extent.
    fn neighborhood(&self, vertex: VertexId) -> (VertexRange, Range<u64>);

    /// Reads `window`, unless it was the last one read, and calls `work` with it.
    ///
    /// # Errors
    /// Returns an error if the index is damaged or cannot be read, on interruption, or if `work` returns one.
    fn with(&self, window: VertexRange, work: &mut dyn FnMut(&ListIndex) -> Result<()>) -> Result<()>;
}

impl Index {
    /// Returns the number of vertices of the graph.
    pub(crate) fn vertices(&self) -> u32 {
        match self {
            Self::Resident(index) => index.range().end,
            Self::Streamed(windows) => windows.vertices(),
        }
    }
}

/// Returns the first member of `set` that is at least `vertex`.
pub(super) fn member_from(set: &VertexSet, vertex: VertexId) -> Option<VertexId> {
    match set {
        VertexSet::Sparse { members, .. } => members.get(members.partition_point(|member| *member < vertex)).copied(),
        VertexSet::Dense { bits, .. } => bits.iter_range(VertexRange::new(vertex, set.universe())).next(),
    }
}

/// Returns the requested rest of `set` from `vertex` on: the range from the next member to the last; `None` if it is
/// empty.
pub(super) fn rest_of(set: &VertexSet, vertex: VertexId) -> Option<VertexRange> {
    let first = member_from(set, vertex)?;
    let end = match set {
        VertexSet::Sparse { members, .. } => members.last().map_or(first, |last| *last).saturating_add(1),
        VertexSet::Dense { .. } => set.universe(),
    };
    Some(VertexRange::new(first, end))
}
