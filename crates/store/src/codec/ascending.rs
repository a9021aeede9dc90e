//! Ascending ids, which every list has, and bytes that are malformed.

use outcrop_types::VertexId;

/// Bytes that are no encoding of the list that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed;

/// True if `ids` ascend from `previous` on.
#[inline]
pub(super) fn ascends(previous: VertexId, ids: &[VertexId]) -> bool {
    // Default: of no ids, none are later.
    let later = ids.get(1..).unwrap_or_default();
    // Looked at to the end even where an early pair fails: without branches, several pairs are compared at once.
    let inside = ids.iter().zip(later).fold(true, |ascends, (one, next)| ascends & (one <= next));
    inside && ids.first().is_none_or(|first| previous <= *first)
}
