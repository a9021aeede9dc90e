//! The `outcrop` command.

use pyo3::prelude::*;
use std::ffi::OsString;

/// Runs the `outcrop` command and returns its exit code; `words` begins with the name of the program.
#[pyfunction]
pub(crate) fn command(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| outcrop_cli::run(words))
}
