//! Intersection counts of bit rows, by the widest instructions of the processor.
//!
//! The compiler creates each variant from the same loop: with `VPOPCNTQ` for AVX-512, with a table of 4-bit counts
//! (`VPSHUFB`) for AVX2, and with `CNT` for NEON, which every aarch64 processor has. With intrinsics, AVX2 took 116
//! instead of 111 ns for 512 words.

/// Returns the number of bits set in both rows: in the words at `places`, which must be in range, or in all words that
/// both rows have.
#[inline]
pub fn common_bits(row: &[u64], other: &[u64], places: Option<&[u32]>) -> u64 {
    let Some(places) = places else {
        #[cfg(target_arch = "x86_64")]
        for variant in [with_avx512, with_avx2, with_popcnt] {
            if let Some(bits) = variant(row, other) {
                return bits;
            }
        }
        return count(row, other);
    };
    #[cfg(target_arch = "x86_64")]
    if let Some(bits) = at_with_popcnt(row, other, places) {
        return bits;
    }
    count_at(row, other, places)
}

#[inline(always)]
fn count(row: &[u64], other: &[u64]) -> u64 {
    // With overflow checks, which releases of this crate have, a sum is not vectorized.
    let add = |sum: u64, (word, other): (&u64, &u64)| sum.wrapping_add(u64::from((word & other).count_ones()));
    row.iter().zip(other).fold(0, add)
}

#[inline(always)]
fn count_at(row: &[u64], other: &[u64], places: &[u32]) -> u64 {
    let common = |place: &u32| u64::from((row[*place as usize] & other[*place as usize]).count_ones());
    places.iter().fold(0, |sum, place| sum.wrapping_add(common(place)))
}

/// Defines a variant for processors that have some instructions; it returns `None` on the others.
macro_rules! variant {
    ($name:ident, $loop:ident($($argument:ident: $type:ty),+), $enabled:literal, $($feature:tt),+) => {
        #[cfg(target_arch = "x86_64")]
        #[inline]
        #[allow(unsafe_code, reason = "a call of what only some processors can run")]
        fn $name($($argument: $type),+) -> Option<u64> {
            #[target_feature(enable = $enabled)]
            fn counted($($argument: $type),+) -> u64 {
                $loop($($argument),+)
            }
            // SAFETY: the processor has the instructions.
            ($(is_x86_feature_detected!($feature))&&+).then(|| unsafe { counted($($argument),+) })
        }
    };
}

variant!(
    with_avx512,
    count(row: &[u64], other: &[u64]),
    "avx512vpopcntdq,avx512vl,popcnt",
    "avx512vpopcntdq",
    "avx512vl",
    "popcnt"
);
variant!(with_avx2, count(row: &[u64], other: &[u64]), "avx2,popcnt", "avx2", "popcnt");
variant!(with_popcnt, count(row: &[u64], other: &[u64]), "popcnt", "popcnt");
variant!(at_with_popcnt, count_at(row: &[u64], other: &[u64], places: &[u32]), "popcnt", "popcnt");

#[cfg(test)]
mod tests {
    use super::*;
    use outcrop_types::SplitMix64;

    #[test]
    fn every_variant_counts_the_same_bits() {
        let numbers = SplitMix64::new(1, 0);
        for case in 0..if cfg!(miri) { 2 } else { 400 } {
            let number = |at: u64, most: u32| numbers.up_to(case << 20 | at, most);
            // Lengths around the widths of vectors and of unrolled loops; from one bit in 64 to all.
            let (length, ones) = (number(0, 530), number(1, 64));
            let word = |at: u64| (0..64).fold(0, |word, bit| word << 1 | u64::from(number(64 * at + bit, 63) < ones));
            let row: Vec<u64> = (1..=u64::from(length)).map(word).collect();
            let other: Vec<u64> = (1001..=1001 + u64::from(length)).map(word).collect();
            let bits = |place: usize| (0..64).filter(|bit| row[place] >> bit & other[place] >> bit & 1 == 1).count();
            let expected = (0..row.len()).map(bits).sum::<usize>() as u64;
            assert_eq!(count(&row, &other), expected);
            assert_eq!(common_bits(&other, &row, None), expected);
            #[cfg(target_arch = "x86_64")]
            for variant in [with_avx512, with_avx2, with_popcnt] {
                assert!(variant(&row, &other).is_none_or(|found| found == expected), "{length} words");
            }
            let (even, odd): (Vec<u32>, Vec<u32>) = (0..length).partition(|place| *place % 2 == 0);
            let found = [even, odd].map(|places| {
                assert_eq!(common_bits(&row, &other, Some(&places)), count_at(&row, &other, &places));
                count_at(&row, &other, &places)
            });
            assert_eq!(found.iter().sum::<u64>(), expected);
        }
    }
}
