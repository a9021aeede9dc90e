//! Records of a fixed size and their keys.

use bytemuck::Pod;
use outcrop_types::index_from;

/// A whole number that records are sorted by.
pub trait SortKey: Pod + Ord + Send + Sync + std::ops::BitOr<Output = Self> + std::ops::BitXor<Output = Self> {
    /// No bit.
    const ZERO: Self;

    /// Bits that it takes to write the number.
    fn length(self) -> u32;

    /// The digit of at most 16 bits from bit `shift` on.
    fn digit(self, shift: u32, bits: u32) -> usize;

    /// Distance from `low`; 0 where it is less than that.
    fn above(self, low: Self) -> Self;

    /// The number without its lowest `shift` bits, or 65,535 if it is larger.
    fn shifted(self, shift: u32) -> usize;
}

impl SortKey for u64 {
    const ZERO: Self = 0;

    fn length(self) -> u32 {
        Self::BITS - self.leading_zeros()
    }

    #[inline]
    fn digit(self, shift: u32, bits: u32) -> usize {
        index_from(self.wrapping_shr(shift) & !(Self::MAX << bits))
    }

    #[inline]
    fn above(self, low: Self) -> Self {
        self.saturating_sub(low)
    }

    #[inline]
    fn shifted(self, shift: u32) -> usize {
        self.wrapping_shr(shift).min(Self::from(u16::MAX)) as usize
    }
}

impl SortKey for u128 {
    const ZERO: Self = 0;

    fn length(self) -> u32 {
        Self::BITS - self.leading_zeros()
    }

    #[inline]
    fn digit(self, shift: u32, bits: u32) -> usize {
        // Only the low bits are looked at.
        (self.wrapping_shr(shift) as usize) & !(usize::MAX << bits)
    }

    #[inline]
    fn above(self, low: Self) -> Self {
        self.saturating_sub(low)
    }

    #[inline]
    fn shifted(self, shift: u32) -> usize {
        self.wrapping_shr(shift).min(Self::from(u16::MAX)) as usize
    }
}

/// A record that can be sorted and spilled to disk as it is.
pub trait Record: Pod + Send + Sync {
    /// Type of the sort key.
    type Key: SortKey;

    /// Its key; records with equal keys keep the order in which they came.
    fn key(&self) -> Self::Key;
}
