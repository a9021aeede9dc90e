//! Fast lookup of the interval of a vertex.

use outcrop_types::{VertexId, VertexRange, index_from, length_from, number_from};

/// Approximate number of slots of the table.
const SLOTS: u32 = 1 << 12;

/// Lookup table of intervals.
#[derive(Clone, Debug)]
pub(super) struct Finder {
    bounds: Vec<VertexId>,
    /// Interval of the first vertex of each slot.
    slots: Vec<u32>,
    shift: u32,
}

impl Finder {
    /// Creates a finder for intervals that start at `bounds`, the last of which is the number of vertices.
    pub(super) fn new(bounds: &[VertexId]) -> Self {
        let vertices = bounds.last().copied().unwrap_or(0);
        let shift = (vertices / SLOTS).checked_ilog2().map_or(0, |bits| bits + 1);
        let slots = (0..=vertices >> shift).map(|slot| {
            let before = bounds.partition_point(|bound| *bound <= slot << shift);
            number_from(before.saturating_sub(1))
        });
        Self { slots: slots.collect(), bounds: bounds.to_vec(), shift }
    }

    /// Returns the maximum memory, in bytes.
    pub(super) const fn bytes(intervals: u32) -> u64 {
        (2 * SLOTS as u64 + 2 + intervals as u64 + 1) * 4
    }

    /// Returns the number of intervals.
    pub(super) const fn intervals(&self) -> usize {
        self.bounds.len().saturating_sub(1)
    }

    /// Returns the starts of the intervals, followed by the number of vertices.
    pub(super) fn bounds(&self) -> &[VertexId] {
        &self.bounds
    }

    /// Returns the vertices of an interval; an empty range if the interval does not exist.
    pub(super) fn range(&self, interval: u32) -> VertexRange {
        let at = |place: usize| self.bounds.get(place).copied().unwrap_or(0);
        let place = index_from(u64::from(interval));
        VertexRange::new(at(place), at(place + 1))
    }

    /// Returns the interval of `vertex`; an arbitrary one if the vertex does not exist.
    #[inline]
    pub(super) fn find(&self, vertex: VertexId) -> usize {
        let slot = index_from(u64::from(vertex >> self.shift));
        let mut interval = index_from(u64::from(self.slots.get(slot).copied().unwrap_or(0)));
        while self.bounds.get(interval + 1).is_some_and(|next| *next <= vertex) && interval + 2 < self.bounds.len() {
            interval += 1;
        }
        interval
    }
}

/// Returns the position of a block in file order: shard by shard.
pub(super) fn position(intervals: usize, from: u32, to: u32) -> u64 {
    u64::from(to) * length_from(intervals) + u64::from(from)
}
