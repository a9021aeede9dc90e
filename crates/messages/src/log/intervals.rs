//! Lookup of the interval of a vertex (section V.A.1).

use outcrop_types::{Error, Result, VertexId, VertexRange};

/// Minimum number of entries in the table.
const LEAST_ENTRIES: usize = 1 << 12;
/// Number of table entries per interval.
const ENTRIES_EACH: usize = 16;

/// Consecutive vertex intervals from 0 on.
#[derive(Debug)]
pub(super) struct Intervals {
    /// Start of each interval, and the end of the last.
    bounds: Vec<VertexId>,
    /// Interval of the first vertex of each stretch of `1 << shift` vertices.
    table: Vec<u32>,
    shift: u32,
}

impl Intervals {
    /// Returns the memory for `intervals` intervals, in bytes.
    pub(super) const fn bytes(intervals: u64) -> u64 {
        4 * (intervals + 1) + 4 * table_entries(intervals as usize) as u64
    }

    /// # Errors
    /// Returns an error if there are no intervals or they are not consecutive from 0.
    pub(super) fn new(ranges: &[VertexRange]) -> Result<Self> {
        let mut bounds = Vec::with_capacity(ranges.len() + 1);
        bounds.push(0);
        for range in ranges {
            if bounds.last() != Some(&range.start) || range.end < range.start {
                return Err(Error::internal("the intervals of messages are not consecutive"));
            }
            bounds.push(range.end);
        }
        let Some(vertices) = bounds.last().copied().filter(|_| !ranges.is_empty()) else {
            return Err(Error::internal("a message has no interval"));
        };
        let entries = table_entries(ranges.len()) as u64;
        let shift = (0..32).find(|shift| u64::from(vertices) >> shift < entries).unwrap_or(0);
        let interval_of =
            |vertex: u64| bounds[1..].partition_point(|end| u64::from(*end) <= vertex).min(ranges.len() - 1);
        let table = (0..=u64::from(vertices) >> shift).map(|entry| interval_of(entry << shift) as u32).collect();
        Ok(Self { bounds, table, shift })
    }

    /// Returns the end of the last interval.
    pub(super) fn end(&self) -> VertexId {
        self.range(self.len() - 1).end
    }

    pub(super) fn len(&self) -> usize {
        self.bounds.len() - 1
    }

    pub(super) fn range(&self, interval: usize) -> VertexRange {
        VertexRange::new(self.bounds[interval], self.bounds[interval + 1])
    }

    /// Returns the interval of `vertex` and its vertices; the last interval for vertices beyond the end.
    #[inline(always)]
    pub(super) fn of(&self, vertex: VertexId) -> (usize, VertexRange) {
        let last = self.len() - 1;
        let mut interval = self.table.get((vertex >> self.shift) as usize).map_or(last, |interval| *interval as usize);
        while interval < last && vertex >= self.bounds[interval + 1] {
            interval += 1;
        }
        (interval, self.range(interval))
    }
}

const fn table_entries(intervals: usize) -> usize {
    let entries = intervals * ENTRIES_EACH;
    if entries < LEAST_ENTRIES { LEAST_ENTRIES } else { entries }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_vertex_is_found(lengths in proptest::collection::vec(0_u32..3000, 1..40), scale in 0_u32..16) {
            let mut start = 0;
            let mut ranges = Vec::new();
            for length in lengths {
                ranges.push(VertexRange::new(start, start + (length << scale)));
                start += length << scale;
            }
            let intervals = Intervals::new(&ranges).unwrap();
            for (number, range) in ranges.iter().enumerate().filter(|(_, range)| !range.is_empty()) {
                for vertex in [range.start, range.end - 1, range.start + (range.end - range.start) / 2] {
                    prop_assert_eq!(intervals.of(vertex), (number, *range));
                }
            }
            prop_assert!(!intervals.of(start).1.contains(start) && !intervals.of(u32::MAX).1.contains(u32::MAX));
        }
    }

    #[test]
    fn gaps_are_refused() {
        assert!(Intervals::new(&[]).is_err());
        assert!(Intervals::new(&[VertexRange::new(0, 3), VertexRange::new(4, 5)]).is_err());
    }
}
