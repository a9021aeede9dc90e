//! Floating-point values that several threads may write.

use crate::UNREACHED;
use bytemuck::Zeroable;
use outcrop_engine::SharedBits;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// An atomic `f64` or `f32` that computes in `f64`. All accesses are relaxed: maps end before the next begins.
pub trait AtomicFloat: SharedBits + Zeroable + 'static {
    /// Holds `value`, rounded to the precision.
    fn new(value: f64) -> Self;
    /// The value.
    fn load(&self) -> f64;
    /// Replaces the value.
    fn store(&self, value: f64);
    /// The value, where nobody else can write it: without atomics, so that several are computed with at once.
    fn get(&mut self) -> f64;
    /// Replaces the value, where nobody else can look.
    fn set(&mut self, value: f64);
    /// Replaces the value by `other` if that is less; whether it was. Only for values that are not negative.
    fn lower_to(&self, other: f64) -> bool;
    /// The value that holding `value` would give back.
    fn rounded(value: f64) -> f64;
    /// The plain number behind the atomic.
    type Plain: Copy;
    /// Takes it out.
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
                // The bits of floats that are not negative are in the order of the floats.
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

/// A count of edges as a distance: whole numbers, of which [`UNREACHED`] is infinity.
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

/// The distance of so many edges.
#[inline]
fn of_level(level: u32) -> f64 {
    if level == UNREACHED { f64::INFINITY } else { f64::from(level) }
}

/// The number of edges of a distance.
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
