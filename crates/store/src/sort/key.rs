//! Fixed-size records and their keys.

use bytemuck::Pod;
use outcrop_types::index_from;

/// Integer sort key.
pub(crate) trait SortKey:
    Pod + Ord + Send + Sync + std::ops::BitOr<Output = Self> + std::ops::BitXor<Output = Self>
{
    /// The value zero.
    const ZERO: Self;

    /// Returns the number of significant bits.
    fn length(self) -> u32;

    /// Returns the digit of at most 16 bits that starts at bit `shift`.
    fn digit(self, shift: u32, bits: u32) -> usize;

    /// Returns the distance from `low`; 0 if the key is less than `low`.
    fn above(self, low: Self) -> Self;

    /// Returns the number without its lowest `shift` bits, at most 65,535.
    fn shifted(self, shift: u32) -> usize;
}

impl SortKey for u64 {
    const ZERO: Self = 0;

    #[inline]
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

    #[inline]
    fn length(self) -> u32 {
        Self::BITS - self.leading_zeros()
    }

    #[inline]
    fn digit(self, shift: u32, bits: u32) -> usize {
        // Only the low bits are used.
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

/// Record that can be sorted and spilled to disk in its memory representation.
pub(crate) trait Record: Pod + Send + Sync {
    /// Type of the sort key.
    type Key: SortKey;

    /// Returns the key; records with equal keys keep their order.
    fn key(&self) -> Self::Key;
}
