//! Log entry of a message: `<destination, message>` (section V.A), as bytes without padding.

use outcrop_engine::Plain;
use outcrop_types::VertexId;

/// Bytes per destination.
pub(super) const ID_BYTES: usize = size_of::<VertexId>();

/// Returns the bytes per entry.
pub(super) const fn entry_bytes<M>() -> usize {
    ID_BYTES + size_of::<M>()
}

/// Writes an entry to `place`, which has the right length.
#[inline(always)]
pub(super) fn put<M: Plain>(place: &mut [u8], to: VertexId, message: &M) {
    let (id, rest) = place.split_at_mut(ID_BYTES);
    id.copy_from_slice(&to.to_ne_bytes());
    rest.copy_from_slice(bytemuck::bytes_of(message));
}

/// Returns the destination of an entry.
#[inline(always)]
pub(super) fn destination(entry: &[u8]) -> VertexId {
    entry.first_chunk().map_or(VertexId::MAX, |id| VertexId::from_ne_bytes(*id))
}

/// Returns the message of an entry.
#[inline(always)]
pub(super) fn message<M: Plain>(entry: &[u8]) -> M {
    bytemuck::pod_read_unaligned(&entry[ID_BYTES..])
}
