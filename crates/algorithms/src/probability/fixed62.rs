//! Probability as integer multiples of 2^-62: sums are independent of the order, so several threads may add to one
//! value and results remain deterministic.

use outcrop_engine::{Engine, SharedBits};
use outcrop_gas::Totals;
use outcrop_types::{Result, VertexValues};
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

/// The probability 1.
pub(crate) const ONE: i64 = 1 << 62;

/// Amount of probability that several threads may add to.
#[derive(Debug)]
pub(crate) struct Fixed62(AtomicI64);

impl SharedBits for Fixed62 {
    type Bits = i64;

    fn bits(&self) -> i64 {
        self.get()
    }

    fn set_bits(&self, bits: i64) {
        self.set(bits);
    }
}

impl Fixed62 {
    /// Creates a zero amount per vertex.
    pub(crate) fn zeroes(engine: &Engine<'_>) -> Result<VertexValues<Self>> {
        Ok(engine.vertex_values(|_| AtomicI64::new(0))?.map(Self))
    }

    #[inline]
    pub(crate) fn get(&self) -> i64 {
        self.0.load(Relaxed)
    }

    #[inline]
    pub(crate) fn set(&self, amount: i64) {
        self.0.store(amount, Relaxed);
    }

    /// Adds `amount`; returns the previous value.
    #[inline]
    pub(crate) fn add(&self, amount: i64) -> i64 {
        self.0.fetch_add(amount, Relaxed)
    }

    /// Adds `amount` without concurrent access; returns the previous value.
    #[inline]
    pub(crate) fn add_alone(&self, amount: i64) -> i64 {
        let before = self.get();
        self.set(before.wrapping_add(amount));
        before
    }
}

/// Converts the probability `value` to an amount, rounded toward 0.
#[inline]
pub(crate) fn amount_of(value: f64) -> i64 {
    (value * ONE as f64) as i64
}

/// Converts the probability `value` to the nearest amount.
#[inline]
pub(crate) fn nearest_amount(value: f64) -> i64 {
    (value * ONE as f64).round() as i64
}

/// Converts an amount to a probability.
#[inline]
pub(crate) fn probability_of(amount: i64) -> f64 {
    amount as f64 / ONE as f64
}

/// Returns the fraction `factor` of an amount, rounded toward 0.
#[inline]
pub(crate) fn part_of(amount: i64, factor: f64) -> i64 {
    (amount as f64 * factor) as i64
}

/// Number of bits of an amount in the second of the two numbers that sum amounts of all vertices: both are integers
/// below 2^53, so sums are independent of the order.
const LOW_BITS: u32 = 20;

/// Adds `amount` to the total stored in two of the numbers that a program sums.
#[inline]
pub(crate) fn add_to_total(totals: &mut Totals, [high, low]: [usize; 2], amount: i64) {
    totals[high] += (amount >> LOW_BITS) as f64;
    totals[low] += (amount & ((1 << LOW_BITS) - 1)) as f64;
}

/// Returns the total stored in two of the numbers, as a probability.
#[inline]
pub(crate) fn total_of(totals: &Totals, [high, low]: [usize; 2]) -> f64 {
    (totals[high] * f64::from(1 << LOW_BITS) + totals[low]) / ONE as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_come_to_the_same_in_any_order() {
        let sign = |part: i64| if part % 3 == 0 { -1 } else { 1 };
        let amounts: Vec<i64> = (1..2000).map(|part| (ONE / 2000 + part * part) * sign(part)).collect();
        let total = |amounts: &mut dyn Iterator<Item = &i64>| {
            let mut totals = Totals::default();
            amounts.for_each(|amount| add_to_total(&mut totals, [1, 3], *amount));
            totals
        };
        let totals = total(&mut amounts.iter());
        assert_eq!(totals, total(&mut amounts.iter().rev()));
        assert_eq!(total_of(&totals, [1, 3]), probability_of(amounts.iter().sum()));
    }
}
