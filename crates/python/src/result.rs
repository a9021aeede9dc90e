//! Results of runs.

use crate::batches::{Batches, schema_capsule};
use crate::error::{OrException, json};
use crate::fork::Owner;
use crate::work::run;
use outcrop::RunResult;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Result of a run. A checkpoint of the run stays until the result was written, or all its values were read.
#[pyclass(frozen, module = "outcrop._outcrop")]
pub(crate) struct ResultHandle {
    result: RunResult,
    owner: Owner,
    /// Number of rows, from the first on, of which all values were read.
    collected: AtomicU64,
}

impl ResultHandle {
    pub(crate) const fn new(result: RunResult, owner: Owner) -> Self {
        Self { result, owner, collected: AtomicU64::new(0) }
    }

    /// Counts rows that were read, of one column or of all, and removes the checkpoint of the run once all were.
    fn collect(&self, rows: Range<u64>, column: Option<usize>) -> outcrop::Result<()> {
        let table = self.result.table();
        let only = table.schema().fields().len() == 2;
        if column.is_none_or(|column| column == 1 && only) && rows.start <= self.collected.load(Relaxed) {
            let collected = self.collected.fetch_max(rows.end, Relaxed).max(rows.end);
            if collected >= table.rows() {
                return self.result.remove_checkpoint();
            }
        }
        Ok(())
    }
}

#[pymethods]
impl ResultHandle {
    fn __len__(&self) -> usize {
        self.result.table().rows() as usize
    }

    /// Names of the columns.
    fn names(&self) -> Vec<String> {
        self.result.table().schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.result.table().schema())
    }

    /// The run record as JSON.
    fn record(&self) -> PyResult<String> {
        json(&self.result.record())
    }

    /// Raises an exception if a tolerance was not reached.
    fn check_converged(&self, py: Python<'_>) -> PyResult<()> {
        self.result.converged().or_exception(py)
    }

    /// Returns the rows from `start` to before `stop` in memory, of one column or of all.
    #[pyo3(signature = (start=0, stop=u64::MAX, column=None))]
    fn read(&self, py: Python<'_>, start: u64, stop: u64, column: Option<usize>) -> PyResult<Batches> {
        self.owner.check()?;
        let table = self.result.table().within(start..stop);
        let table = if let Some(index) = column { table.column(index) } else { table };
        let schema = Arc::new(table.schema());
        let batches = run(py, None, |call| {
            let mut batches = Vec::new();
            table.stopped_by(call.cancellation.clone()).for_each_batch(|batch| {
                batches.push(batch.clone());
                Ok(())
            })?;
            self.collect(start..stop, column)?;
            Ok(batches)
        })?;
        Ok(Batches::new(schema, batches))
    }

    /// The rows with the largest values.
    fn top(&self, py: Python<'_>, count: usize) -> PyResult<Batches> {
        self.owner.check()?;
        let top = run(py, None, |call| self.result.table().stopped_by(call.cancellation.clone()).top(count))?;
        Ok(Batches::new(top.schema(), vec![top]))
    }

    /// Writes the report of the run.
    fn report(&self, py: Python<'_>, path: PathBuf, overwrite: bool) -> PyResult<()> {
        self.owner.check()?;
        run(py, None, |_| {
            let page = self.result.record_with_top(None)?.to_html();
            outcrop::write_report(&page, outcrop::create_output(&path, overwrite)?)
        })
    }

    /// Writes all rows to a file, in the format that its name ends in.
    fn write(&self, py: Python<'_>, path: PathBuf, overwrite: bool) -> PyResult<()> {
        self.owner.check()?;
        run(py, None, |call| {
            self.result.table().stopped_by(call.cancellation.clone()).write(&path, overwrite)?;
            self.result.remove_checkpoint()
        })
    }
}
