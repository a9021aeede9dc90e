//! HyperLogLog counters (Flajolet, Fusy, Gandouet and Meunier, AofA 2007), with the estimator of Ertl
//! (arXiv:1702.01284, 2017), which grows with every register and needs no correction for small sets.

use outcrop_types::SplitMix64;
use std::f64::consts::LN_2;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Registers per word, one byte each.
const PER_WORD: u32 = 8;
/// High bit of each register, which is never set: ranks are at most 61.
const HIGH_BITS: u64 = 0x8080_8080_8080_8080;

/// Size and hash function of all counters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counters {
    /// Number of registers per counter, a power of 2 and at least [`PER_WORD`].
    registers: u32,
    hashes: SplitMix64,
}

impl Counters {
    /// Creates counters of `registers` registers.
    pub(super) const fn new(registers: u32, seed: u64) -> Self {
        Self { registers, hashes: SplitMix64::new(seed, 0) }
    }

    /// Returns the number of words of a counter.
    pub(super) const fn words(self) -> usize {
        (self.registers / PER_WORD) as usize
    }

    /// Returns the register and the rank of an element.
    fn place(self, element: u32) -> (u32, u32) {
        let (hash, bits) = (self.hashes.at(element.into()), self.registers.trailing_zeros());
        ((hash as u32) & (self.registers - 1), (hash >> bits).trailing_zeros().min(u64::BITS - bits) + 1)
    }

    /// Returns the word at `position` of the counter that contains only `element`.
    pub(super) fn word_of(self, element: u32, position: usize) -> u64 {
        let (register, rank) = self.place(element);
        let here = (register / PER_WORD) as usize == position;
        if here { u64::from(rank) << (register % PER_WORD * u8::BITS) } else { 0 }
    }

    /// Returns the estimated size of the set that contains only `element`.
    pub(super) fn estimate_of(self, element: u32) -> f64 {
        self.size(self.registers - 1, inverse_power(self.place(element).1 as u8))
    }

    /// Returns the estimated size of the set in `counter`.
    pub(super) fn estimate(self, counter: &[AtomicU64]) -> f64 {
        let (mut zeros, mut sum) = (0, 0.0);
        for rank in counter.iter().flat_map(|word| word.load(Relaxed).to_le_bytes()) {
            match rank {
                0 => zeros += 1,
                _ => sum += inverse_power(rank),
            }
        }
        self.size(zeros, sum)
    }

    /// Returns the estimate from the number of empty registers, and the sum of the inverse powers of the others.
    fn size(self, zeros: u32, sum: f64) -> f64 {
        let registers = f64::from(self.registers);
        registers * registers / (2.0 * LN_2 * (registers * sigma(f64::from(zeros) / registers) + sum))
    }
}

/// Adds the elements of `more` to `counter`; returns true if a register grew.
#[inline]
pub(super) fn unite(counter: &[AtomicU64], more: &[AtomicU64]) -> bool {
    let mut grew = false;
    for (word, more) in counter.iter().zip(more) {
        let more = more.load(Relaxed);
        let larger = |known| Some(larger(known, more)).filter(|larger| *larger != known);
        grew |= word.fetch_update(Relaxed, Relaxed, larger).is_ok();
    }
    grew
}

/// Returns the larger of the registers of two words.
#[inline]
const fn larger(one: u64, other: u64) -> u64 {
    // In each byte, 0xff if the register of `one` is at least that of `other`.
    let mask = ((((one | HIGH_BITS) - other) & HIGH_BITS) >> 7) * 0xff;
    (one & mask) | (other & !mask)
}

/// Returns 2^-rank.
fn inverse_power(rank: u8) -> f64 {
    f64::from_bits((1023 - u64::from(rank)) << 52)
}

/// Returns x + sum over k >= 1 of x^(2^k) 2^(k-1), for x below 1.
fn sigma(x: f64) -> f64 {
    let (mut power, mut factor, mut sum) = (x, 1.0, x);
    loop {
        power *= power;
        let before = sum;
        sum += power * factor;
        factor *= 2.0;
        if sum == before {
            return sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counter(counters: Counters, elements: impl IntoIterator<Item = u32>) -> Vec<AtomicU64> {
        let all: Vec<_> = (0..counters.words()).map(|_| AtomicU64::new(0)).collect();
        for element in elements {
            let one: Vec<_> = (0..all.len()).map(|word| AtomicU64::new(counters.word_of(element, word))).collect();
            unite(&all, &one);
            assert!(!unite(&all, &one));
        }
        all
    }

    #[test]
    fn words_are_united_register_by_register() {
        assert_eq!(larger(0x0102_0000_0000_0509, 0x0201_0000_0000_0508), 0x0202_0000_0000_0509);
        assert_eq!(larger(0x3d3d_3d3d_3d3d_3d3d, 0), 0x3d3d_3d3d_3d3d_3d3d);
    }

    #[test]
    fn sizes_are_as_exact_as_stated() {
        for (registers, size) in [(16, 1000), (64, 1), (64, 10), (64, 100), (64, 5000), (1024, 5000)] {
            let errors = (0..200).map(|seed| {
                let counters = Counters::new(registers, seed);
                let error = counters.estimate(&counter(counters, 0..size)) / f64::from(size) - 1.0;
                assert!(size > 1 || counters.estimate_of(0) == counters.estimate(&counter(counters, [0])));
                error
            });
            let errors: Vec<f64> = errors.collect();
            let mean = errors.iter().sum::<f64>() / 200.0;
            let deviation = (errors.iter().map(|error| error * error).sum::<f64>() / 200.0).sqrt();
            let stated = 1.04 / f64::from(registers).sqrt();
            assert!(deviation < 1.25 * stated && mean.abs() < stated / 3.0, "{registers} {size}: {mean} {deviation}");
        }
    }
}
