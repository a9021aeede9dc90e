//! Records of a fixed size and their keys.

use bytemuck::Pod;
use outcrop_types::index_from;

/// A whole number that records are sorted by.
pub trait SortKey:
    Copy + Ord + Send + Sync + std::ops::BitOr<Output = Self> + std::ops::BitXor<Output = Self> + 'static
{
    /// No bit.
    const ZERO: Self;
    /// All bits.
    const MAX: Self;

    /// Bits that it takes to write the number.
    fn length(self) -> u32;

    /// The digit of at most 16 bits from bit `shift` on.
    fn digit(self, shift: u32, bits: u32) -> usize;
}

impl SortKey for u64 {
    const ZERO: Self = 0;
    const MAX: Self = Self::MAX;

    fn length(self) -> u32 {
        Self::BITS - self.leading_zeros()
    }

    #[inline]
    fn digit(self, shift: u32, bits: u32) -> usize {
        index_from(self.wrapping_shr(shift) & !(Self::MAX << bits))
    }
}

impl SortKey for u128 {
    const ZERO: Self = 0;
    const MAX: Self = Self::MAX;

    fn length(self) -> u32 {
        Self::BITS - self.leading_zeros()
    }

    #[inline]
    fn digit(self, shift: u32, bits: u32) -> usize {
        // Only the low bits are looked at.
        (self.wrapping_shr(shift) as usize) & !(usize::MAX << bits)
    }
}

/// A record that can be sorted and spilled to disk as it is.
pub trait Record: Pod + Send + Sync {
    /// Type of the sort key.
    type Key: SortKey;

    /// Its key; records with equal keys keep the order in which they came.
    fn key(&self) -> Self::Key;
}
