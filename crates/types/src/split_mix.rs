//! SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): reproducible random numbers.

/// Fractional part of the golden ratio in 64 bits: the numbers of a sequence are its mixed multiples.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Random number sequence with random access.
#[derive(Clone, Copy, Debug)]
pub struct SplitMix64 {
    start: u64,
}

impl SplitMix64 {
    /// Creates the sequence that starts at `start`; sequences with nearby starts overlap.
    pub const fn starting_at(start: u64) -> Self {
        Self { start }
    }

    /// Creates the sequence of `seed` for one purpose; sequences of different seeds and purposes are unrelated.
    pub const fn new(seed: u64, purpose: u64) -> Self {
        Self { start: mix(mix(seed.wrapping_add(GOLDEN)).wrapping_add(purpose)) }
    }

    /// Returns number `position` of the sequence.
    #[inline]
    pub const fn at(self, position: u64) -> u64 {
        mix(self.start.wrapping_add(position.wrapping_mul(GOLDEN)))
    }

    /// Maps number `position` to an integer from 0 to `most`, uniform up to a deviation of 2^-32: the upper half of a
    /// product (Lemire, 2019).
    #[inline]
    pub fn up_to(self, position: u64, most: u32) -> u32 {
        let product = u128::from(self.at(position)) * (u128::from(most) + 1);
        u32::try_from(product >> u64::BITS).unwrap_or(most)
    }
}

/// Stafford's variant 13 of the MurmurHash3 finalizer: a bijection of 64 bits.
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
    fn the_sequence_is_that_of_the_paper() {
        let zero = SplitMix64::starting_at(0);
        assert_eq!(zero.at(1), 0xe220_a839_7b1d_cdaf);
        assert_eq!(zero.at(2), 0x6e78_9e6a_a1b9_65f4);
    }

    #[test]
    fn seeds_and_purposes_differ_and_bounds_are_kept() {
        let first = |seed, purpose| SplitMix64::new(seed, purpose).at(0);
        assert_ne!(first(1, 1), first(1, 2));
        assert_ne!(first(1, 3), first(2, 3));
        let numbers: Vec<u32> = (0..1000).map(|position| SplitMix64::new(5, 0).up_to(position, 9)).collect();
        assert!((0..10).all(|number| (70..130).contains(&numbers.iter().filter(|n| **n == number).count())));
        assert!(numbers.iter().all(|number| *number <= 9));
    }
}
