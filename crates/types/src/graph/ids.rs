//! Vertex ids, edge indexes and the lossless conversions between counts and slice positions.

use serde::{Deserialize, Serialize};

/// A vertex inside a store: dense, `0..n`. The user's own ids are kept apart and come back in results.
pub type VertexId = u32;

/// A position among the edges of a graph.
pub type EdgeIndex = u64;

/// The largest number of vertices of one store: the two highest ids stay free as marks.
pub const MAX_VERTICES: u64 = u32::MAX as u64 - 1;

/// End of the edges that a vertex's list holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// The targets of the edges that leave a vertex.
    Out,
    /// The sources of the edges that reach a vertex.
    In,
}

impl Direction {
    /// `out` or `in`, as written in file names and messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Out => "out",
            Self::In => "in",
        }
    }

    /// The other one.
    #[must_use]
    pub const fn opposite(self) -> Self {
        match self {
            Self::Out => Self::In,
            Self::In => Self::Out,
        }
    }
}

/// The vertices `start..end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct VertexRange {
    /// The first vertex of the range.
    pub start: VertexId,
    /// The first vertex behind the range.
    pub end: VertexId,
}

impl VertexRange {
    /// The vertices `start..end`; empty where `end <= start`.
    pub const fn new(start: VertexId, end: VertexId) -> Self {
        Self { start, end }
    }

    /// Number of vertices in the range.
    pub const fn len(self) -> usize {
        self.end.saturating_sub(self.start) as usize
    }

    /// True if the range is empty.
    pub const fn is_empty(self) -> bool {
        self.end <= self.start
    }

    /// True if `vertex` is in the range.
    pub const fn contains(self, vertex: VertexId) -> bool {
        self.start <= vertex && vertex < self.end
    }

    /// The vertices in ascending order.
    pub fn iter(self) -> std::ops::Range<VertexId> {
        self.start..self.end
    }

    /// The vertices in stretches of `length`, the last of which may be shorter.
    pub fn split(self, length: u32) -> impl Iterator<Item = Self> + Clone {
        let stretch = move |start: VertexId| Self::new(start, start.saturating_add(length).min(self.end));
        self.iter().step_by(length.max(1) as usize).map(stretch)
    }
}

/// A count or id as a slice position; lossless on the 64-bit targets that this crate insists on.
#[inline]
pub const fn index_from(count: u64) -> usize {
    count as usize
}

/// A slice length as a count; lossless on the 64-bit targets that this crate insists on.
#[inline]
pub const fn length_from(length: usize) -> u64 {
    length as u64
}

/// A number as one of fewer bits that is known to hold it, such as a place among vertices.
///
/// # Panics
/// It does not fit, which is a mistake of the caller: a wrong number would be a wrong answer.
#[inline]
pub fn number_from<N>(number: impl TryInto<N>) -> N {
    number.try_into().unwrap_or_else(|_| unreachable!("a number does not fit its type"))
}
