//! Runs an algorithm within the budget.

mod arriving_edges;
mod context;
mod edge_map;
mod gas;
mod interval;
mod messages;
mod model;
mod named_vertices;
mod plan;
mod purposes;
mod record;
mod result;
mod steps;

pub(crate) use context::Origin;
pub use plan::{Alternative, Estimate, MachineShortage, RunTime, Shortage};
pub(crate) use plan::{RunVariant, room_in};
pub(crate) use record::given_parameters;
pub use result::RunResult;

use crate::checkpoints::{self, copy_bytes};
use crate::graph::Graph;
use crate::incremental::{self, Incremental};
use crate::request::{ExecutionPlan, RunRequest};
use crate::result::{Summary, TableSource, by_rank};
use arriving_edges::list_bytes;
use context::{Choice, Finished, RunContext};
use named_vertices::NamedVertices;
use outcrop_algorithms::Model;
use outcrop_engine::Checkpoints;
use outcrop_gas::ArrivingArc;
use outcrop_io::ProcessUsage;
use outcrop_report::Recorder;
use outcrop_types::{Error, MemoryBudget, Observer, Phase, ProgressUnit, Purpose, Result, length_from};
use record::{Ended, parameters};
use std::sync::Arc;

impl Graph {
    /// Runs an algorithm.
    ///
    /// # Errors
    /// Returns an error if parameters are invalid, if the budget is too small (with the exact minimum), if the store
    /// is damaged, if a read fails, or on interruption. A run that does not converge is not an error; see
    /// [`RunResult::converged`].
    pub fn run(&self, request: &RunRequest<'_>) -> Result<RunResult> {
        self.run_as(request, &Origin::new(self, None))
    }

    /// Runs an algorithm, and records the run in the history of the graph of `origin`.
    pub(crate) fn run_as(&self, request: &RunRequest<'_>, origin: &Origin<'_>) -> Result<RunResult> {
        let outcome = self.run_from(request, origin).map_err(|refusal| self.page_cache.in_refusal(refusal));
        origin.remember(request, &outcome);
        outcome
    }

    /// Runs an algorithm without recording the run in the run history.
    pub(crate) fn run_unrecorded(&self, request: &RunRequest<'_>) -> Result<RunResult> {
        self.run_from(request, &Origin::new(self, None)).map_err(|refusal| self.page_cache.in_refusal(refusal))
    }

    fn run_from(&self, request: &RunRequest<'_>, origin: &Origin<'_>) -> Result<RunResult> {
        let before = ProcessUsage::now();
        request.validate()?;
        request.require()?;
        self.require_layout(request.layout()?)?;
        let budget = MemoryBudget::new(self.memory);
        let arrivals = self.arrivals(request, &budget)?;
        let mut choice = self.choose(request, length_from(arrivals.len()), 0)?;
        loop {
            match self.run_chosen(request, origin, &choice, &arrivals, &budget, before) {
                Err(error) if choice.outgrown_by(&error) => choice = self.choose_after(choice, request, &arrivals)?,
                outcome => return outcome,
            }
        }
    }

    fn run_chosen(
        &self,
        request: &RunRequest<'_>,
        origin: &Origin<'_>,
        choice: &Choice<'_>,
        arrivals: &[ArrivingArc],
        budget: &MemoryBudget,
        before: ProcessUsage,
    ) -> Result<RunResult> {
        budget.require(&choice.plan).map_err(|error| error.hinting(self.memory_hint(request, &choice.plan)))?;
        let _list = budget.reserve(list_bytes(length_from(arrivals.len())), Purpose::InputBuffers)?;
        let warm = self.last_run.as_ref().map(|last| last.hand_over(budget));
        let recorder = Recorder::new(&*self.observer);
        choice.note.iter().for_each(|note| recorder.note(note));
        let _copies = budget.reserve(copy_bytes(request), Purpose::IoBuffers)?;
        let checkpoints = self.checkpoints(request, choice, &recorder)?;
        let incremental = self.incremental(request, choice, budget, &recorder)?;
        recorder.phase(&Phase { name: "loading indexes", unit: ProgressUnit::Bytes, total: None });
        let spill = choice.model.spill_folder()?;
        let (warm_lists, observer) = (warm.as_deref(), &recorder);
        let run = RunContext {
            graph: self,
            request,
            choice,
            spill,
            arrivals,
            budget,
            warm: warm_lists,
            checkpoints: checkpoints.clone(),
            incremental,
            observer,
        };
        run.note_weights()?;
        let named = NamedVertices::find(request, &self.store, self.io, budget)?;
        let vector_folder = run.spill.as_ref().filter(|_| choice.execution.model == Model::Interval);
        let vector = self.vector_of(request, budget, vector_folder)?;
        let (mut finished, reading) = choice.model.execute(&run, &named, vector)?;
        drop(named);
        let source = TableSource::new(self, budget.clone())?;
        order_by_rank(&mut finished, &source, &recorder)?;
        let summary = Summary::of(&finished.outcome.columns, request.spec(), &source)?;
        let ended = Ended { finished: &finished, reading: &reading, summary, before, origin };
        let record = run.record(ended, &recorder)?;
        self.last_run.iter().zip(warm).for_each(|(last, warm)| last.keep(warm));
        let Finished { outcome, rows, .. } = finished;
        Ok(RunResult { outcome, rows, source, record, spec: request.spec(), checkpoints })
    }

    /// Opens the previous result from which `request` starts, and the changes since.
    ///
    /// # Errors
    /// See [`Incremental::open`].
    fn incremental(
        &self,
        request: &RunRequest<'_>,
        choice: &Choice<'_>,
        budget: &MemoryBudget,
        observer: &dyn Observer,
    ) -> Result<Option<Incremental>> {
        let Some(folder) = request.incremental() else { return Ok(None) };
        let facts = checkpoints::facts_of_answer(request, parameters(request, choice.execution.model));
        let cancellation = self.workers.cancellation();
        let spare = self.memory.saturating_sub(choice.plan.total());
        let graph = incremental::Reader { store: &self.store, io: self.io, budget, spare, cancellation };
        Incremental::open(folder, facts, &graph, observer).map(Some)
    }

    /// Opens the checkpoints for `request`.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] if a run by `choice` does not support checkpoints, or if they belong to another run.
    fn checkpoints(
        &self,
        request: &RunRequest<'_>,
        choice: &Choice<'_>,
        observer: &dyn Observer,
    ) -> Result<Option<Arc<Checkpoints>>> {
        let Some(options) = request.checkpoints() else { return Ok(None) };
        let (ExecutionPlan { model, on_disk }, name) = (choice.execution, request.spec().name);
        if !choice.resumes || request.message_log().is_some() {
            let model = model.name();
            return Err(Error::Usage(format!(
                "`{name}` does not support checkpoints with --model {model} and these options; run it without --checkpoint-dir (docs/checkpoints.md)"
            )));
        }
        let facts = checkpoints::facts(request, &self.store, model.name(), on_disk, parameters(request, model));
        checkpoints::open(options, &facts, observer).map(Some)
    }
}

/// Reorders values on disk to the order of result rows.
fn order_by_rank(finished: &mut Finished, source: &TableSource, observer: &dyn Observer) -> Result<()> {
    let columns = std::mem::take(&mut finished.outcome.columns);
    if columns.iter().any(|column| column.values.on_disk()) && !source.store.manifest().is_in_rank_order() {
        observer.phase(&Phase { name: "ordering results", unit: ProgressUnit::Bytes, total: None });
    }
    let (columns, (read, written)) = by_rank(columns, source)?;
    finished.outcome.columns = columns;
    finished.value_traffic = (finished.value_traffic.0 + read, finished.value_traffic.1 + written);
    Ok(())
}
