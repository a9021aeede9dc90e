//! Temporary folders, and the rule where nothing is written.

use crate::error::OrException;
use outcrop::TemporaryFolder;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// A folder that goes with this object; what killed processes have left beside it is removed when it is made.
#[pyclass(frozen, module = "outcrop._outcrop")]
pub(crate) struct TemporaryHandle {
    /// `None` once removed.
    folder: Mutex<Option<TemporaryFolder>>,
    #[pyo3(get)]
    path: PathBuf,
}

#[pymethods]
impl TemporaryHandle {
    /// Makes the folder in `parent`.
    #[new]
    fn new(py: Python<'_>, parent: PathBuf) -> PyResult<Self> {
        let folder = outcrop::require_own_place(&parent).and_then(|()| TemporaryFolder::create_in(&parent));
        let folder = folder.or_exception(py)?;
        Ok(Self { path: folder.path().to_owned(), folder: Mutex::new(Some(folder)) })
    }

    /// Removes the folder, in the process that made it.
    fn remove(&self, py: Python<'_>) {
        py.detach(|| drop(self.folder.lock().unwrap_or_else(PoisonError::into_inner).take()));
    }
}

/// Raises where `path` is, or lies in, a folder of a store.
#[pyfunction]
pub(crate) fn require_own_place(py: Python<'_>, path: PathBuf) -> PyResult<()> {
    outcrop::require_own_place(&path).or_exception(py)
}
