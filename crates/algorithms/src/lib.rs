//! Graph algorithms over outcrop's engines, one file each. No I/O, no timing, no printing in here.
#![forbid(unsafe_code)]

mod atomic_float;
pub mod bc;
pub mod clustering;
mod dangling;
pub mod gas;
pub mod interval;
pub mod kcore;
mod mass;
pub mod messages;
mod oriented;
mod outcome;
pub mod pagerank;
pub mod pagerank_delta;
pub mod ppr;
mod predecessors;
mod push;
mod ranking;
pub mod registry;
pub mod sampling;
pub mod scc;
pub mod search;
pub mod spmv;
pub mod sssp;
pub mod triangles;
pub mod wcc;

pub use atomic_float::AtomicFloat;
pub use outcome::{Column, Convergence, HeldBytes, Outcome, Scalar, ScalarValue, Values};
pub use outcrop_io::ValueFile;
pub use registry::{Algorithm, Parameter, Specification};
pub use search::{Components, apsp, bfs, diameter, eccentricity, radii};

use outcrop_types::{VertexId, VertexValues};

/// The mark of a vertex that was not reached, in values that are ranks or counts.
pub const UNREACHED: u32 = u32::MAX;

/// The rank of each vertex among the original ids; `None` in original order, where it is the vertex's number.
#[derive(Clone, Copy, Debug)]
pub struct Ranks<'r>(pub Option<&'r VertexValues<u32>>);

impl Ranks<'_> {
    /// The rank of `vertex`.
    #[inline]
    pub fn of(self, vertex: VertexId) -> u32 {
        match self.0 {
            None => vertex,
            Some(ranks) => ranks[vertex as usize],
        }
    }

    /// Whether ranks ascend with vertices.
    pub const fn ascending(self) -> bool {
        self.0.is_none()
    }
}
