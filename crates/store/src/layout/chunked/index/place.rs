//! Place of a vertex's list.

use crate::access::StoredNeighbours;
use outcrop_types::VertexId;

/// Place of a vertex's list.
#[derive(Clone, Copy, Debug)]
pub enum Place<'i> {
    /// Empty list.
    Empty,
    /// List of a mini vertex, in the index.
    Mini(StoredNeighbours<'i>),
    /// Chunk with the list, in the order of the file.
    Chunk(u32),
}

/// First neighbour of a vertex.
#[derive(Clone, Copy, Debug)]
pub enum First {
    /// No neighbor.
    None,
    /// First neighbor.
    Neighbour(VertexId),
    /// Number of the list, among those in chunks, whose first neighbor it is.
    Located(u32),
}
