//! Place of a vertex's list.

use crate::access::StoredNeighbours;
use outcrop_types::VertexId;

/// Place of a vertex's list.
#[derive(Clone, Copy, Debug)]
pub enum Place<'i> {
    /// It has no entries.
    Empty,
    /// Here: a mini vertex.
    Mini(StoredNeighbours<'i>),
    /// In this chunk, in the order of the file.
    Chunk(u32),
}

/// First neighbour of a vertex.
#[derive(Clone, Copy, Debug)]
pub enum First {
    /// There is none.
    None,
    /// This vertex.
    Neighbour(VertexId),
    /// That of the list with this number among those in chunks.
    Located(u32),
}
