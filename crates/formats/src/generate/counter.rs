//! Random numbers by position: number `k` of a stream is computed from `k` alone.

/// The fractional part of the golden ratio in 64 bits, as in Steele, Lea and Flood's SplitMix64 (OOPSLA 2014).
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// What a stream of random numbers is for; streams of one seed are independent.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stream {
    /// The ends of the edges.
    Endpoints = 1,
    /// The weights of the edges.
    Weights = 2,
    /// The names of the vertices.
    Labels = 3,
}

/// SplitMix64, entered at any position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counter {
    key: u64,
}

impl Counter {
    /// The stream of `seed` for one use.
    pub(super) const fn new(seed: u64, stream: Stream) -> Self {
        Self { key: mix(mix(seed.wrapping_add(GOLDEN)).wrapping_add(stream as u64)) }
    }

    /// 64 random bits.
    #[inline]
    pub(super) const fn at(self, position: u64) -> u64 {
        mix(self.key.wrapping_add(position.wrapping_mul(GOLDEN)))
    }
}

/// A random number below `bound` (0 where `bound` is 0), from 64 random bits; uniform up to `bound / 2^64`.
#[inline]
pub(super) fn below(random: u64, bound: u64) -> u64 {
    ((u128::from(random) * u128::from(bound)) >> 64) as u64
}

/// Stafford's variant 13 of the MurmurHash3 finaliser: a bijection of 64 bits.
#[inline]
const fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_splitmix64() {
        let zero = Counter { key: 0 };
        assert_eq!(zero.at(1), 0xe220_a839_7b1d_cdaf);
        assert_eq!(zero.at(2), 0x6e78_9e6a_a1b9_65f4);
    }

    #[test]
    fn streams_and_seeds_differ() {
        let first = |seed, stream| Counter::new(seed, stream).at(0);
        assert_ne!(first(1, Stream::Endpoints), first(1, Stream::Weights));
        assert_ne!(first(1, Stream::Labels), first(2, Stream::Labels));
    }

    #[test]
    fn below_reaches_both_ends() {
        assert_eq!((below(0, 10), below(u64::MAX, 10), below(u64::MAX, 0)), (0, 9, 0));
        assert_eq!(below(u64::MAX, u64::MAX), u64::MAX - 1);
    }
}
