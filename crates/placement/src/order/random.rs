//! Uniformly random order: the baseline of all others.

use outcrop_types::{Permutation, SplitMix64, VertexId};

/// Returns a permutation of `vertices` vertices, determined by the seed (Fisher and Yates, as in Knuth, volume 2,
/// algorithm P). Takes 8 bytes per vertex.
pub fn random(vertices: u32, seed: u64) -> Permutation {
    let mut order: Vec<VertexId> = (0..vertices).collect();
    let numbers = SplitMix64::new(seed, 0);
    for place in (1..vertices).rev() {
        order.swap(place as usize, numbers.up_to(u64::from(place), place) as usize);
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
    fn every_vertex_goes_everywhere_about_as_often() {
        let mut times = [[0; 5]; 5];
        for seed in 0..10_000 {
            random(5, seed).as_slice().iter().enumerate().for_each(|(old, new)| times[old][*new as usize] += 1);
        }
        assert!(times.iter().flatten().all(|times| (1850..2150).contains(times)), "{times:?}");
    }
}
