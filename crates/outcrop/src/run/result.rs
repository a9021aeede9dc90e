//! Result of a run.

use crate::memory_size::memory_record;
use crate::result::{ResultTable, StepRows, TableSource};
use outcrop_algorithms::{Outcome, Spec};
use outcrop_engine::Checkpoints;
use outcrop_report::{AnswerRecord, RunRecord};
use outcrop_types::{Error, Result};
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
