//! The bytes of a page of a `csr` edge file.

use super::settings::CsrSettings;
use crate::access::Neighbours;
use crate::component::UNIT_HEADER_BYTES;
use outcrop_types::{Direction, VertexId, index_from, length_from};
use std::ops::Range;

/// An interval is closed once it has this many list entries.
pub const INTERVAL_ARCS: u64 = 1 << 22;

/// The component with the lists of `direction`.
pub fn edges_name(direction: Direction) -> String {
    format!("{}.edges", direction.name())
}

/// How many list entries a page carries, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListGeometry {
    weighted: bool,
    settings: CsrSettings,
    entries: u64,
    /// 2^64 / `entries`, rounded up.
    reciprocal: u64,
}

impl ListGeometry {
    /// An edge file has at most so many, which is 1 PiB without weights. The quotient by a reciprocal is right for all of them: as the
    /// reciprocal is less than 1 too large, the quotient is less than 2^-16 too large, and no page has 2^16 entries.
    pub const MAX_SLOTS: u64 = 1 << 48;

    /// Of a store with or without weights, whose settings are valid.
    pub const fn new(weighted: bool, settings: CsrSettings) -> Self {
        let entries = length_from(settings.page() - UNIT_HEADER_BYTES) / if weighted { 8 } else { 4 };
        // No number of entries is a power of two.
        Self { weighted, settings, entries, reciprocal: u64::MAX / entries + 1 }
    }

    /// What was chosen.
    pub const fn settings(self) -> CsrSettings {
        self.settings
    }

    /// Bytes of a page.
    #[inline]
    pub const fn page_bytes(self) -> usize {
        self.settings.page()
    }

    /// The pages of a file that needs so many.
    pub const fn file_pages(self, pages: u64) -> u64 {
        pages.next_multiple_of(self.settings.pages_multiple())
    }

    /// Whether entries have weights.
    pub const fn weighted(self) -> bool {
        self.weighted
    }

    /// List entries of one page: of 4096 bytes 1022 without weights, 511 with.
    #[inline]
    pub const fn entries(self) -> u64 {
        self.entries
    }

    /// Page and position in it of list entry `slot`, which is below [`ListGeometry::MAX_SLOTS`].
    #[inline]
    pub fn place(self, slot: u64) -> (u64, usize) {
        // Multiplying by the reciprocal takes as long as dividing by a constant, and half as long as dividing by a variable.
        let product = u128::from(slot) * u128::from(self.reciprocal);
        let page = u64::try_from(product >> 64).unwrap_or(u64::MAX);
        (page, index_from(slot - page * self.entries))
    }

    /// The bytes of a page's `count` entries from position `first` on: their ids, and their weights.
    #[inline]
    pub fn bytes(self, first: usize, count: usize) -> [Range<usize>; 2] {
        let ids = UNIT_HEADER_BYTES + 4 * first;
        let weights = UNIT_HEADER_BYTES + 4 * (index_from(self.entries) + first);
        let weighted = if self.weighted { 4 * count } else { 0 };
        [ids..ids + 4 * count, weights..weights + weighted]
    }

    /// The entries of a page's payload as typed slices; `None` where the payload has another size or alignment.
    #[inline]
    pub fn view(self, payload: &[u8]) -> Option<(&[VertexId], Option<&[f32]>)> {
        if !self.weighted {
            return bytemuck::try_cast_slice(payload).ok().map(|ids| (ids, None));
        }
        let (ids, weights) = payload.split_at_checked(payload.len() / 2)?;
        Some((bytemuck::try_cast_slice(ids).ok()?, Some(bytemuck::try_cast_slice(weights).ok()?)))
    }

    /// `count` entries of a page's payload from position `first` on; empty where the payload does not have them.
    #[inline]
    pub fn piece(self, payload: &[u8], first: usize, count: usize) -> Neighbours<'_> {
        let Some((ids, weights)) = self.view(payload) else { return Neighbours::new(&[], None) };
        let ids = ids.get(first..first + count).unwrap_or_default();
        Neighbours::new(ids, weights.and_then(|weights| weights.get(first..first + count)))
    }

    /// Whether every entry of a payload is a neighbour that exists with a weight that is a number: a page with a right checksum
    /// may still be hostile.
    pub fn plausible(self, payload: &[u8], vertices: u32) -> bool {
        let Some((ids, weights)) = self.view(payload) else { return false };
        let largest = ids.iter().copied().fold(0, u32::max);
        let finite = weights.is_none_or(|weights| weights.iter().all(|weight| weight.is_finite()));
        length_from(ids.len()) == self.entries() && largest < vertices && finite
    }
}

#[cfg(target_endian = "big")]
compile_error!("stores are little-endian and are read in place");

#[cfg(test)]
mod tests {
    use super::*;

    /// All sizes of pages, without and with weights.
    fn geometries() -> impl Iterator<Item = ListGeometry> {
        let sizes = (9..=16).map(|bits| CsrSettings { page_bytes: 1 << bits });
        sizes.flat_map(|settings| [false, true].map(|weighted| ListGeometry::new(weighted, settings)))
    }

    #[test]
    fn a_page_of_4096_bytes_holds_as_many_entries_as_ever() {
        let settings = CsrSettings::default();
        assert_eq!(ListGeometry::new(false, settings).entries(), 1022);
        assert_eq!(ListGeometry::new(true, settings).entries(), 511);
    }

    #[test]
    fn places_are_quotients_and_remainders() {
        let mut state = 1_u64;
        for geometry in geometries() {
            let entries = geometry.entries();
            let whole = geometry.bytes(0, index_from(entries));
            assert_eq!(whole[0].end.max(whole[1].end), geometry.page_bytes());
            let last = ListGeometry::MAX_SLOTS - 1;
            let ends = [0, 1, last, last / entries * entries, last / entries * entries - 1];
            for round in 0..3000 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let drawn = state >> 16;
                let slots = [drawn, drawn / entries * entries, (drawn / entries * entries).saturating_sub(1), round];
                for slot in slots.into_iter().chain(ends) {
                    assert_eq!(
                        geometry.place(slot),
                        (slot / entries, index_from(slot % entries)),
                        "{geometry:?} {slot}"
                    );
                }
            }
        }
    }

    #[test]
    fn files_end_at_a_multiple_of_4096_bytes() {
        for geometry in geometries() {
            for pages in 0..40 {
                let whole = geometry.file_pages(pages);
                let bytes = index_from(whole) * geometry.page_bytes();
                assert!(bytes.is_multiple_of(4096) && (pages..pages + 8).contains(&whole));
            }
        }
    }
}
