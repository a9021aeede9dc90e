//! Slice with one value per vertex, reserved from the budget.

use super::allocation_refusals::{filled, zeroes};
use super::budget::{MemoryBudget, Reservation};
use super::plan::Purpose;
use crate::{Result, length_from};
use bytemuck::Zeroable;
use std::ops::{Deref, DerefMut};

/// Slice with one value per vertex, and its reservation.
#[derive(Debug)]
pub struct VertexValues<T> {
    values: Vec<T>,
    _held: Reservation,
}

impl<T> VertexValues<T> {
    /// Creates `length` values, with `value(i)` at position `i`.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget has less than [`VertexValues::bytes`] left, or [`crate::Error::OutOfMemory`].
    pub fn new(budget: &MemoryBudget, purpose: Purpose, length: usize, value: impl FnMut(usize) -> T) -> Result<Self> {
        let held = budget.reserve_growing(Self::bytes(length_from(length)), purpose)?;
        Ok(Self { values: filled(length, purpose, value)?, _held: held })
    }

    /// Returns the memory of `length` values, in bytes.
    pub const fn bytes(length: u64) -> u64 {
        length * size_of::<T>() as u64
    }

    /// Returns the values as a plain vector, and their reservation.
    pub fn into_parts(self) -> (Vec<T>, Reservation) {
        (self.values, self._held)
    }
}

impl<T: Zeroable> VertexValues<T> {
    /// Creates `length` zeros in untouched memory.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`VertexValues::new`].
    pub fn zeroes(budget: &MemoryBudget, purpose: Purpose, length: usize) -> Result<Self> {
        let held = budget.reserve(Self::bytes(length_from(length)), purpose)?;
        Ok(Self { values: zeroes(length, purpose)?, _held: held })
    }
}

impl<T> VertexValues<T> {
    /// Maps each value to one of the same size, in place if the compiler can optimize it.
    #[must_use]
    pub fn map<U>(self, change: impl FnMut(T) -> U) -> VertexValues<U> {
        const { assert!(size_of::<T>() == size_of::<U>(), "a map must not change the size of the reservation") };
        VertexValues { values: self.values.into_iter().map(change).collect(), _held: self._held }
    }

    /// Lends the values to `work`, after mapping them with `there` to another type of the same size, and maps them
    /// `back` afterwards; in place if the compiler can optimize it.
    pub fn lend<U, R>(
        &mut self,
        there: impl FnMut(T) -> U,
        back: impl FnMut(U) -> T,
        work: impl FnOnce(&[U]) -> R,
    ) -> R {
        const { assert!(size_of::<T>() == size_of::<U>(), "lent memory must match the reservation") };
        let lent: Vec<U> = std::mem::take(&mut self.values).into_iter().map(there).collect();
        let outcome = work(&lent);
        self.values = lent.into_iter().map(back).collect();
        outcome
    }
}

impl<T> Deref for VertexValues<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.values
    }
}

impl<T> DerefMut for VertexValues<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.values
    }
}
