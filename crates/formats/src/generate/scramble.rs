//! Pseudorandom relabeling of the vertices, so that the number of a vertex is unrelated to its degree.

use super::counter::Stream;

const ROUNDS: usize = 3;

/// Bijection on the numbers of `scale` bits: rounds of adding, multiplying by an odd number and folding the high bits
/// down.
#[derive(Clone, Debug)]
pub(super) struct Scramble {
    rounds: [(u32, u32); ROUNDS],
    mask: u32,
    fold: u32,
}

impl Scramble {
    /// Returns the bijection of `0..2^scale` for a seed; `scale` is 1 to 31.
    pub(super) fn new(scale: u32, seed: u64) -> Self {
        let numbers = Stream::Labels.of(seed);
        let round = |position| {
            let random = numbers.at(position as u64);
            (random as u32, (random >> 32) as u32 | 1)
        };
        Self { rounds: std::array::from_fn(round), mask: (1 << scale) - 1, fold: scale.div_ceil(2) }
    }

    /// Returns the new number of a vertex.
    #[inline]
    pub(super) fn apply(&self, vertex: u32) -> u32 {
        self.rounds.iter().fold(vertex, |label, (add, multiply)| {
            let label = label.wrapping_add(*add).wrapping_mul(*multiply) & self.mask;
            label ^ (label >> self.fold)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_a_bijection_at_every_scale() {
        for scale in 1..=16 {
            let scramble = Scramble::new(scale, u64::from(scale));
            let mut seen = vec![false; 1 << scale];
            (0..1 << scale).for_each(|v| seen[scramble.apply(v) as usize] = true);
            assert!(seen.into_iter().all(|s| s), "scale {scale}");
        }
    }

    #[test]
    fn neighbors_in_number_are_torn_apart() {
        let scramble = Scramble::new(20, 1);
        let near = (0..1000u32).filter(|v| scramble.apply(*v).abs_diff(scramble.apply(v + 1)) < 1000).count();
        assert!(near < 20, "{near}");
    }
}
