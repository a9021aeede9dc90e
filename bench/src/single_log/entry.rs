//! Entries of a log: a destination, then a message.

/// Bytes of a destination, at the beginning of an entry.
pub(super) const ID_BYTES: usize = size_of::<u32>();

/// Destination of an entry.
pub(super) fn destination(entry: &[u8]) -> u32 {
    entry.first_chunk().map_or(u32::MAX, |id| u32::from_ne_bytes(*id))
}
