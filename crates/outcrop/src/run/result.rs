//! Result of a run.

use crate::memory_size::memory_record;
use crate::result::{ResultTable, StepRows, TableSource};
use outcrop_algorithms::{Outcome, Spec};
use outcrop_engine::Checkpoints;
use outcrop_report::{AnswerRecord, RunRecord};
use outcrop_types::{Error, Result};
use std::sync::Arc;

/// Rows of a result that are in its record.
const ROWS_OF_RECORD: usize = 10;

/// Result of a run; usable when the graph is closed and its store replaced.
pub struct RunResult {
    pub(super) outcome: Outcome,
    pub(super) rows: Option<StepRows>,
    pub(super) source: TableSource,
    pub(super) record: RunRecord,
    pub(super) spec: &'static Spec,
    pub(super) checkpoints: Option<Arc<Checkpoints>>,
}

impl RunResult {
    /// The values, with the user's own ids: a row per vertex, or per step of walks.
    pub fn table(&self) -> ResultTable<'_> {
        match &self.rows {
            Some(rows) => ResultTable::of_steps(rows, &self.source),
            None => ResultTable::new(&self.outcome.columns, &self.source),
        }
    }

    /// Record of what the run did and cost; its memory up to now, with what the writing of the result took.
    pub fn record(&self) -> RunRecord {
        RunRecord { memory: memory_record(&self.source.budget), ..self.record.clone() }
    }

    /// The record with the `requested` first rows, or else ten where memory holds what finding them takes.
    ///
    /// # Errors
    /// As for [`ResultTable::top`].
    pub fn record_with_top(&self, requested: Option<usize>) -> Result<RunRecord> {
        // Default: what nobody asked for is short.
        let top = match self.table().top_rows_of_record(requested.unwrap_or(ROWS_OF_RECORD)) {
            Err(Error::BudgetTooSmall { .. } | Error::OutOfMemory { .. }) if requested.is_none() => None,
            top => Some(top?).filter(|top| requested.is_some() || !top.rows.is_empty()),
        };
        let record = self.record();
        Ok(RunRecord { answer: AnswerRecord { top, ..record.answer }, ..record })
    }

    /// Removes the checkpoint of the run, if it had any: once its result is where it is to be.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn remove_checkpoint(&self) -> Result<()> {
        self.checkpoints.as_ref().map_or(Ok(()), |checkpoints| checkpoints.clear())
    }

    /// # Errors
    /// [`Error::NotConverged`] where a tolerance was not reached; the values are those of the last iteration.
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
