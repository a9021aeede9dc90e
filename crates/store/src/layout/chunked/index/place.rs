//! Location of a vertex's list.

use crate::access::StoredNeighbors;
use outcrop_types::VertexId;

/// Location of a vertex's list.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place<'i> {
    /// Empty list.
    Empty,
    /// List of a mini vertex, in the index.
    Mini(StoredNeighbors<'i>),
    /// Number of the chunk with the list, in file order.
    Chunk(u32),
}

/// First neighbor of a vertex.
#[derive(Clone, Copy, Debug)]
pub(crate) enum First {
    /// No neighbor.
    None,
    /// First neighbor.
    Neighbor(VertexId),
    /// Number of the list among the chunked lists, whose first neighbor it is.
    Located(u32),
}
