//! Place of a vertex's list.

use crate::access::StoredNeighbours;

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
