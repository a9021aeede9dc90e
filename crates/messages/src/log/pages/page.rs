//! A page of a log. On disk it starts with 16 bytes:
//!
//! ```text
//! 0   u32   interval
//! 4   u32   bytes of entries
//! 8   u64   XXH3-64 of the entries, seeded with the log, the place in the file, and the bytes before
//! 16  entries
//! ```
//!
//! A lost, moved or stale page fails the check like a page with changed bits.

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Size of the header in bytes.
pub(crate) const HEADER_BYTES: usize = 16;

/// Page in memory, or a placeholder for one.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// Empty for a placeholder.
    pub(crate) bytes: Box<[u8]>,
    /// Number of bytes in use, including the header.
    pub(crate) used: usize,
}

impl Page {
    pub(super) fn new(page_bytes: usize) -> Self {
        Self { bytes: vec![0; page_bytes].into_boxed_slice(), used: HEADER_BYTES }
    }

    /// Returns true if this is a placeholder or a page without entries.
    pub(crate) const fn is_empty(&self) -> bool {
        self.used <= HEADER_BYTES
    }

    /// Returns the entries.
    pub(crate) fn entries(&self) -> &[u8] {
        if self.bytes.is_empty() { &[] } else { &self.bytes[HEADER_BYTES..self.used] }
    }

    pub(super) const fn clear(&mut self) {
        self.used = HEADER_BYTES;
    }

    /// Moves the entries of `other` to the end of this page if they fit.
    pub(super) fn absorb(&mut self, other: &mut Self) -> bool {
        let entries = other.entries();
        let end = self.used + entries.len();
        let Some(room) = self.bytes.get_mut(self.used..end) else { return false };
        room.copy_from_slice(entries);
        self.used = end;
        other.clear();
        true
    }

    /// Writes the header, with the `serial` number of the log and the `place` in the file.
    pub(super) fn seal(&mut self, interval: u32, serial: u64, place: u32) {
        let length = (self.used - HEADER_BYTES) as u32;
        let sum = xxh3_64_with_seed(self.entries(), seed(interval, length, serial, place));
        self.bytes[..4].copy_from_slice(&interval.to_ne_bytes());
        self.bytes[4..8].copy_from_slice(&length.to_ne_bytes());
        self.bytes[8..HEADER_BYTES].copy_from_slice(&sum.to_ne_bytes());
    }
}

/// Returns the entries of a page from disk, or `None` if it is not the page written there.
pub(super) fn verified(bytes: &[u8], interval: u32, serial: u64, place: u32) -> Option<&[u8]> {
    let (header, entries) = bytes.split_first_chunk::<HEADER_BYTES>()?;
    let length = u32::from_ne_bytes(*header[4..].first_chunk()?);
    let sum = u64::from_ne_bytes(*header[8..].first_chunk()?);
    let entries = entries.get(..length as usize)?;
    let named = u32::from_ne_bytes(*header.first_chunk()?);
    let right = named == interval && sum == xxh3_64_with_seed(entries, seed(interval, length, serial, place));
    right.then_some(entries)
}

/// Returns the hash seed that distinguishes pages with the same entries.
const fn seed(interval: u32, length: u32, serial: u64, place: u32) -> u64 {
    const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
    let named = ((interval as u64) << 32) | length as u64;
    (serial.wrapping_mul(ODD) ^ place as u64).wrapping_mul(ODD) ^ named
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_known_again_and_no_other_is() {
        let mut page = Page::new(64);
        page.bytes[HEADER_BYTES..30].fill(7);
        page.used = 30;
        page.seal(3, 9, 5);
        assert_eq!(verified(&page.bytes, 3, 9, 5), Some(&[7_u8; 14][..]));
        assert!([(2, 9, 5), (3, 8, 5), (3, 9, 4)].iter().all(|(i, s, p)| verified(&page.bytes, *i, *s, *p).is_none()));
        for byte in 0..30 {
            page.bytes[byte] ^= 0x10;
            assert_eq!(verified(&page.bytes, 3, 9, 5), None, "{byte}");
            page.bytes[byte] ^= 0x10;
        }
    }

    #[test]
    fn entries_move_where_they_fit() {
        let (mut page, mut other) = (Page::new(32), Page::new(32));
        page.used = 24;
        other.used = 24;
        assert!(page.absorb(&mut other) && page.used == 32 && other.is_empty());
        other.used = 20;
        assert!(!page.absorb(&mut other) && other.used == 20);
    }
}
