//! Sorting in memory: scattered once by the highest digit into parts that fit the processor's cache, then each part by
//! the other digits, least significant first. Bits that all keys share cost nothing.

use super::key::{Record, SortKey};

/// Fewer records than this are sorted by comparing.
const FEW: usize = 1 << 11;
/// Parts of fewer records than this are sorted by comparing.
const FEW_OF_PART: usize = 64;
/// A part of more records than this is split again.
const LARGE_PART: usize = 1 << 16;
/// About so many records are to fall into one part.
const PART_BITS: u32 = 11;
/// The most bits of the highest digit.
const HIGH_BITS: u32 = 11;
/// Bits of the other digits, and how many values these take.
const LOW_BITS: u32 = 8;
const LOW_VALUES: usize = 1 << LOW_BITS;

/// Sorts `records` by key, equal keys in the order in which they stand; `scratch` becomes as large as `records`.
pub fn sort<R: Record>(records: &mut [R], scratch: &mut Vec<R>) {
    if records.len() < FEW {
        return records.sort_by_key(R::key);
    }
    scratch.resize(records.len(), R::zeroed());
    sort_parts(records, scratch);
}

/// Sorts `records` with the help of as much `scratch`.
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

/// The bits in which not all keys are alike.
fn varying_bits<R: Record>(records: &[R]) -> R::Key {
    let Some(first) = records.first().map(R::key) else { return R::Key::ZERO };
    records.iter().fold(R::Key::ZERO, |bits, record| bits | (record.key() ^ first))
}

/// Scatters into `parts`, in the order in which records stand; where each part ends.
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

/// Turns how many there are of each into where the first of each goes.
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
    /// Digits that cover the `varying` bits below bit `end`.
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

    /// Sorts what lies in `from` into `into`.
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

    /// Keys of many distributions: how many bits vary, and whether most keys are one.
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
