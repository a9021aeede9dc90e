//! Check that IDs ascend, as in every list, and the error for malformed bytes.

use outcrop_types::VertexId;

/// Error: the bytes are not an encoding of the requested list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed;

/// Returns true if `ids` ascend and are at least `previous`.
#[inline]
pub(super) fn ascends(previous: VertexId, ids: &[VertexId]) -> bool {
    // Default: an empty list has no later IDs.
    let later = ids.get(1..).unwrap_or_default();
    // Checks all pairs even after a mismatch: without branches, the loop is vectorized.
    let inside = ids.iter().zip(later).fold(true, |ascends, (one, next)| ascends & (one <= next));
    inside && ids.first().is_none_or(|first| previous <= *first)
}
