//! Element types of arrays: plain bytes, and numbers with concurrent access.

use bytemuck::Pod;
use std::convert::identity;
use std::fmt::Debug;
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering::Relaxed};

/// Plain bytes of a fixed size: a stored value of a vertex or an edge, a message, a record.
pub trait Plain: Pod + Send + Sync + Debug {}

impl<T: Pod + Send + Sync + Debug> Plain for T {}

/// A number: `u32`, `u64`, `i64`, `f32`, `f64`.
pub trait Number: Plain + PartialEq {
    /// Atomic type of the number.
    type Atomic: Send + Sync + Debug;

    /// Converts the value to an atomic.
    fn into_atomic(self) -> Self::Atomic;
    /// Converts an atomic to its value.
    fn from_atomic(atomic: Self::Atomic) -> Self;
    /// Returns the current value.
    fn load(atomic: &Self::Atomic) -> Self;
    /// Replaces the value.
    fn store(self, atomic: &Self::Atomic);
    /// Replaces the value if its bits are still those of `known`.
    ///
    /// # Errors
    ///
    /// Returns the actual value if they are not.
    fn exchange(self, known: Self, atomic: &Self::Atomic) -> Result<(), Self>;

    /// Returns the bitwise AND.
    #[must_use]
    fn and(self, other: Self) -> Self;
    /// Returns the bitwise OR.
    #[must_use]
    fn or(self, other: Self) -> Self;
    /// Returns the sum; integers wrap around.
    #[must_use]
    fn sum(self, other: Self) -> Self;
    /// Returns the product; integers wrap around.
    #[must_use]
    fn product(self, other: Self) -> Self;
    /// Returns the smaller value.
    #[must_use]
    fn smaller(self, other: Self) -> Self;
    /// Returns the larger value.
    #[must_use]
    fn larger(self, other: Self) -> Self;
}

macro_rules! as_atomics {
    ($number:ty, $atomic:ty, $to:expr, $from:expr, $sum:expr, $product:expr) => {
        impl Number for $number {
            type Atomic = $atomic;

            #[inline]
            fn into_atomic(self) -> Self::Atomic {
                <$atomic>::new($to(self))
            }
            #[inline]
            fn from_atomic(atomic: Self::Atomic) -> Self {
                $from(atomic.into_inner())
            }
            #[inline]
            fn load(atomic: &Self::Atomic) -> Self {
                $from(atomic.load(Relaxed))
            }
            #[inline]
            fn store(self, atomic: &Self::Atomic) {
                atomic.store($to(self), Relaxed);
            }
            #[inline]
            fn exchange(self, known: Self, atomic: &Self::Atomic) -> Result<(), Self> {
                atomic.compare_exchange_weak($to(known), $to(self), Relaxed, Relaxed).map(|_| ()).map_err($from)
            }

            fn and(self, other: Self) -> Self {
                $from($to(self) & $to(other))
            }
            fn or(self, other: Self) -> Self {
                $from($to(self) | $to(other))
            }
            fn sum(self, other: Self) -> Self {
                $sum(self, other)
            }
            fn product(self, other: Self) -> Self {
                $product(self, other)
            }
            fn smaller(self, other: Self) -> Self {
                self.min(other)
            }
            fn larger(self, other: Self) -> Self {
                self.max(other)
            }
        }
    };
}

as_atomics!(u32, AtomicU32, identity, identity, Self::wrapping_add, Self::wrapping_mul);
as_atomics!(u64, AtomicU64, identity, identity, Self::wrapping_add, Self::wrapping_mul);
as_atomics!(i64, AtomicI64, identity, identity, Self::wrapping_add, Self::wrapping_mul);
as_atomics!(f32, AtomicU32, Self::to_bits, Self::from_bits, |one: Self, other| one + other, |one: Self, other| one
    * other);
as_atomics!(f64, AtomicU64, Self::to_bits, Self::from_bits, |one: Self, other| one + other, |one: Self, other| one
    * other);

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds `step` to one number `rounds` times in each of three threads.
    fn sum<T: Number>(step: T, rounds: usize) -> T {
        let sum = T::zeroed().into_atomic();
        std::thread::scope(|scope| {
            for _ in 0..3 {
                let sum = &sum;
                scope.spawn(move || {
                    for _ in 0..rounds {
                        let mut known = T::load(sum);
                        while let Err(found) = known.sum(step).exchange(known, sum) {
                            known = found;
                        }
                    }
                });
            }
        });
        T::from_atomic(sum)
    }

    #[test]
    fn exchanges_of_several_threads_lose_no_term() {
        let rounds = if cfg!(miri) { 20 } else { 10_000 };
        assert_eq!(sum(2_u32, rounds), 6 * rounds as u32);
        assert_eq!(sum(3_u64, rounds), 9 * rounds as u64);
        assert_eq!(sum(-1_i64, rounds), -3 * rounds as i64);
        assert_eq!(sum(0.5_f32, rounds), 1.5 * rounds as f32);
        assert_eq!(sum(0.25_f64, rounds), 0.75 * rounds as f64);
    }
}
