//! Result of a run.

use crate::memory_size::memory_record;
use crate::result::{ResultTable, StepRows, TableSource, for_each_group};
use outcrop_algorithms::{Outcome, Spec, Values};
use outcrop_engine::Checkpoints;
use outcrop_report::{AnswerRecord, RunRecord};
use outcrop_types::{Error, MemoryBudget, Result};
use std::sync::Arc;

/// Number of result rows in the record.
const ROWS_OF_RECORD: usize = 10;

/// Result of a run; remains usable after the graph is closed and its store replaced.
pub struct RunResult {
    pub(super) outcome: Outcome,
    pub(super) rows: Option<StepRows>,
    pub(super) source: TableSource,
    pub(super) record: RunRecord,
    pub(super) spec: &'static Spec,
    pub(super) checkpoints: Option<Arc<Checkpoints>>,
}

impl RunResult {
    /// Returns the values with the user's original IDs: a row per vertex, or per step of walks.
    pub fn table(&self) -> ResultTable<'_> {
        match &self.rows {
            Some(rows) => ResultTable::of_steps(rows, &self.source),
            None => ResultTable::new(&self.outcome.columns, &self.source).naming_groups(self.spec.names_groups()),
        }
    }

    /// Returns the 64-bit counts of the first column; none if it has other values.
    pub(crate) fn counts(&self) -> &[u64] {
        if let Some(Values::LargeCount(counts)) = self.values() { counts } else { &[] }
    }

    /// Returns the double-precision numbers of the first column; none if it has other values.
    pub(crate) fn numbers(&self) -> &[f64] {
        if let Some(Values::Float64(numbers)) = self.values() { numbers } else { &[] }
    }

    /// Calls `take` with the size of each group of vertices that the first column names.
    ///
    /// # Errors
    /// Returns an error if the budget is too small, if a read of values on disk fails, or on interruption.
    pub(crate) fn for_each_group(&self, take: &mut dyn FnMut(u32)) -> Result<()> {
        self.values().map_or(Ok(()), |values| for_each_group(values, &self.source, take))
    }

    /// Returns the budget of the run, with the memory of its result.
    pub(crate) const fn budget(&self) -> &MemoryBudget {
        &self.source.budget
    }

    fn values(&self) -> Option<&Values> {
        self.outcome.columns.first().map(|column| &column.values)
    }

    /// Returns the record of the run and its costs, with memory up to now, including writing the result.
    pub fn record(&self) -> RunRecord {
        RunRecord { memory: memory_record(&self.source.budget), ..self.record.clone() }
    }

    /// Returns the record with the first `requested` rows, or by default ten if memory suffices for finding them.
    ///
    /// # Errors
    /// Returns the errors of [`ResultTable::top`].
    pub fn record_with_top(&self, requested: Option<usize>) -> Result<RunRecord> {
        // Default: rows that were not requested may be omitted.
        let top = match self.table().top_rows_of_record(requested.unwrap_or(ROWS_OF_RECORD)) {
            Err(Error::BudgetTooSmall { .. } | Error::OutOfMemory { .. }) if requested.is_none() => None,
            top => Some(top?).filter(|top| requested.is_some() || !top.rows.is_empty()),
        };
        let record = self.record();
        Ok(RunRecord { answer: AnswerRecord { top, ..record.answer }, ..record })
    }

    /// Removes the checkpoint of the run, if any. Call this after the result has been stored.
    ///
    /// # Errors
    /// Returns an error on [`Error::Io`].
    pub fn remove_checkpoint(&self) -> Result<()> {
        self.checkpoints.as_ref().map_or(Ok(()), |checkpoints| checkpoints.clear())
    }

    /// # Errors
    /// Returns [`Error::NotConverged`] if a tolerance was not reached; the values are those of the last iteration.
    pub fn converged(&self) -> Result<()> {
        match self.outcome.convergence {
            Some(convergence) if !convergence.reached() && self.record.graph.vertices > 0 => Err(Error::NotConverged {
                algorithm: self.spec.name,
                iterations: self.outcome.iterations,
                change: convergence.change,
                tolerance: convergence.tolerance,
            }),
            _ => Ok(()),
        }
    }
}
