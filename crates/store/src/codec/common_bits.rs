//! Bits that rows of bits have in common, counted with the processor's instruction for it where there is one.

/// Number of bits that are set in both rows, of the words at `places`, each of which must lie in both.
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
