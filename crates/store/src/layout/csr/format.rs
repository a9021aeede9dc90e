//! Bytes of a page of a `csr` edge file.

use super::settings::CsrSettings;
use crate::access::{StoredNeighbors, StoredWeights};
use crate::component::UNIT_HEADER_BYTES;
use outcrop_types::{Direction, WeightType, index_from, length_from};
use std::ops::Range;

/// Number of list entries at which an interval is closed.
pub(crate) const INTERVAL_ARCS: u64 = 1 << 22;

/// Returns the name of the component with the lists of `direction`.
pub fn edges_name(direction: Direction) -> String {
    format!("{}.edges", direction.name())
}

/// Number of list entries per page, and their locations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListGeometry {
    weights: Option<WeightType>,
    settings: CsrSettings,
    entries: u64,
    /// 2^64 / `entries`, rounded up.
    reciprocal: u64,
}

impl ListGeometry {
    /// Maximum number of entry slots of an edge file, 1 PiB without weights. Up to this number, the quotient by the
    /// reciprocal is exact: the reciprocal is less than 1 too large, so the quotient is less than 2^-16 too large, and
    /// no page has 2^16 entries.
    pub(crate) const MAX_SLOTS: u64 = 1 << 48;

    /// Creates the geometry of a store with or without weights, from valid settings.
    pub(crate) const fn new(weights: Option<WeightType>, settings: CsrSettings) -> Self {
        let entries = length_from(settings.page() - UNIT_HEADER_BYTES) / (4 + WeightType::bytes_of(weights));
        // The number of entries is never a power of two.
        Self { weights, settings, entries, reciprocal: u64::MAX / entries + 1 }
    }

    /// Returns the settings.
    pub(crate) const fn settings(self) -> CsrSettings {
        self.settings
    }

    /// Returns the size of a page, in bytes.
    #[inline]
    pub(crate) const fn page_bytes(self) -> usize {
        self.settings.page()
    }

    /// Returns the number of pages of a file with `pages` used pages.
    pub(crate) const fn file_pages(self, pages: u64) -> u64 {
        pages.next_multiple_of(self.settings.pages_multiple())
    }

    /// Returns the weight type of a weighted graph.
    pub(crate) const fn weights(self) -> Option<WeightType> {
        self.weights
    }

    /// Returns the number of list entries per page: of 4096 bytes 1022 without weights, 511 with weights of 4 bytes.
    #[inline]
    pub(crate) const fn entries(self) -> u64 {
        self.entries
    }

    /// Returns the page of list entry `slot`, which is below [`ListGeometry::MAX_SLOTS`], and the position in that
    /// page.
    #[inline]
    pub(crate) fn place(self, slot: u64) -> (u64, usize) {
        // Multiplying by the reciprocal takes as long as dividing by a constant, and half as long as dividing by a
        // variable.
        let product = u128::from(slot) * u128::from(self.reciprocal);
        let page = (product >> 64) as u64;
        (page, index_from(slot - page * self.entries))
    }

    /// Returns the byte ranges of the IDs and weights of a page's `count` entries from position `first` on.
    #[inline]
    pub(crate) fn bytes(self, first: usize, count: usize) -> [Range<usize>; 2] {
        let ids = UNIT_HEADER_BYTES + 4 * first;
        let each = index_from(WeightType::bytes_of(self.weights));
        let weights = UNIT_HEADER_BYTES + 4 * index_from(self.entries) + each * first;
        [ids..ids + 4 * count, weights..weights + each * count]
    }

    /// Returns the entries of a page's payload, or `None` if its size or alignment is wrong.
    #[inline]
    fn view(self, payload: &[u8]) -> Option<StoredNeighbors<'_>> {
        let (ids, rest) = payload.split_at_checked(4 * index_from(self.entries))?;
        let weights = match self.weights {
            None => None,
            Some(kind) => Some(StoredWeights::new(kind, rest.get(..index_from(kind.bytes() * self.entries))?)),
        };
        Some(StoredNeighbors::new(bytemuck::try_cast_slice(ids).ok()?, weights))
    }

    /// Returns `count` entries of a page's payload from position `first` on, or an empty list if the payload is
    /// malformed.
    #[inline]
    pub(crate) fn piece(self, payload: &[u8], first: usize, count: usize) -> StoredNeighbors<'_> {
        self.view(payload).map_or(StoredNeighbors::EMPTY, |all| all.part(first..first + count))
    }

    /// Returns true if every entry of a payload is an existing neighbor with a finite weight: a page with a valid
    /// checksum may still be hostile.
    pub(crate) fn plausible(self, payload: &[u8], vertices: u32) -> bool {
        let Some(all) = self.view(payload) else { return false };
        let largest = all.ids().iter().copied().fold(0, u32::max);
        largest < vertices && all.weights().is_none_or(StoredWeights::are_finite)
    }
}

#[cfg(target_endian = "big")]
compile_error!("stores are little-endian and are read in place");

#[cfg(test)]
mod tests {
    use super::*;

    const WEIGHTS: [Option<WeightType>; 6] = {
        let [u8, u16, u32, f32, f64] = WeightType::ALL;
        [None, Some(u8), Some(u16), Some(u32), Some(f32), Some(f64)]
    };

    /// Returns all page sizes, without weights and with weights of each type.
    fn geometries() -> impl Iterator<Item = ListGeometry> {
        let sizes = (9..=16).map(|bits| CsrSettings { page_bytes: 1 << bits });
        sizes.flat_map(|settings| WEIGHTS.map(|weights| ListGeometry::new(weights, settings)))
    }

    #[test]
    fn a_page_of_4096_bytes_holds_as_many_entries_as_ever() {
        let settings = CsrSettings::default();
        assert_eq!(ListGeometry::new(None, settings).entries(), 1022);
        assert_eq!(ListGeometry::new(Some(WeightType::F32), settings).entries(), 511);
    }

    #[test]
    fn places_are_quotients_and_remainders() {
        let mut state = 1_u64;
        for geometry in geometries() {
            let entries = geometry.entries();
            let whole = geometry.bytes(0, index_from(entries));
            let left = geometry.page_bytes() - whole[0].end.max(whole[1].end);
            assert!(left < index_from(4 + WeightType::bytes_of(geometry.weights())) && whole[0].end <= whole[1].start);
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
