//! Passes over lists.

use numpy::PyArray1;
use outcrop::ListSweep;
use pyo3::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A pass over all lists, or some.
#[pyclass(frozen, module = "outcrop._outcrop")]
pub(crate) struct Sweep(pub(crate) Mutex<ListSweep>);

#[pymethods]
impl Sweep {
    /// Estimated number of entries.
    #[getter]
    fn entries(&self) -> u64 {
        self.lock().entries()
    }
}

impl Sweep {
    pub(crate) fn lock(&self) -> MutexGuard<'_, ListSweep> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

type Array<'py, T> = Bound<'py, PyArray1<T>>;

/// Vertices, offsets, neighbors and weights of some lists, as arrays of NumPy in the same memory.
pub(crate) type Lists<'py> = (Array<'py, u32>, Array<'py, u64>, Array<'py, u32>, Option<Array<'py, f64>>);
