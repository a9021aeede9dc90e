//! Intersection counts of bit rows, with the popcount instruction of the processor if available.

/// Returns the number of bits set in both rows, in the words at `places`, which must be in range.
#[inline]
#[cfg_attr(target_arch = "x86_64", allow(unsafe_code, reason = "a call of what only some processors can run"))]
pub fn common_bits(row: &[u64], other: &[u64], places: &[u32]) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("popcnt") {
        // SAFETY: the processor has the instruction.
        return unsafe { count_with_popcnt(row, other, places) };
    }
    count(row, other, places)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn count_with_popcnt(row: &[u64], other: &[u64], places: &[u32]) -> u64 {
    count(row, other, places)
}

#[inline]
fn count(row: &[u64], other: &[u64], places: &[u32]) -> u64 {
    let common = |place: &u32| u64::from((row[*place as usize] & other[*place as usize]).count_ones());
    places.iter().map(common).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_in_common_are_the_same_with_and_without_the_instruction() {
        let mut state = 1_u64;
        let mut word = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            state ^ (state >> 29)
        };
        let [row, other]: [Vec<u64>; 2] = std::array::from_fn(|_| (0..512).map(|_| word()).collect());
        for step in [1, 2, 63, 511, 512] {
            let places: Vec<u32> = (0..512).step_by(step).collect();
            let each = places.iter().map(|place| *place as usize);
            let bits = |place: usize| (0..64).filter(|bit| row[place] >> bit & other[place] >> bit & 1 == 1).count();
            let expected = each.map(bits).sum::<usize>() as u64;
            assert_eq!(count(&row, &other, &places), expected);
            assert_eq!(common_bits(&row, &other, &places), expected);
        }
        assert_eq!(common_bits(&row, &other, &[]), 0);
    }
}
