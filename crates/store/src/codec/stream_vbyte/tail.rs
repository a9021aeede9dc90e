//! The differences that a tail holds, and the room that they take.

use outcrop_types::{VertexId, length_from};

/// Differences of the longest tail.
pub(super) const MOST: usize = 127;
/// Room that decoding takes: whole fours are written.
pub(super) const ROOM: usize = MOST.next_multiple_of(4);
/// Start of the ids of the tail in a buffer that begins with another id, so that fours are aligned.
pub const LEAD: usize = 4;

/// Encoded differences.
#[derive(Clone, Copy, Debug)]
pub struct Tail<'b> {
    /// Bytes from the first control byte on; possibly more than `length`.
    pub bytes: &'b [u8],
    /// Bytes that the tail takes, no more and no less.
    pub length: usize,
    /// Number of differences.
    pub deltas: usize,
    /// The id before.
    pub previous: VertexId,
}

/// True if the places of the last control byte that stand for no difference are 0.
#[inline]
pub(super) fn canonical(last_control: u8, deltas: usize) -> bool {
    let used = 2 * (length_from(deltas) % 4);
    used == 0 || u64::from(last_control) >> used == 0
}
