//! Runs an algorithm within the budget.

mod arrivals;
mod edge_map;
mod execute;
mod gas;
mod interval;
mod messages;
mod named_vertices;
mod plan;
mod record;
mod shards;
mod steps;
mod work;

pub use plan::{Estimate, OtherWay};

use crate::graph::Graph;
use crate::lists::{Lists, Reads, Warm};
use crate::memory_size::{in_gibibytes, memory_of_machine};
use crate::request::{RunRequest, Way};
use crate::result::{ResultTable, StepRows, Summary, TableSource, by_rank};
use gas::GasWork;
use interval::{IntervalWork, index_residence};
use messages::MessageWork;
use named_vertices::NamedVertices;
use outcrop_algorithms::{Model, Outcome, Spec, VertexVector};
use outcrop_engine::schedule::Scheduler;
use outcrop_io::{Backend, PageUse, ProcessUsage, SpillFolder};
use outcrop_report::{Recorder, RunRecord};
use outcrop_store::Order;
use outcrop_store::access::AccessFigures;
use outcrop_types::{
    Error, GasFigures, MemoryBudget, MemoryPlan, MessageFigures, Observer, Phase, ProgressUnit, Purpose, Result,
    Stopwatch,
};
use plan::Choice;
use work::{ModelWork, Planned};

/// Rows of a result that are in its record.
const ROWS_OF_RECORD: usize = 10;

/// Result of a run; usable when the graph is closed and its store replaced.
pub struct RunResult {
    outcome: Outcome,
    rows: Option<StepRows>,
    source: TableSource,
    record: RunRecord,
    spec: &'static Spec,
}

impl RunResult {
    /// The values, with the user's own ids: a row a vertex, or of walks a row a step.
    pub fn table(&self) -> ResultTable<'_> {
        match &self.rows {
            Some(rows) => ResultTable::of_steps(rows, &self.source),
            None => ResultTable::new(&self.outcome.columns, &self.source),
        }
    }

    /// Record of what the run did and cost; its memory up to now, with what the writing of the result took.
    pub fn record(&self) -> RunRecord {
        let budget = &self.source.budget;
        RunRecord {
            peak_rss: ProcessUsage::now().peak_rss_bytes,
            memory_peak: budget.peak(),
            memory: budget.peak_by_purpose(),
            ..self.record.clone()
        }
    }

    /// The record with the first ten rows, where memory holds what finding them takes.
    ///
    /// # Errors
    /// As for [`ResultTable::top`].
    pub fn record_with_top(&self) -> Result<RunRecord> {
        let top = match self.table().top_rows_of_record(ROWS_OF_RECORD) {
            Err(Error::BudgetTooSmall { .. } | Error::OutOfMemory { .. }) => None,
            top => Some(top?).filter(|top| !top.rows.is_empty()),
        };
        Ok(RunRecord { top, ..self.record() })
    }

    /// # Errors
    /// [`Error::NotConverged`] where a tolerance was not reached; the values are those of the last iteration.
    pub fn converged(&self) -> Result<()> {
        match self.outcome.convergence {
            Some(convergence) if !convergence.reached() && self.record.vertices > 0 => Err(Error::NotConverged {
                algorithm: self.spec.name,
                iterations: self.outcome.iterations,
                change: convergence.change,
                tolerance: convergence.tolerance,
            }),
            _ => Ok(()),
        }
    }
}

impl Graph {
    /// Runs an algorithm.
    ///
    /// # Errors
    /// Parameters that make no sense; a budget that does not hold the run, with the exact minimum; a damaged store; failures of
    /// reading; interruption. Not converging is no error here: see [`RunResult::converged`].
    pub fn run(&self, request: &RunRequest<'_>) -> Result<RunResult> {
        let (total, started) = (Stopwatch::start(), seconds_since_1970());
        let usage = ProcessUsage::now();
        request.validate()?;
        request.require()?;
        self.require_layout(request.layout()?)?;
        let budget = MemoryBudget::new(self.memory);
        let Choice { way, planned, plan, note } = self.choose(request)?;
        budget.require(&plan).map_err(|error| error.hinting(self.memory_hint(request, &plan)))?;
        let warm = self.last_run.as_ref().map(|last| last.hand_over(&budget));
        let recorder = Recorder::new(&*self.observer);
        note.iter().for_each(|note| recorder.note(note));
        recorder.phase(&Phase { name: "loading indexes", unit: ProgressUnit::Bytes, total: None });
        let spill = self.spill_folder_of(&planned)?;
        let batch = match &planned.work {
            ModelWork::EdgeMap(work) => work.batch.map(|batch| self.batch(&batch, planned.needs, &plan)),
            _ => None,
        };
        let run = Run {
            graph: self,
            request,
            way,
            planned,
            plan: &plan,
            spill,
            batch,
            budget: &budget,
            warm: warm.as_deref(),
            observer: &recorder,
        };
        run.note_weights()?;
        let named = NamedVertices::find(request, &self.store, self.io, &budget)?;
        let vector = self.vector_of(request, &budget, run.spill.as_ref().filter(|_| way.model == Model::Interval))?;
        let (mut finished, reading) = match &run.planned.work {
            ModelWork::Gas(work) => run.execute_on_shards(work, &named, vector)?,
            _ => run.execute_on_lists(&named, vector)?,
        };
        drop(named);
        let source = TableSource::new(self, budget.clone())?;
        finished.order_by_rank(&source, &recorder)?;
        let Summary { said, histogram } = Summary::of(&finished.outcome.columns, request.spec(), &source)?;
        let record = RunRecord {
            seconds_total: total.seconds(),
            io: reading.backend.map_or_else(String::new, |backend| backend.to_string()),
            page_utilisation: reading.pages.mean_of_pages(),
            byte_utilisation: reading.pages.share_of_bytes(),
            static_cache_bytes: reading.static_bytes,
            summary: said.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
            histogram,
            started,
            machine: machine(),
            disk: self.bandwidths()?.disk_in_words(self.store.folder()),
            ..run.record(&finished, usage, &recorder)?
        };
        self.last_run.iter().zip(warm).for_each(|(last, warm)| last.keep(warm));
        let Finished { outcome, rows, .. } = finished;
        Ok(RunResult { outcome, rows, source, record, spec: request.spec() })
    }
}

/// The date and time, in universal time.
#[expect(clippy::disallowed_methods, reason = "the record says when a run began; no answer depends on it")]
fn seconds_since_1970() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// The processor and the memory of this machine, as far as it tells.
fn machine() -> String {
    let told = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = told.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let processor = model.map_or("a processor", |(_, name)| name.trim());
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    format!("{processor}, {cores} threads, {} of memory", in_gibibytes(memory_of_machine()))
}

/// A run under way: everything that is made once for it.
struct Run<'r> {
    graph: &'r Graph,
    request: &'r RunRequest<'r>,
    way: Way,
    planned: Planned,
    /// Memory that it reserves at the least.
    plan: &'r MemoryPlan,
    /// Folder of values of vertices on disk, messages and shards.
    spill: Option<SpillFolder>,
    /// Number of sources that are searched from at once, where that is a choice.
    batch: Option<u32>,
    budget: &'r MemoryBudget,
    /// Source and destination of lists that stay open between runs.
    warm: Option<&'r Warm>,
    observer: &'r dyn Observer,
}

/// Way that lists were read.
#[derive(Clone, Copy)]
struct Reading {
    backend: Option<Backend>,
    pages: PageUse,
    /// Memory of lists that were held beside the page cache.
    static_bytes: u64,
}

impl Reading {
    fn of(lists: &Lists) -> Self {
        let pages = lists.page_use().unwrap_or_default();
        Self { backend: lists.backend(), pages, static_bytes: lists.static_bytes() }
    }
}

/// Outcome of a run, and its cost.
struct Finished {
    outcome: Outcome,
    seconds: f64,
    seconds_scheduling: f64,
    figures: AccessFigures,
    /// Bytes of values on disk that were read; bytes of these, and of logs, that were written.
    value_traffic: (u64, u64),
    /// Figures of messages, where there were some.
    messages: Option<MessageFigures>,
    /// Figures of shards and values of edges, where there were some, and the seconds of writing shards.
    gas: Option<(GasFigures, f64)>,
    /// The rows of a result that has not one a vertex.
    rows: Option<StepRows>,
}

impl Finished {
    /// Without values on disk, messages, shards and estimates.
    fn new(outcome: Outcome, seconds: f64, figures: AccessFigures) -> Self {
        let (seconds_scheduling, value_traffic) = (0.0, (0, 0));
        Self { outcome, seconds, seconds_scheduling, figures, value_traffic, messages: None, gas: None, rows: None }
    }

    /// Puts values on disk into the order in which rows are read.
    fn order_by_rank(&mut self, source: &TableSource, observer: &dyn Observer) -> Result<()> {
        let columns = std::mem::take(&mut self.outcome.columns);
        if columns.iter().any(|column| column.values.on_disk()) && source.store.manifest().order != Order::Original {
            observer.phase(&Phase { name: "ordering results", unit: ProgressUnit::Bytes, total: None });
        }
        let (columns, (read, written)) = by_rank(columns, source)?;
        self.outcome.columns = columns;
        self.value_traffic = (self.value_traffic.0 + read, self.value_traffic.1 + written);
        Ok(())
    }
}

impl Graph {
    /// Way to make a run fit whose `plan` does not: what takes less memory, or no updates beside the lists where it would fit without.
    fn memory_hint(&self, request: &RunRequest<'_>, plan: &MemoryPlan) -> Option<&'static str> {
        let updates = plan.needs().iter().find(|need| need.purpose == Purpose::Updates).map(|need| need.bytes);
        let enough = updates.is_some_and(|updates| plan.total().saturating_sub(updates) <= self.memory);
        let merge = updates.map(|_| outcrop_store::updates::MERGE_HINT);
        if enough { merge } else { request.spec().memory_hint.or(merge) }
    }
}

impl Run<'_> {
    /// The folder for values on disk, messages and shards.
    fn spill(&self) -> Result<&SpillFolder> {
        self.spill.as_ref().ok_or_else(|| Error::internal("a run has no folder for its temporary files"))
    }

    fn scheduler(&self) -> Result<Scheduler> {
        Ok(Scheduler { schedule: self.request.schedule()?, bandwidths: self.graph.bandwidths()? })
    }

    /// Opens the lists that the algorithm reads.
    fn open_lists(&self, vector: Option<&VertexVector>) -> Result<Lists> {
        // The weights of a personalisation and a vector are held already; the weights of a file could not be planned.
        let vertices = self.graph.num_vertices();
        let unheld = self.plan.total()
            - NamedVertices::planned_bytes(self.request, vertices)?
            - vector.map_or(0, VertexVector::bytes);
        let rest = self.budget.available().saturating_sub(unheld);
        let beside = self.beside_page_cache(rest);
        let Planned { needs, follows_frontiers, .. } = self.planned;
        let reads = Reads { needs, follows_frontiers, index: index_residence(self.way.on_disk) };
        self.graph.open_lists(reads, (self.plan, unheld + beside), (self.budget, self.warm), self.observer)
    }

    /// Memory better spent on other things than the page cache, of the `rest` bytes that the plan leaves.
    fn beside_page_cache(&self, rest: u64) -> u64 {
        let graph = self.graph;
        match &self.planned.work {
            ModelWork::Interval(work) => graph.constructed_bytes(work, rest),
            ModelWork::Messages(work) => graph.engine_bytes(work, rest),
            // Lists are not open while it runs.
            ModelWork::Gas(_) => 0,
            ModelWork::EdgeMap(work) => {
                graph.held_beyond_least(work, rest) + graph.batch_bytes(work, self.batch.unwrap_or(1))
            }
        }
    }

    /// Tells that the algorithm itself begins.
    fn begin(&self) {
        self.graph.store.take_notes().iter().for_each(|note| self.observer.note(note));
        let name = self.request.spec().name;
        self.observer.phase(&Phase { name, unit: ProgressUnit::Iterations, total: None });
    }
}
