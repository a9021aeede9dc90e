//! Merging of adjacent byte ranges into one request.

use std::ops::Range;

/// Limits for reading two ranges of a file at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergePolicy {
    /// Maximum number of unneeded bytes between two ranges.
    pub gap_bytes: u64,
    /// Maximum length of a merged range, in bytes. A longer single range is kept.
    pub longest_bytes: u64,
}

impl Default for MergePolicy {
    /// Returns a gap of 10 KiB, which costs about as much as another request on the measured SSDs.
    fn default() -> Self {
        Self { gap_bytes: 10 << 10, longest_bytes: 256 << 10 }
    }
}

impl MergePolicy {
    /// Returns true if `next`, which must not start before `current`, is read together with it.
    pub fn joins(&self, current: &Range<u64>, next: &Range<u64>) -> bool {
        let gap = next.start.saturating_sub(current.end);
        let end = current.end.max(next.end);
        gap <= self.gap_bytes && end.saturating_sub(current.start) <= self.longest_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_gaps_are_read_and_large_ones_are_not() {
        let policy = MergePolicy { gap_bytes: 10, longest_bytes: 100 };
        assert!(policy.joins(&(0..10), &(20..30)) && policy.joins(&(0..20), &(15..18)));
        assert!(!policy.joins(&(0..30), &(41..50)));
    }

    #[test]
    fn no_merged_range_is_longer_than_allowed() {
        let policy = MergePolicy { gap_bytes: 10, longest_bytes: 100 };
        assert!(policy.joins(&(0..60), &(60..100)) && !policy.joins(&(0..60), &(60..101)));
        assert!(!policy.joins(&(0..500), &(505..510)));
    }
}
