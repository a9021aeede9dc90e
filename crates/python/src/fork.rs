//! Threads do not survive a fork: handles remember the process that they were made in.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

const FORKED: &str = "this outcrop object was created before the process forked and has no threads in the child; open the graph again in the child, or start processes with the method \"spawn\"";

/// The process that a handle belongs to.
#[derive(Clone, Copy)]
pub(crate) struct Owner(u32);

impl Owner {
    /// Returns the current process.
    pub(crate) fn this_process() -> Self {
        Self(std::process::id())
    }

    /// True if it is the current process.
    pub(crate) fn is_here(self) -> bool {
        self.0 == std::process::id()
    }

    /// # Errors
    /// This is another process.
    pub(crate) fn check(self) -> PyResult<()> {
        self.require().map_err(PyRuntimeError::new_err)
    }

    /// [`Owner::check`] with the message alone.
    ///
    /// # Errors
    /// This is another process.
    pub(crate) fn require(self) -> Result<(), &'static str> {
        if self.is_here() { Ok(()) } else { Err(FORKED) }
    }
}
