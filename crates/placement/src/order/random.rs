//! Any order, each as likely as the others: what all others are compared with.

use outcrop_types::{Permutation, SplitMix64, VertexId, number_from};

/// A permutation of `vertices` vertices that is the same for the same seed (Fisher and Yates, as in Knuth, volume 2,
/// algorithm P). 8 bytes per vertex.
pub fn random(vertices: u32, seed: u64) -> Permutation {
    let mut order: Vec<VertexId> = (0..vertices).collect();
    let numbers = SplitMix64::new(seed, 0);
    for place in (1..vertices).rev() {
        order.swap(place as usize, numbers.up_to(u64::from(place), place) as usize);
    }
    Permutation::from_order(&order)
}

/// About `percent` in a hundred vertices in any order among themselves, the others where they are: for measurements. 8
/// bytes per vertex.
pub fn partly_random(vertices: u32, percent: u32, seed: u64) -> Permutation {
    let numbers = SplitMix64::new(seed, 1);
    let chosen = |vertex: &VertexId| numbers.up_to(u64::from(*vertex), 99) < percent;
    let places: Vec<VertexId> = (0..vertices).filter(chosen).collect();
    let drawn = random(number_from(places.len()), seed);
    let mut order: Vec<VertexId> = (0..vertices).collect();
    for (place, other) in places.iter().zip(drawn.as_slice()) {
        order[*place as usize] = places[*other as usize];
    }
    Permutation::from_order(&order)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_a_bijection_fixed_by_the_seed() {
        for vertices in [0, 1, 2, 3, 1000] {
            let one = random(vertices, 7);
            assert_eq!(one.len(), vertices as usize);
            assert!(Permutation::from_new_ids(one.as_slice().to_vec()).is_some());
            assert_eq!(one, random(vertices, 7));
        }
        assert_ne!(random(1000, 7), random(1000, 8));
    }

    #[test]
    fn a_part_is_shuffled_and_the_rest_stays() {
        let moved = |percent: u32| {
            let order = partly_random(10_000, percent, 3);
            assert!(Permutation::from_new_ids(order.as_slice().to_vec()).is_some());
            (0..).zip(order.as_slice()).filter(|(old, new)| old != *new).count()
        };
        assert_eq!(moved(0), 0);
        assert!((1900..2100).contains(&moved(20)), "{}", moved(20));
        assert!(moved(100) > 9980);
    }

    #[test]
    fn every_vertex_goes_everywhere_about_as_often() {
        let mut times = [[0; 5]; 5];
        for seed in 0..10_000 {
            random(5, seed).as_slice().iter().enumerate().for_each(|(old, new)| times[old][*new as usize] += 1);
        }
        assert!(times.iter().flatten().all(|times| (1850..2150).contains(times)), "{times:?}");
    }
}
