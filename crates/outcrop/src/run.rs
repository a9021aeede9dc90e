//! Runs an algorithm within the budget.

mod batch;
mod structural;

use crate::dispatch;
use crate::graph::Graph;
use crate::lists::{self, Lists, cache_bytes_for_all};
use crate::parameters::NamedVertices;
use crate::request::RunRequest;
use crate::result::{ResultTable, TableSource};
use outcrop_algorithms::registry::Needs;
use outcrop_algorithms::{Algorithm, Outcome, Ranks, apsp, bfs, diameter, radii, sssp};
use outcrop_engine::Engine;
use outcrop_engine::schedule::Scheduler;
use outcrop_io::ProcessUsage;
use outcrop_report::{Recorder, RunRecord};
use outcrop_store::access::{AccessFigures, Adjacency};
use outcrop_store::layout::csr::CsrAdjacency;
use outcrop_store::layout::degrees;
use outcrop_types::{
    Direction, Error, Location, MemoryBudget, MemoryPlan, Observer, Phase, ProgressUnit, Purpose, Result, Stopwatch,
    VertexValues,
};
use serde::Serialize;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a run needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Estimate {
    /// The least budget that the run fits, in bytes: [`Estimate::plan`] summed.
    pub minimum: u64,
    /// What the run reserves at the least, by purpose.
    pub plan: MemoryPlan,
    /// The budget with which every list that the run reads stays in memory, in bytes.
    pub all_in_memory: u64,
    /// What holding the store's selections of these lists takes of the memory that is left for caches, in bytes; 0 without selections.
    pub static_cache: u64,
}

/// What a run gave.
pub struct RunResult {
    outcome: Outcome,
    source: TableSource,
    record: RunRecord,
    algorithm: Algorithm,
}

impl RunResult {
    /// The values, with the user's own ids.
    pub fn table(&self) -> ResultTable<'_> {
        ResultTable::new(&self.outcome.columns, &self.source)
    }

    /// What the run did and cost.
    pub const fn record(&self) -> &RunRecord {
        &self.record
    }

    /// # Errors
    /// [`Error::NotConverged`] where a tolerance was not reached; the values are those of the last iteration.
    pub fn converged(&self) -> Result<()> {
        match self.outcome.convergence {
            Some(convergence) if !convergence.reached() && self.record.vertices > 0 => Err(Error::NotConverged {
                algorithm: self.algorithm.specification().name,
                iterations: self.outcome.iterations,
                change: convergence.change,
                tolerance: convergence.tolerance,
            }),
            _ => Ok(()),
        }
    }
}

impl Graph {
    /// What `request` would need, without running it.
    ///
    /// # Errors
    /// Parameters that make no sense.
    pub fn estimate(&self, request: &RunRequest) -> Result<Estimate> {
        request.validate()?;
        let plan = self.plan(request);
        let directions = self.directions(request.needs());
        let caches: u64 = directions.iter().map(|d| cache_bytes_for_all(self, *d)).sum();
        let static_cache = directions.iter().map(|d| self.selection_bytes(*d)).sum::<Result<u64>>()?;
        Ok(Estimate { minimum: plan.total(), all_in_memory: plan.total() + caches, static_cache, plan })
    }

    /// The directions whose lists are opened: one of an undirected store serves as both.
    pub(crate) fn directions(&self, needs: Needs) -> Vec<Direction> {
        let wanted = [(needs.out_lists, Direction::Out), (needs.in_lists, Direction::In)];
        let mut stored: Vec<_> =
            wanted.into_iter().filter(|(wanted, _)| *wanted).map(|(_, d)| self.store.stored(d)).collect();
        stored.dedup();
        stored
    }

    /// Bytes of the lists that are opened: what one sweep over all of them reads.
    fn lists_bytes(&self, needs: Needs) -> u64 {
        self.directions(needs).into_iter().map(|direction| lists::bytes_on_disk(self, direction)).sum()
    }

    /// Opens lists, with caches of what `plan` leaves free, of which `unheld` bytes are not reserved yet.
    pub(crate) fn open_lists(
        &self,
        (needs, follows_frontiers): (Needs, bool),
        plan: &MemoryPlan,
        unheld: u64,
        budget: &MemoryBudget,
        observer: &dyn Observer,
    ) -> Result<Lists> {
        let rest = budget.available().saturating_sub(unheld);
        let cache = self.page_cache.bytes(self.memory, rest);
        let directions = self.directions(needs);
        let statics = self.static_bytes(&directions, cache, follows_frontiers)?;
        if cache > rest {
            let held = statics.iter().sum();
            let plan = plan.clone().with(Purpose::PageCache, cache.saturating_sub(held));
            let plan = if held > 0 { plan.with(Purpose::StaticCache, held) } else { plan };
            return Err(Error::BudgetTooSmall { budget: self.memory, plan, retry: None, hint: None });
        }
        Lists::open(self, &directions, (cache, &statics), budget, observer)
    }

    fn plan(&self, request: &RunRequest) -> MemoryPlan {
        let vertices = self.store.manifest().vertices;
        let needs = request.needs();
        let mut plan = request.memory(vertices);
        for direction in self.directions(needs) {
            plan = plan.and(&lists::memory(self, direction));
        }
        if needs.frontiers {
            plan = plan.with(Purpose::Frontier, Engine::<CsrAdjacency>::frontier_bytes(vertices));
        }
        if needs.ranks && self.store.manifest().order != outcrop_store::Order::Original {
            plan = plan.with(Purpose::IdMap, VertexValues::<u32>::bytes(u64::from(vertices)));
        }
        plan = plan.with(Purpose::VertexValues, NamedVertices::planned_bytes(request, vertices));
        plan = self.with_structure(plan, request);
        // Results are written once the read buffers are given back: only what they take beyond these counts.
        let buffers = plan.needs().iter().find(|need| need.purpose == Purpose::IoBuffers).map_or(0, |need| need.bytes);
        match crate::result::BATCH_MEMORY.saturating_sub(buffers) {
            0 => plan,
            more => plan.with(Purpose::Results, more),
        }
    }

    /// Runs an algorithm.
    ///
    /// # Errors
    /// Parameters that make no sense; a budget that does not hold the run, with the exact minimum; a damaged store; failures of
    /// reading; interruption. Not converging is no error here: see [`RunResult::converged`].
    pub fn run(&self, request: &RunRequest) -> Result<RunResult> {
        let total = Stopwatch::start();
        let usage = ProcessUsage::now();
        request.validate()?;
        request.require_sources()?;
        self.require_layout(request.layout)?;
        let budget = MemoryBudget::new(self.memory);
        let plan = self.plan(request);
        budget.require(&plan).map_err(|error| error.hinting(request.memory_hint()))?;
        let recorder = Recorder::new(&*self.observer);
        recorder.phase(&Phase { name: "loading indexes", unit: ProgressUnit::Bytes, total: None });
        let batch = self.batch(request, &plan);
        let run = Run { graph: self, request, batch, budget: &budget, observer: &recorder };
        let named = NamedVertices::find(request, &self.store, self.io, &budget)?;
        let lists = run.open_lists(&plan)?;
        if request.algorithm.reads_most_lists() {
            recorder.phase(&Phase { name: "loading lists", unit: ProgressUnit::Bytes, total: None });
            lists.load()?;
        }
        self.tell_notes();
        recorder.phase(&Phase {
            name: request.algorithm.specification().name,
            unit: ProgressUnit::Iterations,
            total: None,
        });
        let finished = match &lists {
            Lists::Chunked(lists) => run.execute(lists, &named),
            Lists::Csr(lists) => run.execute(lists, &named),
        }?;
        let io = lists.backend().map_or_else(String::new, |backend| backend.to_string());
        let pages = lists.page_use().unwrap_or_default();
        let static_cache_bytes = lists.static_bytes();
        drop(lists);
        let record = RunRecord {
            seconds_total: total.seconds(),
            io,
            page_utilisation: pages.mean_of_pages(),
            byte_utilisation: pages.share_of_bytes(),
            static_cache_bytes,
            ..run.record(&finished, usage, &recorder)
        };
        let source = TableSource {
            store: Arc::clone(&self.store),
            io: self.io,
            budget,
            cancellation: self.cancellation().clone(),
        };
        Ok(RunResult { outcome: finished.outcome, source, record, algorithm: request.algorithm })
    }
}

/// A run under way.
pub(crate) struct Run<'r> {
    pub(crate) graph: &'r Graph,
    pub(crate) request: &'r RunRequest,
    /// How many sources of betweenness are searched from at once.
    pub(crate) batch: u32,
    budget: &'r MemoryBudget,
    observer: &'r dyn Observer,
}

/// What came out, and what it took.
struct Finished {
    outcome: Outcome,
    seconds: f64,
    seconds_scheduling: f64,
    figures: AccessFigures,
}

impl Run<'_> {
    /// Opens the lists that the algorithm reads.
    fn open_lists(&self, plan: &MemoryPlan) -> Result<Lists> {
        // The weights of a personalisation are held already; those of a file could not be planned.
        let vertices = self.graph.store.manifest().vertices;
        let unheld = plan.total() - NamedVertices::planned_bytes(self.request, vertices);
        let rest = self.budget.available().saturating_sub(unheld);
        let beside =
            self.graph.held_beyond_least(self.request, rest) + self.graph.batch_bytes(self.request, self.batch);
        let reads = (self.request.needs(), self.request.follows_frontiers());
        self.graph.open_lists(reads, plan, unheld + beside, self.budget, self.observer)
    }

    fn execute<A: Adjacency>(&self, lists: &[A], named: &NamedVertices) -> Result<Finished> {
        let needs = self.request.needs();
        let Graph { store, workers, io, .. } = self.graph;
        let out = lists.first().filter(|_| needs.out_lists);
        let into = lists.last().filter(|_| needs.in_lists);
        let ranks = match needs.ranks {
            true => outcrop_store::ranks(store, *io, self.budget, workers.cancellation())?,
            false => None,
        };
        let engine = Engine::new(store.manifest().vertices, out, into, workers, self.budget, self.observer)
            .scheduled_by(Scheduler { schedule: self.request.schedule, bandwidths: self.graph.bandwidths()? });
        let watch = Stopwatch::start();
        let outcome = match self.request.algorithm {
            Algorithm::Bfs => bfs::bfs(&engine, &named.sources, Ranks(ranks.as_ref())),
            Algorithm::Wcc => self.wcc(&engine, out, into, Ranks(ranks.as_ref())),
            Algorithm::Sssp => dispatch::sssp(self, &engine, named, Ranks(ranks.as_ref())),
            Algorithm::PageRank => dispatch::pagerank(self, &engine, named),
            Algorithm::Radii => radii::radii(&engine, &named.sources),
            Algorithm::Diameter => {
                diameter::diameter(&engine, &named.sources, self.request.iterations, Ranks(ranks.as_ref()))
            }
            Algorithm::Distances => apsp::apsp(&engine, &named.sources, &named.names),
            Algorithm::Betweenness => dispatch::betweenness(self, &engine, named),
            Algorithm::PersonalizedPageRank => dispatch::ppr(self, &engine, named),
            Algorithm::Scc => self.scc(&engine, out, into, Ranks(ranks.as_ref())),
            Algorithm::KCore | Algorithm::Triangles | Algorithm::Clustering => self.structural(&engine, out, into),
        }?;
        let seconds = watch.seconds();
        Ok(Finished { outcome, seconds, seconds_scheduling: engine.seconds_scheduling(), figures: engine.figures() })
    }

    pub(crate) fn out_degrees(&self) -> Result<VertexValues<u32>> {
        let Graph { store, workers, io, .. } = self.graph;
        degrees(store, Direction::Out, *io, self.budget, workers.cancellation())
    }

    pub(crate) fn negative_weight(&self, edge: sssp::NegativeEdge, ranks: Ranks<'_>) -> Error {
        let name = |vertex| crate::result::name_of_rank(&self.graph.store, self.graph.io, ranks.of(vertex));
        let (source, target) = match (name(edge.source), name(edge.target)) {
            (Ok(source), Ok(target)) => (source, target),
            (Err(error), _) | (_, Err(error)) => return error,
        };
        let message = format!(
            "the edge from {source} to {target} has the weight {}; shortest paths need weights of at least 0",
            edge.weight
        );
        Error::bad_input(Location::file(self.graph.store.folder().display().to_string()), message)
    }

    /// The parameters as they were meant, for the record.
    fn parameters(&self) -> BTreeMap<Cow<'static, str>, Value> {
        let batch = (self.request.algorithm == Algorithm::Betweenness).then(|| ("batch", self.batch.into()));
        self.request.meant().into_iter().chain(batch).map(|(name, value)| (name.into(), value)).collect()
    }

    fn record(&self, finished: &Finished, before: ProcessUsage, recorder: &Recorder<'_>) -> RunRecord {
        let (figures, usage) = (finished.figures, ProcessUsage::now());
        let manifest = self.graph.store.manifest();
        RunRecord {
            algorithm: self.request.algorithm.specification().name.into(),
            model: "edge_map".into(),
            layout: self.graph.layout().name().into(),
            schedule: self.request.schedule.name().into(),
            store: self.graph.store.folder().display().to_string(),
            values: finished.outcome.values.iter().map(|scalar| (scalar.name.into(), scalar.value.into())).collect(),
            parameters: self.parameters(),
            vertices: manifest.vertices,
            edges: manifest.edges,
            iterations: finished.outcome.iterations,
            converged: finished.outcome.convergence.map(|convergence| convergence.reached()),
            change: finished.outcome.convergence.map(|convergence| convergence.change),
            seconds: finished.seconds,
            seconds_total: finished.seconds,
            seconds_scheduling: finished.seconds_scheduling,
            user_seconds: usage.user_seconds - before.user_seconds,
            system_seconds: usage.system_seconds - before.system_seconds,
            bytes_read: figures.bytes_read,
            bytes_written: 0,
            lists_bytes: self.graph.lists_bytes(self.request.needs()),
            store_bytes: manifest.bytes(),
            requests: figures.requests,
            peak_rss: usage.peak_rss_bytes,
            memory_budget: self.budget.limit(),
            memory_peak: self.budget.peak(),
            memory: self.budget.peak_by_purpose(),
            cache_hits: figures.cache_hits,
            cache_misses: figures.cache_misses,
            cache_hit_ratio: figures.cache_hit_ratio(),
            page_utilisation: None,
            byte_utilisation: None,
            static_hits: figures.static_hits,
            static_misses: figures.static_misses,
            static_hit_ratio: figures.static_hit_ratio(),
            static_cache_bytes: 0,
            seconds_waiting: figures.waiting.as_secs_f64(),
            threads: self.graph.workers.threads(),
            io: String::new(),
            iterations_detail: recorder.take_iterations(),
        }
    }
}
