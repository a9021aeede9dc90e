//! Check that an undirected graph lists each edge at both of its ends.

use xxhash_rust::xxh3::xxh3_64;

/// Sum over arcs to larger IDs minus the sum over arcs to smaller IDs: even if every edge is listed at both ends.
#[derive(Debug, Default)]
pub(crate) struct Balance(u64);

impl Balance {
    /// Counts an arc; loops do not change the sum.
    pub(crate) fn count(&mut self, source: u64, target: u64, weight: i64) {
        let (low, high) = (source.min(target), source.max(target));
        let mut edge = [0; 24];
        edge[..8].copy_from_slice(&low.to_le_bytes());
        edge[8..16].copy_from_slice(&high.to_le_bytes());
        edge[16..].copy_from_slice(&weight.to_le_bytes());
        let sum = xxh3_64(&edge);
        self.0 = match source.cmp(&target) {
            std::cmp::Ordering::Less => self.0.wrapping_add(sum),
            std::cmp::Ordering::Equal => self.0,
            std::cmp::Ordering::Greater => self.0.wrapping_sub(sum),
        };
    }

    /// Returns true if every edge was counted at both of its ends.
    pub(crate) const fn is_even(&self) -> bool {
        self.0 == 0
    }
}
