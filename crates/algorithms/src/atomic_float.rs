//! Atomic floating-point values.

use crate::UNREACHED;
use bytemuck::Zeroable;
use outcrop_engine::SharedBits;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Atomic `f64` or `f32` that computes in `f64`. All accesses are relaxed: each parallel loop ends before the next
/// starts.
pub trait AtomicFloat: SharedBits + Zeroable + 'static {
    /// Creates an atomic with `value`, rounded to the precision.
    fn new(value: f64) -> Self;
    /// Returns the value.
    fn load(&self) -> f64;
    /// Replaces the value.
    fn store(&self, value: f64);
    /// Returns the value with exclusive access, without atomics, so that loops can be vectorized.
    fn get(&mut self) -> f64;
    /// Replaces the value with exclusive access.
    fn set(&mut self, value: f64);
    /// Replaces the value with `other` if `other` is less; returns true if it was. Only for nonnegative values.
    fn lower_to(&self, other: f64) -> bool;
    /// Returns `value` rounded to the precision.
    fn rounded(value: f64) -> f64;
    /// Plain number type of the atomic.
    type Plain: Copy;
    /// Returns the plain number.
    fn into_plain(self) -> Self::Plain;
}

macro_rules! atomic_float {
    ($atomic:ty, $float:ty) => {
        impl AtomicFloat for $atomic {
            #[inline]
            fn new(value: f64) -> Self {
                Self::new((value as $float).to_bits())
            }

            #[inline]
            fn load(&self) -> f64 {
                f64::from(<$float>::from_bits(<$atomic>::load(self, Relaxed)))
            }

            #[inline]
            fn store(&self, value: f64) {
                <$atomic>::store(self, (value as $float).to_bits(), Relaxed);
            }

            #[inline]
            fn get(&mut self) -> f64 {
                f64::from(<$float>::from_bits(*self.get_mut()))
            }

            #[inline]
            fn set(&mut self, value: f64) {
                *self.get_mut() = (value as $float).to_bits();
            }

            #[inline]
            fn lower_to(&self, other: f64) -> bool {
                // The bits of nonnegative floats are in the order of the floats.
                let bits = (other as $float).to_bits();
                bits < <$atomic>::load(self, Relaxed) && self.fetch_min(bits, Relaxed) > bits
            }

            #[inline]
            fn rounded(value: f64) -> f64 {
                f64::from(value as $float)
            }

            type Plain = $float;

            fn into_plain(self) -> $float {
                <$float>::from_bits(self.into_inner())
            }
        }
    };
}

atomic_float!(AtomicU64, f64);
atomic_float!(AtomicU32, f32);

/// Number of edges as a distance: integers, with [`UNREACHED`] as infinity.
#[derive(Zeroable)]
#[repr(transparent)]
pub(crate) struct AtomicLevel(pub(crate) AtomicU32);

impl SharedBits for AtomicLevel {
    type Bits = u32;

    fn bits(&self) -> u32 {
        self.0.bits()
    }

    fn set_bits(&self, bits: u32) {
        self.0.set_bits(bits);
    }
}

/// Returns the distance for a number of edges.
#[inline]
fn of_level(level: u32) -> f64 {
    if level == UNREACHED { f64::INFINITY } else { f64::from(level) }
}

/// Returns the number of edges for a distance.
#[inline]
fn to_level(distance: f64) -> u32 {
    if distance.is_finite() { distance as u32 } else { UNREACHED }
}

impl AtomicFloat for AtomicLevel {
    fn new(value: f64) -> Self {
        Self(AtomicU32::new(to_level(value)))
    }

    #[inline]
    fn load(&self) -> f64 {
        of_level(self.0.load(Relaxed))
    }

    #[inline]
    fn store(&self, value: f64) {
        self.0.store(to_level(value), Relaxed);
    }

    fn get(&mut self) -> f64 {
        of_level(*self.0.get_mut())
    }

    fn set(&mut self, value: f64) {
        *self.0.get_mut() = to_level(value);
    }

    #[inline]
    fn lower_to(&self, other: f64) -> bool {
        let level = to_level(other);
        level < self.0.load(Relaxed) && self.0.fetch_min(level, Relaxed) > level
    }

    #[inline]
    fn rounded(value: f64) -> f64 {
        value
    }

    type Plain = u32;

    fn into_plain(self) -> u32 {
        self.0.into_inner()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lowers<F: AtomicFloat>() {
        let value = F::new(f64::INFINITY);
        assert!(value.lower_to(2.5) && !value.lower_to(2.5) && !value.lower_to(3.0) && value.lower_to(0.0));
        assert_eq!(value.load(), 0.0);
    }

    #[test]
    fn lowering_keeps_the_least() {
        lowers::<AtomicU64>();
        lowers::<AtomicU32>();
        let level = AtomicLevel::new(f64::INFINITY);
        assert!(level.lower_to(3.0) && !level.lower_to(4.0) && level.lower_to(2.0) && level.load() == 2.0);
    }
}
