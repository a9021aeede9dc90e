//! Place of a vertex's list.

use crate::access::StoredNeighbors;
use outcrop_types::VertexId;

/// Place of a vertex's list.
#[derive(Clone, Copy, Debug)]
pub enum Place<'i> {
    /// Empty list.
    Empty,
    /// List of a mini vertex, in the index.
    Mini(StoredNeighbors<'i>),
    /// Chunk with the list, in the order of the file.
    Chunk(u32),
}

/// First neighbor of a vertex.
#[derive(Clone, Copy, Debug)]
pub enum First {
    /// No neighbor.
    None,
    /// First neighbor.
    Neighbor(VertexId),
    /// Number of the list, among those in chunks, whose first neighbor it is.
    Located(u32),
}
