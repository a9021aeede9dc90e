//! Order of original IDs, and the marker for unreached vertices.

use outcrop_store::access::Workers;
use outcrop_types::{VertexId, VertexValues};

/// Marker for an unreached vertex, in values that are ranks or counts.
pub const UNREACHED: u32 = u32::MAX;

/// Rank of each vertex among the original IDs; `None` in original order, where it is the vertex's number.
#[derive(Clone, Copy, Debug)]
pub struct IdOrder<'r>(pub Option<&'r VertexValues<u32>>);

impl IdOrder<'_> {
    /// Returns the rank of `vertex`.
    #[inline]
    pub fn of(self, vertex: VertexId) -> u32 {
        match self.0 {
            None => vertex,
            Some(ranks) => ranks[vertex as usize],
        }
    }

    /// Returns the rank of `vertex`; maps [`UNREACHED`] to itself.
    #[inline]
    pub fn of_reached(self, vertex: VertexId) -> u32 {
        if vertex == UNREACHED { UNREACHED } else { self.of(vertex) }
    }

    /// Replaces vertices by their ranks, in parallel; keeps [`UNREACHED`].
    pub(crate) fn rank(self, vertices: &mut [u32], workers: &Workers) {
        if self.0.is_some() {
            workers.for_each_value(vertices, |_, vertex| *vertex = self.of_reached(*vertex));
        }
    }
}
