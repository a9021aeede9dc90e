//! Results of measurements.

use crate::outcome::Outcome;
use outcrop_types::{Error, Result};
use std::sync::{Arc, Mutex, PoisonError};

/// Result of a measurement; empty until its run has ended.
#[derive(Debug)]
pub struct Measured<T>(Arc<Mutex<Option<T>>>);

impl<T> Default for Measured<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T> Clone for Measured<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Measured<T> {
    /// Sets the result, and returns the outcome of a run of `iterations` iterations.
    pub(super) fn set(&self, result: T, iterations: u32) -> Outcome {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        Outcome::new(Vec::new(), iterations)
    }

    /// Takes the result of a completed run.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Internal`] if no run has ended since the last call.
    pub fn take(&self) -> Result<T> {
        let result = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        result.ok_or_else(|| Error::internal("a measurement has no result"))
    }
}
