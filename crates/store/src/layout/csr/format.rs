//! The bytes of a `csr` edge unit.

use crate::access::Neighbours;
use crate::component::PAYLOAD_BYTES;
use outcrop_types::{Direction, VertexId, index_from, length_from};

/// Vertices of one entry of the index; intervals begin at multiples of it.
pub const BLOCK_VERTICES: u32 = 64;

/// An interval is closed once it has this many list entries.
pub const INTERVAL_ARCS: u64 = 1 << 22;

/// The component with the lists of `direction`.
pub fn edges_name(direction: Direction) -> String {
    format!("{}.edges", direction.name())
}

/// How many list entries a unit carries, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListGeometry {
    weighted: bool,
}

impl ListGeometry {
    /// Of a store with or without weights.
    pub const fn new(weighted: bool) -> Self {
        Self { weighted }
    }

    /// Whether entries have weights.
    pub const fn weighted(self) -> bool {
        self.weighted
    }

    /// List entries of one unit: 1022 without weights, 511 with.
    #[inline]
    pub const fn entries(self) -> u64 {
        length_from(PAYLOAD_BYTES) / if self.weighted { 8 } else { 4 }
    }

    /// Unit and position in it of list entry `slot`.
    #[inline]
    pub const fn place(self, slot: u64) -> (u64, usize) {
        // Two divisions by constants are quicker than one by a variable.
        const PLAIN: u64 = ListGeometry::new(false).entries();
        const WEIGHTED: u64 = ListGeometry::new(true).entries();
        if self.weighted {
            (slot / WEIGHTED, index_from(slot % WEIGHTED))
        } else {
            (slot / PLAIN, index_from(slot % PLAIN))
        }
    }

    /// The units that hold the entries `slots`; none for an empty list.
    #[inline]
    pub const fn units(self, slots: &std::ops::Range<u64>) -> std::ops::Range<u64> {
        if slots.start >= slots.end {
            return 0..0;
        }
        self.place(slots.start).0..self.place(slots.end - 1).0 + 1
    }

    /// The entries of a unit's payload as typed slices; `None` where the payload has another size or alignment.
    #[inline]
    pub fn view(self, payload: &[u8]) -> Option<(&[VertexId], Option<&[f32]>)> {
        if !self.weighted {
            return bytemuck::try_cast_slice(payload).ok().map(|ids| (ids, None));
        }
        let (ids, weights) = payload.split_at_checked(payload.len() / 2)?;
        Some((bytemuck::try_cast_slice(ids).ok()?, Some(bytemuck::try_cast_slice(weights).ok()?)))
    }

    /// `count` entries of a unit's payload from position `first` on; empty where the payload does not have them.
    #[inline]
    pub fn piece(self, payload: &[u8], first: usize, count: usize) -> Neighbours<'_> {
        let Some((ids, weights)) = self.view(payload) else { return Neighbours::new(&[], None) };
        let ids = ids.get(first..first + count).unwrap_or_default();
        Neighbours::new(ids, weights.and_then(|weights| weights.get(first..first + count)))
    }

    /// Whether every entry of a payload is a neighbour that exists with a weight that is a number: a unit with a right checksum
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
