//! Context of a run, and the interface of execution models.

use super::named_vertices::NamedVertices;
use crate::checkpoints::copy_bytes;
use crate::graph::Graph;
use crate::incremental::Incremental;
use crate::lists::{IndexParts, Lists, Loading, Reads, Warm};
use crate::request::{ExecutionPlan, RunRequest};
use crate::result::StepRows;
use outcrop_algorithms::{GraphTables, IdOrder, ListUse, Outcome, Requirements, Session, VertexVector};
use outcrop_engine::schedule::Scheduler;
use outcrop_engine::{Checkpoints, EngineContext};
use outcrop_gas::ArrivingArc;
use outcrop_io::{Backend, PageUse, SpillFolder};
use outcrop_report::{GasRecord, MessageRecord, WindowRecord, watched};
use outcrop_store::access::AccessFigures;
use outcrop_store::layout::compact::IndexResidence;
use outcrop_store::layout::degrees;
use outcrop_types::{
    Direction, Error, MemoryBudget, MemoryNeed, MemoryPlan, Observer, Phase, ProgressUnit, Purpose, Result, Stopwatch,
    VertexId, VertexValues,
};
use std::sync::Arc;
use std::time::Duration;

/// Request on a graph in one model: its requirements and its execution.
pub(super) trait ModelRun {
    /// Returns the minimum memory to reserve, including lists; without ranks, the request's vertices, and results.
    ///
    /// # Errors
    /// Returns an error if degrees are damaged or cannot be read.
    fn memory(&self) -> Result<MemoryPlan>;

    /// Returns the memory beyond the plan and the `caches` of all lists with which nothing is read or written twice, in
    /// bytes.
    fn useful_memory(&self, caches: u64) -> u64;

    /// Returns the maximum size of temporary files, in bytes.
    fn temporary_bytes(&self) -> u64;

    /// Returns the folder of temporary files, with enough free space for the certain ones; `None` if there are none.
    ///
    /// # Errors
    /// Returns [`Error::DiskFull`] with the required and the free space, or an error if the folder is not writable.
    fn spill_folder(&self) -> Result<Option<SpillFolder>>;

    /// Opens the input, creates the engine, and runs the algorithm on it.
    ///
    /// # Errors
    /// Returns an error if the algorithm does, if a read fails or is damaged, if the disk is full, or on interruption.
    fn execute(
        &self,
        run: &RunContext<'_>,
        named: &NamedVertices,
        vector: Option<VertexVector>,
    ) -> Result<(Finished, Reading)>;
}

/// Execution of a request on a graph.
pub(super) struct Choice<'g> {
    pub(super) execution: ExecutionPlan,
    /// Required lists and tables.
    pub(super) needs: Requirements,
    pub(super) follows_frontiers: bool,
    pub(super) list_use: ListUse,
    /// True if the run can resume from a checkpoint.
    pub(super) resumes: bool,
    pub(super) model: Box<dyn ModelRun + 'g>,
    /// Minimum memory to reserve.
    pub(super) plan: MemoryPlan,
    /// Note for the user.
    pub(super) note: Option<String>,
    /// Memory that vertex values need beyond the plan if they outgrow it, in bytes; 0 if they cannot.
    pub(super) growth: u64,
    /// Place of this execution among those of the request.
    pub(super) place: usize,
    /// True if the run changes to another execution, which fits, if vertex values outgrow their memory.
    pub(super) can_change: bool,
}

impl Choice<'_> {
    /// Returns true if `error` says that vertex values outgrew the memory that the run could leave for that.
    pub(super) fn outgrown_by(&self, error: &Error) -> bool {
        let outgrown = |need: &MemoryNeed| need.purpose == Purpose::VertexValues;
        self.growth > 0 && matches!(error, Error::BudgetTooSmall { retry: Some(need), .. } if outgrown(need))
    }

    /// Returns the part of the remaining `rest` bytes that stays free for the growth of vertex values: what is needed,
    /// but at most an eighth if the run can change to another execution; with a page cache of a fixed size, what it
    /// leaves.
    pub(super) fn growth_within(&self, graph: &Graph, rest: u64) -> u64 {
        let share = if self.can_change { rest / GROWTH_SHARE } else { rest };
        self.growth.min(graph.page_cache.leaves(graph.memory, rest).unwrap_or(share))
    }
}

/// Reciprocal of the share of the remaining memory that stays free for the growth of vertex values.
pub(super) const GROWTH_SHARE: u64 = 8;

/// Running request, and everything created once for it.
pub(super) struct RunContext<'r> {
    pub(super) graph: &'r Graph,
    pub(super) request: &'r RunRequest<'r>,
    pub(super) choice: &'r Choice<'r>,
    /// Folder for vertex values on disk, messages and shards.
    pub(super) spill: Option<SpillFolder>,
    /// Edges that arrive during the run.
    pub(super) arrivals: &'r [ArrivingArc],
    pub(super) budget: &'r MemoryBudget,
    /// Source and destination of lists that stay open between runs.
    pub(super) warm: Option<&'r Warm>,
    pub(super) checkpoints: Option<Arc<Checkpoints>>,
    pub(super) incremental: Option<Incremental>,
    pub(super) observer: &'r dyn Observer,
}

/// Origin of a run: its start, and the graph in whose history it is.
pub(crate) struct Origin<'g> {
    /// The graph itself, or the whole graph of a window.
    pub(crate) graph: &'g Graph,
    pub(crate) window: Option<&'g WindowRecord>,
    /// Time since 1970 (UTC).
    pub(crate) started: Duration,
    pub(crate) total: Stopwatch,
}

impl<'g> Origin<'g> {
    /// Starts a run.
    #[expect(clippy::disallowed_methods, reason = "the record says when a run began; no answer depends on it")]
    pub(crate) fn new(graph: &'g Graph, window: Option<&'g WindowRecord>) -> Self {
        let now = std::time::SystemTime::now();
        let started = now.duration_since(std::time::UNIX_EPOCH).unwrap_or(Duration::ZERO);
        Self { graph, window, started, total: Stopwatch::start() }
    }
}

/// Statistics of reading lists.
#[derive(Clone, Copy)]
pub(super) struct Reading {
    pub(super) backend: Option<Backend>,
    /// Use of cached pages; empty if not tracked.
    pub(super) pages: PageUse,
    /// Memory of pinned lists.
    pub(super) static_bytes: u64,
}

impl Reading {
    pub(super) fn of(lists: &Lists) -> Self {
        // Default: lists without a page cache use no pages.
        let pages = lists.page_use().unwrap_or_default();
        Self { backend: lists.backend(), pages, static_bytes: lists.static_bytes() }
    }
}

/// Result of a run, and its cost.
pub(super) struct Finished {
    pub(super) outcome: Outcome,
    pub(super) seconds: f64,
    pub(super) seconds_scheduling: f64,
    pub(super) figures: AccessFigures,
    /// Bytes of values on disk read, and bytes of values and logs written.
    pub(super) value_traffic: (u64, u64),
    /// Number of concurrent sources, if it can be chosen.
    pub(super) batch: Option<u32>,
    pub(super) messages: Option<MessageRecord>,
    pub(super) gas: Option<GasRecord>,
    /// Rows of a result without one row per vertex.
    pub(super) rows: Option<StepRows>,
}

impl Finished {
    /// Creates the outcome of an edge-map run, without values on disk, messages or shards.
    pub(super) fn new(outcome: Outcome, seconds: f64, figures: AccessFigures) -> Self {
        let (seconds_scheduling, value_traffic) = (0.0, (0, 0));
        let (batch, messages, gas, rows) = (None, None, None, None);
        Self { outcome, seconds, seconds_scheduling, figures, value_traffic, batch, messages, gas, rows }
    }
}

/// Residence of the list index: streamed if values are on disk, since they do not fit in memory either.
pub(super) const fn index_residence(values_on_disk: bool) -> IndexResidence {
    if values_on_disk { IndexResidence::STREAMED } else { IndexResidence::Resident }
}

impl<'r> RunContext<'r> {
    /// Returns the folder for values on disk, messages and shards.
    pub(super) fn spill(&self) -> Result<&SpillFolder> {
        self.spill.as_ref().ok_or_else(|| Error::internal("the run has no folder for temporary files"))
    }

    pub(super) fn scheduler(&self) -> Result<Scheduler> {
        Ok(Scheduler { schedule: self.request.schedule()?, bandwidths: self.graph.bandwidths()? })
    }

    /// Returns true if the run uses the weights of the store.
    pub(super) fn weighted(&self) -> Result<bool> {
        Ok(self.graph.store.manifest().graph.weighted && self.request.weights_count()?)
    }

    /// Opens the lists of the algorithm and runs `compute` on them. Of the memory that the plan leaves, the page cache
    /// excludes the bytes that are better used `beside` it.
    pub(super) fn on_lists(
        &self,
        vector: Option<VertexVector>,
        beside: impl FnOnce(u64) -> u64,
        compute: impl FnOnce(&Lists, IdOrder<'_>, Option<VertexVector>) -> Result<Finished>,
    ) -> Result<(Finished, Reading)> {
        let mut lists = self.open_lists(vector.as_ref(), beside)?;
        lists.show_weights(self.weighted()?);
        if lists.loading != Loading::Nothing {
            self.observer.phase(&Phase { name: "loading lists", unit: ProgressUnit::Bytes, total: None });
            lists.load(self.graph, self.budget)?;
        }
        self.begin();
        let ranks = self.ranks()?;
        let finished = compute(&lists, IdOrder(ranks.as_ref()), vector)?;
        let reading = Reading::of(&lists);
        if let Some(warm) = self.warm {
            warm.put(lists);
        }
        Ok((finished, reading))
    }

    fn open_lists(&self, vector: Option<&VertexVector>, beside: impl FnOnce(u64) -> u64) -> Result<Lists> {
        let Choice { plan, needs, follows_frontiers, list_use, execution, .. } = self.choice;
        // Memory for copies, the weights of a personalization and a vector is already reserved; the weights of a file
        // could not be planned.
        let vertices = self.graph.num_vertices();
        let unheld = plan.total()
            - copy_bytes(self.request)
            - NamedVertices::planned_bytes(self.request, vertices)?
            - vector.map_or(0, VertexVector::bytes);
        let rest = self.budget.available().saturating_sub(unheld);
        let index = index_residence(execution.on_disk);
        let reads = Reads {
            needs: *needs,
            follows_frontiers: *follows_frontiers,
            list_use: *list_use,
            weighted: self.weighted()?,
            index: IndexParts::all(index),
        };
        self.graph.open_lists(&reads, plan, unheld + beside(rest), self.budget, self.warm, self.observer)
    }

    /// Reports the start of the algorithm itself.
    pub(super) fn begin(&self) {
        self.graph.store.take_notes().iter().for_each(|note| self.observer.note(note));
        let name = self.request.spec().name;
        self.observer.phase(&Phase { name, unit: ProgressUnit::Iterations, total: None });
    }

    /// Returns the ranks of vertices, if they are required and differ from the vertex numbers.
    pub(super) fn ranks(&self) -> Result<Option<VertexValues<u32>>> {
        let Graph { store, workers, io, .. } = self.graph;
        match self.choice.needs.ranks {
            true => outcrop_store::ranks(store, *io, self.budget, workers.cancellation()),
            false => Ok(None),
        }
    }

    /// Returns the session that the algorithm sees.
    pub(super) fn session<'s>(
        &'s self,
        ranks: IdOrder<'s>,
        named: &'s NamedVertices,
        vector: Option<VertexVector>,
    ) -> Session<'s> {
        Session {
            shape: self.graph.shape(self.request, self.choice.execution.on_disk),
            ranks,
            sources: &named.sources,
            source_names: &named.names,
            personalization: named.personalization.as_deref(),
            vector,
            lists: [None, None],
            held: 0,
            batch: 1,
            growth: 0,
            spill: self.spill.as_ref(),
            graph: self,
        }
    }

    /// Runs the program on the engine; returns its outcome and the elapsed seconds.
    pub(super) fn compute(
        &self,
        engine: &EngineContext<'_>,
        program: impl FnOnce() -> Result<Outcome>,
    ) -> Result<(Outcome, f64)> {
        self.checkpoints.iter().for_each(|checkpoints| engine.set_checkpoints(Arc::clone(checkpoints)));
        self.incremental.iter().for_each(|incremental| engine.set_last_result(Arc::clone(&incremental.last)));
        let (watch, name) = (Stopwatch::start(), self.request.spec().name);
        let outcome = watched(self.observer, &|| engine.progress(name), program)?;
        Ok((outcome, watch.seconds()))
    }
}

impl GraphTables for RunContext<'_> {
    fn degrees(&self, direction: Direction) -> Result<VertexValues<u32>> {
        let Graph { store, workers, io, .. } = self.graph;
        degrees(store, direction, *io, self.budget, workers.cancellation())
    }

    fn name_of(&self, vertex: VertexId) -> Result<String> {
        crate::result::name_of_vertex(&self.graph.store, self.graph.io, vertex)
    }

    fn place(&self) -> String {
        self.graph.store.folder().display().to_string()
    }
}
