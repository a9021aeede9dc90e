//! Encoded differences of a tail, and the size of the decoding buffer.

use outcrop_types::{VertexId, length_from};

/// Maximum number of differences of a tail.
pub(super) const MOST: usize = 127;
/// Size of the decoding buffer: groups of four are written as a whole.
pub(super) const ROOM: usize = MOST.next_multiple_of(4);
/// Start of the IDs of the tail in a buffer that starts with another ID, so that groups of four are aligned.
pub(crate) const LEAD: usize = 4;

/// Encoded differences.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tail<'b> {
    /// Bytes from the first control byte on; may extend beyond `length`.
    pub bytes: &'b [u8],
    /// Exact number of bytes of the tail.
    pub length: usize,
    /// Number of differences.
    pub deltas: usize,
    /// Previous ID.
    pub previous: VertexId,
}

/// Returns true if the unused bits of the last control byte are 0.
#[inline]
pub(super) fn canonical(last_control: u8, deltas: usize) -> bool {
    let used = 2 * (length_from(deltas) % 4);
    used == 0 || u64::from(last_control) >> used == 0
}
