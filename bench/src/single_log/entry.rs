//! Log entries: a destination, followed by a message.

/// Bytes of a destination, at the start of an entry.
pub(super) const ID_BYTES: usize = size_of::<u32>();

/// Returns the destination of an entry.
pub(super) fn destination(entry: &[u8]) -> u32 {
    entry.first_chunk().map_or(u32::MAX, |id| u32::from_ne_bytes(*id))
}
