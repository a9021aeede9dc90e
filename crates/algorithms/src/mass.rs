//! Probability in whole multiples of 2^-62: sums of it come to the same in any order, so that many threads may add to one value and
//! answers still do not depend on them.

use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

/// The probability 1.
pub(crate) const WHOLE: i64 = 1 << 62;

/// An amount of probability that many threads may add to.
#[derive(Debug)]
pub(crate) struct Mass(AtomicI64);

impl Mass {
    pub(crate) const fn new(amount: i64) -> Self {
        Self(AtomicI64::new(amount))
    }

    #[inline]
    pub(crate) fn get(&self) -> i64 {
        self.0.load(Relaxed)
    }

    #[inline]
    pub(crate) fn set(&self, amount: i64) {
        self.0.store(amount, Relaxed);
    }

    /// Adds to it; what it was before.
    #[inline]
    pub(crate) fn add(&self, amount: i64) -> i64 {
        self.0.fetch_add(amount, Relaxed)
    }

    /// Adds to it while no other thread does; what it was before.
    #[inline]
    pub(crate) fn add_alone(&self, amount: i64) -> i64 {
        let before = self.get();
        self.set(before.wrapping_add(amount));
        before
    }
}

/// The probability `value` as an amount, rounded towards 0.
#[inline]
pub(crate) fn amount_of(value: f64) -> i64 {
    (value * WHOLE as f64) as i64
}

/// The probability `value` as the nearest amount.
#[inline]
pub(crate) fn nearest_amount(value: f64) -> i64 {
    (value * WHOLE as f64).round() as i64
}

/// An amount as a probability.
#[inline]
pub(crate) fn probability_of(amount: i64) -> f64 {
    amount as f64 / WHOLE as f64
}

/// The part `factor` of an amount, rounded towards 0.
#[inline]
pub(crate) fn part_of(amount: i64, factor: f64) -> i64 {
    (amount as f64 * factor) as i64
}
