//! The order of original ids, and the mark of a vertex that was not reached.

use outcrop_types::{VertexId, VertexValues};

/// The mark of a vertex that was not reached, in values that are ranks or counts.
pub const UNREACHED: u32 = u32::MAX;

/// The rank of each vertex among the original ids; `None` in original order, where it is the vertex's number.
#[derive(Clone, Copy, Debug)]
pub struct IdOrder<'r>(pub Option<&'r VertexValues<u32>>);

impl IdOrder<'_> {
    /// The rank of `vertex`.
    #[inline]
    pub fn of(self, vertex: VertexId) -> u32 {
        match self.0 {
            None => vertex,
            Some(ranks) => ranks[vertex as usize],
        }
    }

    /// True if ranks ascend with vertices.
    pub const fn ascending(self) -> bool {
        self.0.is_none()
    }
}
