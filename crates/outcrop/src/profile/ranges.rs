//! Numbers of items by value, and by ranges of values that double in width.

use crate::run::RunResult;
use outcrop_report::RangeCount;
use outcrop_types::{Purpose, Reservation, Result};
use std::collections::BTreeMap;

/// Memory per distinct value, in bytes.
const VALUE_BYTES: u64 = 48;

/// Number of items of each value.
pub(super) struct Counts {
    counts: BTreeMap<u64, u64>,
    _held: Reservation,
}

impl Counts {
    /// Creates counts of degrees or of group sizes of the graph of `result`, which have few distinct values: their sum
    /// is at most twice the number of edges, or the number of vertices.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget is too small.
    pub(super) fn new(result: &RunResult) -> Result<Self> {
        let graph = result.record().graph;
        let sum = (2 * graph.edges).max(graph.vertices.into());
        // Values 0 to k have the sum k (k + 1) / 2.
        let most = (2 * sum).isqrt().min(graph.vertices.into()) + 1;
        let held = result.budget().reserve(VALUE_BYTES * most, Purpose::Results)?;
        Ok(Self { counts: BTreeMap::new(), _held: held })
    }

    pub(super) fn add(&mut self, value: u64) {
        *self.counts.entry(value).or_insert(0) += 1;
    }

    /// Returns each value with its number of items, ascending.
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = (u64, u64)> {
        self.counts.iter().map(|(value, count)| (*value, *count))
    }

    /// Returns the number of items.
    pub(super) fn total(&self) -> u64 {
        self.counts.values().sum()
    }

    /// Returns the largest value; `None` without items.
    pub(super) fn most(&self) -> Option<u64> {
        self.counts.keys().next_back().copied()
    }
}

/// Returns the numbers of items in the ranges 0, 1, 2 to 3, 4 to 7 and so on, from the first to the last with items.
pub(super) fn ranges(counts: impl Iterator<Item = (u64, u64)>) -> Vec<RangeCount> {
    let mut ranges = Vec::<RangeCount>::new();
    for (value, count) in counts {
        while ranges.last().is_none_or(|range| range.to < value) {
            let from = ranges.last().map_or(value, |range| range.to + 1);
            // Ranges start at powers of two.
            let from = if from == 0 { 0 } else { 1 << from.ilog2() };
            ranges.push(RangeCount { from, to: if from == 0 { 0 } else { 2 * from - 1 }, count: 0 });
        }
        ranges.last_mut().into_iter().for_each(|range| range.count += count);
    }
    ranges
}

/// Returns a fraction; 0 of nothing.
pub(super) fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_double_in_width_and_have_no_gaps() {
        let found = ranges([(0, 5), (1, 4), (2, 1), (3, 2), (9, 7)].into_iter());
        let found: Vec<_> = found.iter().map(|range| (range.from, range.to, range.count)).collect();
        assert_eq!(found, [(0, 0, 5), (1, 1, 4), (2, 3, 3), (4, 7, 0), (8, 15, 7)]);
        let found = ranges([(5, 1), (8, 2)].into_iter());
        assert_eq!(found.iter().map(|range| range.from).collect::<Vec<_>>(), [4, 8]);
        assert!(ranges(std::iter::empty()).is_empty());
    }
}
