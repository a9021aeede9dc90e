//! Sorting in memory: least significant digit first, digits that all records share skipped.

use super::record::{DIGIT_VALUES, Record, SortKey};

/// Fewer records than this are sorted by comparing.
const FEW: usize = 1 << 12;

/// Sorts `records` by key, equal keys in the order in which they stand; `scratch` becomes as large as `records`.
pub fn sort<R: Record>(records: &mut Vec<R>, scratch: &mut Vec<R>) {
    if records.len() < FEW {
        return records.sort_by_key(R::key);
    }
    let counts = count_digits(records);
    scratch.resize(records.len(), R::zeroed());
    for (digit, counts) in counts.chunks(DIGIT_VALUES).enumerate() {
        if counts.contains(&records.len()) {
            continue;
        }
        scatter(records, scratch, digit, counts);
        std::mem::swap(records, scratch);
    }
}

/// How often each value of each digit occurs, digit after digit.
fn count_digits<R: Record>(records: &[R]) -> Vec<usize> {
    let mut counts = vec![0; R::Key::DIGITS * DIGIT_VALUES];
    for record in records {
        let key = record.key();
        for (digit, counts) in counts.chunks_exact_mut(DIGIT_VALUES).enumerate() {
            counts[key.digit(digit)] += 1;
        }
    }
    counts
}

fn scatter<R: Record>(from: &[R], into: &mut [R], digit: usize, counts: &[usize]) {
    let ends = counts.iter().scan(0, |sum, count| {
        *sum += count;
        Some(*sum)
    });
    let mut places: Vec<usize> = ends.zip(counts).map(|(end, count)| end - count).collect();
    for record in from {
        let place = &mut places[record.key().digit(digit)];
        into[*place] = *record;
        *place += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::{ArcRecord, WeightedArc};
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sorts_like_a_stable_sort(keys in proptest::collection::vec((0u32..50, any::<u32>()), 0..9000)) {
            let mut records: Vec<_> = (0..).zip(&keys).map(|(i, (v, n))| WeightedArc::new(*v, *n % 7, i as f32)).collect();
            let mut expected = records.clone();
            expected.sort_by_key(Record::key);
            sort(&mut records, &mut Vec::new());
            prop_assert_eq!(records, expected);
        }
    }
}
