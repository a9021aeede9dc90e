//! `raw32`: four bytes per ID, little-endian.

use super::ascending::{Malformed, ascends};
use outcrop_types::{VertexId, length_from};
use std::ops::ControlFlow;

/// Appends `ids` unencoded.
pub(super) fn encode(ids: &[VertexId], into: &mut Vec<u8>) {
    into.extend_from_slice(bytemuck::cast_slice(ids));
}

/// See [`super::Codec::decode`]; passes all IDs at once, in place.
#[inline]
pub(super) fn decode(
    bytes: &[u8],
    length: usize,
    count: u32,
    limit: u32,
    mut take: impl FnMut(&[VertexId]) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, Malformed> {
    let bytes = bytes.get(..length).ok_or(Malformed)?;
    let ids: &[VertexId] = bytemuck::try_cast_slice(bytes).map_err(|_| Malformed)?;
    let below = ids.last().is_some_and(|last| *last < limit);
    if length_from(ids.len()) != u64::from(count) || !below || !ascends(0, ids) {
        return Err(Malformed);
    }
    Ok(take(ids))
}
