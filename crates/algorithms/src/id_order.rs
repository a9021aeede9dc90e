//! The order of original ids, and the mark of a vertex that was not reached.

use outcrop_store::access::Workers;
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

    /// The rank of `vertex`, which may be [`UNREACHED`] and stays so.
    #[inline]
    pub fn of_reached(self, vertex: VertexId) -> u32 {
        if vertex == UNREACHED { UNREACHED } else { self.of(vertex) }
    }

    /// Turns vertices, or [`UNREACHED`], into their ranks, with all workers.
    pub(crate) fn rank(self, vertices: &mut [u32], workers: &Workers) {
        if self.0.is_some() {
            workers.for_each_value(vertices, |_, vertex| *vertex = self.of_reached(*vertex));
        }
    }
}
