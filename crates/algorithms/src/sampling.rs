//! Random vertices: reproducible by seed, and sampled by rank among the original IDs, so that the order of a store does
//! not matter.

use outcrop_types::SplitMix64;

/// Returns `count` distinct numbers below `below`, or all of them if there are no more, in ascending order (Floyd's
/// algorithm: Bentley and Floyd, CACM 1987).
pub fn sample(below: u32, count: u32, seed: u64) -> Vec<u32> {
    if count >= below {
        return (0..below).collect();
    }
    let mut draws = Draws::new(seed);
    let mut drawn = std::collections::BTreeSet::new();
    for most in below - count..below {
        let number = draws.up_to(most);
        if !drawn.insert(number) {
            drawn.insert(most);
        }
    }
    drawn.into_iter().collect()
}

/// Returns the numbers of [`sample`] in random order (Fisher and Yates; Durstenfeld, CACM 1964).
pub fn shuffled(below: u32, count: u32, seed: u64) -> Vec<u32> {
    let mut drawn = sample(below, count, seed);
    let mut draws = Draws::new(!seed);
    for most in (1..below.min(count)).rev() {
        drawn.swap(most as usize, draws.up_to(most) as usize);
    }
    drawn
}

/// Sequence of random numbers.
struct Draws {
    numbers: SplitMix64,
    drawn: u64,
}

impl Draws {
    const fn new(seed: u64) -> Self {
        Self { numbers: SplitMix64::starting_at(seed), drawn: 0 }
    }

    /// Returns a number from 0 to `most`.
    fn up_to(&mut self, most: u32) -> u32 {
        self.drawn += 1;
        self.numbers.up_to(self.drawn, most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_distinct_ascending_and_fixed_by_the_seed() {
        for (below, count) in [(0, 0), (0, 5), (1, 1), (10, 3), (10, 10), (10, 99), (1 << 20, 64), (u32::MAX, 7)] {
            let one = sample(below, count, 42);
            assert_eq!(one.len(), below.min(count) as usize);
            assert!(one.is_sorted_by(|a, b| a < b) && one.iter().all(|number| *number < below));
            assert_eq!(one, sample(below, count, 42));
        }
        assert_ne!(sample(1 << 20, 64, 1), sample(1 << 20, 64, 2));
    }

    #[test]
    fn each_of_the_shuffled_comes_first_about_as_often() {
        let mut first = [0; 10];
        for seed in 0..10_000 {
            let drawn = shuffled(10, 3, seed);
            first[drawn[0] as usize] += 1;
            let mut ascending = drawn;
            ascending.sort_unstable();
            assert_eq!(ascending, sample(10, 3, seed));
        }
        assert!(first.iter().all(|times| (900..1100).contains(times)), "{first:?}");
        assert_eq!((shuffled(0, 5, 1), shuffled(1, 5, 1)), (vec![], vec![0]));
    }

    #[test]
    fn every_number_is_drawn_about_as_often() {
        let mut times = [0; 10];
        (0..10_000).flat_map(|seed| sample(10, 3, seed)).for_each(|number| times[number as usize] += 1);
        assert!(times.iter().all(|times| (2800..3200).contains(times)), "{times:?}");
    }
}
