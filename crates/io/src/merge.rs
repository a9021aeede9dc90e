//! Merges neighbouring byte ranges into requests worth making.

use std::iter::Peekable;
use std::ops::Range;

/// When two stretches of a file are read at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergePolicy {
    /// The most bytes between two ranges that are read for nothing.
    pub gap_bytes: u64,
    /// The longest merged range, in bytes. A longer single range stays as it is.
    pub longest_bytes: u64,
}

impl Default for MergePolicy {
    /// A gap of 10 KiB costs about as much as another request on the solid-state disks that were measured.
    fn default() -> Self {
        Self { gap_bytes: 10 << 10, longest_bytes: 256 << 10 }
    }
}

impl MergePolicy {
    /// Whether `next`, which does not start before `current`, is read together with it.
    pub fn joins(&self, current: &Range<u64>, next: &Range<u64>) -> bool {
        let gap = next.start.saturating_sub(current.end);
        let end = current.end.max(next.end);
        gap <= self.gap_bytes && end.saturating_sub(current.start) <= self.longest_bytes
    }

    /// Merges ranges that come in ascending order of their starts. Every byte of theirs is in some merged range; ranges that
    /// overlap but are too long together stay apart.
    pub fn merge<I: IntoIterator<Item = Range<u64>>>(self, ranges: I) -> Merged<I::IntoIter> {
        Merged { policy: self, ranges: ranges.into_iter().peekable() }
    }
}

/// The merged ranges of an iterator: see [`MergePolicy::merge`].
#[derive(Debug)]
pub struct Merged<I: Iterator<Item = Range<u64>>> {
    policy: MergePolicy,
    ranges: Peekable<I>,
}

impl<I: Iterator<Item = Range<u64>>> Iterator for Merged<I> {
    type Item = Range<u64>;

    fn next(&mut self) -> Option<Range<u64>> {
        let mut current = self.ranges.next()?;
        while let Some(next) = self.ranges.next_if(|next| self.policy.joins(&current, next)) {
            current.end = current.end.max(next.end);
        }
        Some(current)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(ranges: &[Range<u64>]) -> Vec<Range<u64>> {
        MergePolicy { gap_bytes: 10, longest_bytes: 100 }.merge(ranges.iter().cloned()).collect()
    }

    #[test]
    fn small_gaps_are_read_and_large_ones_are_not() {
        assert_eq!(merged(&[0..10, 20..30, 41..50]), [0..30, 41..50]);
        assert_eq!(merged(&[0..10, 10..20, 15..18, 40..50]), [0..20, 40..50]);
        assert!(merged(&[]).is_empty());
    }

    #[test]
    fn no_merged_range_is_longer_than_allowed() {
        assert_eq!(merged(&[0..60, 60..100, 100..160]), [0..100, 100..160]);
        assert_eq!(merged(&[0..500, 505..510]), [0..500, 505..510]);
    }
}
