//! Bit-packed numbers of a fixed width.

use outcrop_types::{MemoryBudget, Purpose, Result, VertexValues, index_from, number_from};

/// `length` numbers of `width` bits each, at most 32.
#[derive(Debug)]
pub(super) struct PackedNumbers {
    words: VertexValues<u64>,
    width: u32,
}

impl PackedNumbers {
    /// Returns the number of bits for numbers below `limit`, at least 1.
    pub(super) const fn width_for(limit: u32) -> u32 {
        let bits = u32::BITS - limit.saturating_sub(1).leading_zeros();
        if bits == 0 { 1 } else { bits }
    }

    /// Returns the memory of `length` numbers of `width` bits, in bytes.
    pub(super) const fn bytes(length: u32, width: u32) -> u64 {
        Self::words(length, width) * 8
    }

    /// Returns the number of words, with one extra: a number may start in the last word but one.
    const fn words(length: u32, width: u32) -> u64 {
        (length as u64 * width as u64).div_ceil(64) + 1
    }

    /// Creates `length` zeros of `width` bits.
    ///
    /// # Errors
    /// Returns an error if the budget is too small.
    pub(super) fn new(budget: &MemoryBudget, purpose: Purpose, length: u32, width: u32) -> Result<Self> {
        let words = index_from(Self::words(length, width));
        Ok(Self { words: VertexValues::zeroes(budget, purpose, words)?, width })
    }

    /// Replaces the zero at `position` with `number`, which must fit the width.
    pub(super) fn set(&mut self, position: u32, number: u32) {
        let (word, shift) = self.at(position);
        if let Some([low, high]) = self.words.get_mut(word..word + 2) {
            *low |= u64::from(number) << shift;
            // Shifts by 64 in two steps.
            *high |= u64::from(number) >> 1 >> (63 - shift);
        }
    }

    /// Returns the number at `position`.
    #[inline]
    pub(super) fn get(&self, position: u32) -> u32 {
        let (word, shift) = self.at(position);
        let [low, high] = self.words.get(word..word + 2).map_or([0, 0], |pair| [pair[0], pair[1]]);
        // Shifts by 64 in two steps.
        let bits = low >> shift | (high << 1) << (63 - shift);
        number_from(bits & ((1 << self.width) - 1))
    }

    #[inline]
    fn at(&self, position: u32) -> (usize, u32) {
        let bit = u64::from(position) * u64::from(self.width);
        (index_from(bit / 64), number_from(bit % 64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_width_come_back() {
        let budget = MemoryBudget::new(1 << 20);
        for width in 1..=32 {
            let mask = ((1_u64 << width) - 1) as u32;
            let number = |i: u32| i.wrapping_mul(2_654_435_761).rotate_left(i) & mask;
            let mut numbers = PackedNumbers::new(&budget, Purpose::Index, 200, width).unwrap();
            (0..200).for_each(|i| numbers.set(i, number(i)));
            assert!((0..200).all(|i| numbers.get(i) == number(i)), "width {width}");
            assert_eq!(numbers.words.len() as u64 * 8, PackedNumbers::bytes(200, width));
        }
        assert_eq!([0, 1, 2, 3, 256, 257, u32::MAX].map(PackedNumbers::width_for), [1, 1, 1, 2, 8, 9, 32]);
    }
}
