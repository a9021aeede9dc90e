//! Counter-based random numbers: number `k` of a stream is computed from `k` alone.

use outcrop_types::SplitMix64;

/// Purpose of a stream of random numbers; streams of one seed are independent.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stream {
    /// Ends of the edges.
    Endpoints = 1,
    /// Weights of the edges.
    Weights = 2,
    /// Labels of the vertices.
    Labels = 3,
}

impl Stream {
    /// Returns the stream of `seed` for this purpose.
    pub(super) const fn of(self, seed: u64) -> SplitMix64 {
        SplitMix64::new(seed, self as u64)
    }
}

/// Maps 64 random bits to a number below `bound` (0 if `bound` is 0); uniform up to `bound / 2^64`.
#[inline]
pub(super) fn below(random: u64, bound: u64) -> u64 {
    ((u128::from(random) * u128::from(bound)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_and_seeds_differ() {
        let first = |seed, stream| Stream::of(stream, seed).at(0);
        assert_ne!(first(1, Stream::Endpoints), first(1, Stream::Weights));
        assert_ne!(first(1, Stream::Labels), first(2, Stream::Labels));
    }

    #[test]
    fn below_reaches_both_ends() {
        assert_eq!((below(0, 10), below(u64::MAX, 10), below(u64::MAX, 0)), (0, 9, 0));
        assert_eq!(below(u64::MAX, u64::MAX), u64::MAX - 1);
    }
}
