//! Vertices drawn at random: the same for the same seed, by rank among the original ids, so that the order of a store does not
//! matter.

/// `count` distinct numbers below `below`, or all of them where there are no more, ascending (Floyd's algorithm: Bentley and Floyd,
/// CACM 1987).
pub fn sample(below: u32, count: u32, seed: u64) -> Vec<u32> {
    if count >= below {
        return (0..below).collect();
    }
    let mut state = seed;
    let mut drawn = std::collections::BTreeSet::new();
    for most in below - count..below {
        let number = draw(&mut state, most);
        if !drawn.insert(number) {
            drawn.insert(most);
        }
    }
    drawn.into_iter().collect()
}

/// The numbers of [`sample`] in an order that is drawn too (Fisher and Yates; Durstenfeld, CACM 1964).
pub fn shuffled(below: u32, count: u32, seed: u64) -> Vec<u32> {
    let mut drawn = sample(below, count, seed);
    let mut state = !seed;
    for place in (1..drawn.len()).rev() {
        let most = u32::try_from(place).unwrap_or(u32::MAX);
        drawn.swap(place, draw(&mut state, most) as usize);
    }
    drawn
}

/// A number up to `most`, each as likely as the others but for a part in 2^32: the upper half of a product (Lemire, 2019).
fn draw(state: &mut u64, most: u32) -> u32 {
    let product = u128::from(next(state)) * (u128::from(most) + 1);
    u32::try_from(product >> u64::BITS).unwrap_or(most)
}

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
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
