//! Radix sort in memory: scatters once by the highest digit into parts that fit in the processor's cache, then sorts
//! each part by the other digits, least significant first. Bits shared by all keys cost nothing.

use super::key::{Record, SortKey};

/// Fewer records than this are sorted by comparison.
const FEW: usize = 1 << 11;
/// Parts with fewer records than this are sorted by comparison.
const FEW_OF_PART: usize = 64;
/// Parts with more records than this are split again.
const LARGE_PART: usize = 1 << 16;
/// Binary logarithm of the target number of records per part.
const PART_BITS: u32 = 11;
/// Maximum number of bits of the highest digit.
const HIGH_BITS: u32 = 11;
/// Number of bits of the other digits, and the number of their values.
const LOW_BITS: u32 = 8;
const LOW_VALUES: usize = 1 << LOW_BITS;

/// Sorts `records` by key, stably; `scratch` grows to the size of `records`.
pub(super) fn sort<R: Record>(records: &mut [R], scratch: &mut Vec<R>) {
    if records.len() < FEW {
        return records.sort_by_key(R::key);
    }
    scratch.resize(records.len(), R::zeroed());
    sort_parts(records, scratch);
}

/// Sorts `records` with a scratch buffer of the same size.
fn sort_parts<R: Record>(records: &mut [R], scratch: &mut [R]) {
    let varying = varying_bits(records);
    let top = varying.length();
    if top == 0 {
        return;
    }
    let width = records.len().ilog2().saturating_sub(PART_BITS).clamp(1, HIGH_BITS.min(top));
    let ends = scatter(records, scratch, 1 << width, |record| record.key().digit(top - width, width));
    let mut low = LowDigits::new(varying, top - width);
    let mut start = 0;
    for end in ends {
        low.sort_part(&mut scratch[start..end], &mut records[start..end]);
        start = end;
    }
}

/// Returns the bits in which keys differ.
fn varying_bits<R: Record>(records: &[R]) -> R::Key {
    let Some(first) = records.first().map(R::key) else { return R::Key::ZERO };
    records.iter().fold(R::Key::ZERO, |bits, record| bits | (record.key() ^ first))
}

/// Scatters into `parts`, stably; returns the end of each part.
pub(super) fn scatter<R: Record>(from: &[R], into: &mut [R], parts: usize, part: impl Fn(&R) -> usize) -> Vec<usize> {
    let mut places = vec![0; parts];
    from.iter().for_each(|record| places[part(record)] += 1);
    begin_after_each_other(&mut places);
    for record in from {
        let place = &mut places[part(record)];
        into[*place] = *record;
        *place = place.wrapping_add(1);
    }
    places
}

/// Replaces counts by their exclusive prefix sums.
fn begin_after_each_other(counts: &mut [usize]) {
    let mut sum = 0;
    for count in counts {
        sum += std::mem::replace(count, sum);
    }
}

/// The digits below the highest one.
struct LowDigits {
    shifts: Vec<u32>,
    counts: Vec<[usize; LOW_VALUES]>,
}

impl LowDigits {
    /// Returns digits that cover the `varying` bits below bit `end`.
    fn new<K: SortKey>(varying: K, end: u32) -> Self {
        let mut shifts = Vec::new();
        let mut bit = 0;
        while bit < end {
            if varying.digit(bit, 1) == 0 {
                bit += 1;
            } else {
                shifts.push(bit);
                bit += LOW_BITS;
            }
        }
        let counts = vec![[0; LOW_VALUES]; shifts.len()];
        Self { shifts, counts }
    }

    /// Sorts the content of `from` into `into`.
    fn sort_part<R: Record>(&mut self, from: &mut [R], into: &mut [R]) {
        if (FEW_OF_PART..LARGE_PART).contains(&from.len()) {
            return self.sort_digits(from, into);
        }
        into.copy_from_slice(from);
        if into.len() < LARGE_PART { into.sort_by_key(R::key) } else { sort_parts(into, from) }
    }

    fn sort_digits<R: Record>(&mut self, from: &mut [R], into: &mut [R]) {
        self.count(from);
        let (mut from, mut into, mut turned) = (from, into, false);
        for (shift, places) in self.shifts.iter().zip(&mut self.counts) {
            if places.contains(&from.len()) {
                continue;
            }
            begin_after_each_other(places);
            for record in from.iter() {
                let place = &mut places[record.key().digit(*shift, LOW_BITS)];
                into[*place] = *record;
                *place = place.wrapping_add(1);
            }
            std::mem::swap(&mut from, &mut into);
            turned = !turned;
        }
        if !turned {
            into.copy_from_slice(from);
        }
    }

    fn count<R: Record>(&mut self, records: &[R]) {
        self.counts.iter_mut().for_each(|counts| counts.fill(0));
        for record in records {
            let key = record.key();
            for (shift, counts) in self.shifts.iter().zip(&mut self.counts) {
                let count = &mut counts[key.digit(*shift, LOW_BITS)];
                *count = count.wrapping_add(1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::writing::record::{ArcRecord, WeightedArc};
    use proptest::prelude::*;

    /// Generates keys of many distributions, with the number of varying bits and with mostly equal keys.
    fn keys() -> impl Strategy<Value = Vec<(u32, u32)>> {
        (any::<u64>(), 0usize..200_000, 0u32..33, 0u32..33, any::<bool>()).prop_map(
            |(seed, count, high, low, skewed)| {
                let mut state = seed | 1;
                let mut draw = |bits: u32| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    u32::try_from((state >> 32) & ((1 << bits) - 1)).unwrap()
                };
                let mut key = |number: usize| {
                    if skewed && !number.is_multiple_of(10) { (3, draw(low.min(2))) } else { (draw(high), draw(low)) }
                };
                (0..count).map(&mut key).collect()
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn sorts_like_a_stable_sort(keys in keys()) {
            let numbered = (0..=u16::MAX).cycle().map(f64::from);
            let mut records: Vec<_> = keys.iter().zip(numbered).map(|((v, n), i)| WeightedArc::new(*v, *n, i)).collect();
            let mut expected = records.clone();
            expected.sort_by_key(Record::key);
            sort(&mut records, &mut Vec::new());
            prop_assert!(records == expected);
        }
    }
}
