//! Python functions of a gather-apply-scatter program.

use crate::arguments::choose;
use crate::work::Failure;
use outcrop::engine::Aggregation;
use outcrop::{Error, Result};
use pyo3::prelude::*;
use std::sync::Arc;

/// Functions of a program.
#[derive(Clone)]
pub(crate) struct Functions(Arc<FunctionsInner>);

struct FunctionsInner {
    combine: Aggregation,
    apply: Py<PyAny>,
    scatter: Py<PyAny>,
    failure: Failure,
}

impl Functions {
    /// Creates the functions from the name of the operator that combines edge values, and from those that Python calls.
    pub(crate) fn new(combine: &str, apply: Py<PyAny>, scatter: Py<PyAny>, failure: Failure) -> Result<Self> {
        let combine = choose(
            "gather",
            combine,
            &[
                ("plus", Aggregation::Sum),
                ("times", Aggregation::Product),
                ("min", Aggregation::Min),
                ("max", Aggregation::Max),
            ],
        )?;
        Ok(Self(Arc::new(FunctionsInner { combine, apply, scatter, failure })))
    }

    pub(super) fn combine(&self) -> Aggregation {
        self.0.combine
    }

    pub(super) fn apply(&self) -> &Py<PyAny> {
        &self.0.apply
    }

    pub(super) fn scatter(&self) -> &Py<PyAny> {
        &self.0.scatter
    }

    /// Does `work`, which calls the functions; an exception ends the run, and is raised after it.
    pub(super) fn call(&self, work: impl FnOnce(Python<'_>) -> PyResult<()>) -> Result<()> {
        Python::attach(work).map_err(|error| {
            self.0.failure.set(error);
            Error::Interrupted
        })
    }
}
