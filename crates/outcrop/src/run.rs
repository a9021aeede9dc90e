//! Runs an algorithm within the budget.

mod batch;
mod gas;
mod gas_programs;
mod interval;
mod message_programs;
mod messages;
mod plan;
mod programs;
mod record;
mod shards;
mod structural;
mod work;

pub(crate) use gas::{GasWork, gas_needs};
pub(crate) use interval::{IntervalWork, index_residence};
pub(crate) use messages::{MessageWork, needs_of};
pub(crate) use plan::with_results;
pub use plan::{Estimate, OtherWay};

use crate::dispatch;
use crate::graph::Graph;
use crate::lists::{self, Lists, Reads};
use crate::parameters::NamedVertices;
use crate::request::{RunRequest, Way};
use crate::result::{ResultTable, StepRows, TableSource, by_rank};
use crate::vector::VertexVector;
use outcrop_algorithms::registry::{Model, Needs};
use outcrop_algorithms::{Algorithm, Outcome, Ranks, apsp, bfs, radii, sssp};
use outcrop_engine::Engine;
use outcrop_engine::schedule::Scheduler;
use outcrop_io::{Backend, PageUse, ProcessUsage, SpillFolder};
use outcrop_report::{Recorder, RunRecord};
use outcrop_store::Order;
use outcrop_store::access::AccessFigures;
use outcrop_store::layout::StoredLists;
use outcrop_store::layout::degrees;
use outcrop_types::{
    Direction, Error, GasFigures, Location, MemoryBudget, MemoryPlan, MessageFigures, Observer, Phase, ProgressUnit,
    Purpose, Result, Stopwatch, VertexValues,
};
use plan::Choice;
use work::Work;

/// What a run gave.
pub struct RunResult {
    outcome: Outcome,
    rows: Option<StepRows>,
    source: TableSource,
    record: RunRecord,
    algorithm: Algorithm,
}

impl RunResult {
    /// The values, with the user's own ids: a row a vertex, or of walks a row a step.
    pub fn table(&self) -> ResultTable<'_> {
        match &self.rows {
            Some(rows) => ResultTable::of_steps(rows, &self.source),
            None => ResultTable::new(&self.outcome.columns, &self.source),
        }
    }

    /// What the run did and cost; its memory up to now, with what the writing of the result took.
    pub fn record(&self) -> RunRecord {
        let budget = &self.source.budget;
        RunRecord {
            peak_rss: ProcessUsage::now().peak_rss_bytes,
            memory_peak: budget.peak(),
            memory: budget.peak_by_purpose(),
            ..self.record.clone()
        }
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
        reads: Reads,
        plan: &MemoryPlan,
        unheld: u64,
        budget: &MemoryBudget,
        observer: &dyn Observer,
    ) -> Result<Lists> {
        let rest = budget.available().saturating_sub(unheld);
        let cache = self.page_cache.bytes(self.memory, rest);
        let directions = self.directions(reads.needs);
        let statics = self.static_bytes(&directions, cache, reads.follows_frontiers)?;
        if cache > rest {
            let held = statics.iter().sum();
            let plan = plan.clone().with(Purpose::PageCache, cache.saturating_sub(held));
            let plan = if held > 0 { plan.with(Purpose::StaticCache, held) } else { plan };
            return Err(Error::BudgetTooSmall { budget: self.memory, plan, retry: None, hint: None });
        }
        Lists::open(self, &directions, (cache, &statics), reads.index, budget, observer)
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
        let Choice { way, plan, note } = self.choose(request)?;
        budget.require(&plan).map_err(|error| error.hinting(self.memory_hint(request, &plan)))?;
        let recorder = Recorder::new(&*self.observer);
        note.iter().for_each(|note| recorder.note(note));
        recorder.phase(&Phase { name: "loading indexes", unit: ProgressUnit::Bytes, total: None });
        let batch = self.batch(request, &plan);
        let spill = self.spill_folder_of(request, way)?;
        let run = Run { graph: self, request, way, plan: &plan, spill, batch, budget: &budget, observer: &recorder };
        run.note_weights();
        let named = NamedVertices::find(request, &self.store, self.io, &budget)?;
        let vector =
            VertexVector::of(request, self, &budget, run.spill.as_ref().filter(|_| way.model == Model::Interval))?;
        let (mut finished, reading) = match way.model {
            Model::Gas => run.execute_on_shards(&named, vector)?,
            Model::EdgeMap | Model::Interval | Model::Messages => run.execute_on_lists(&named, vector)?,
        };
        drop(named);
        let source = TableSource::new(self, budget.clone());
        finished.order_by_rank(&source, &recorder)?;
        let record = RunRecord {
            seconds_total: total.seconds(),
            io: reading.backend.map_or_else(String::new, |backend| backend.to_string()),
            page_utilisation: reading.pages.mean_of_pages(),
            byte_utilisation: reading.pages.share_of_bytes(),
            static_cache_bytes: reading.static_bytes,
            ..run.record(&finished, usage, &recorder)
        };
        let Finished { outcome, rows, .. } = finished;
        Ok(RunResult { outcome, rows, source, record, algorithm: request.algorithm })
    }
}

/// A run under way.
pub(crate) struct Run<'r> {
    pub(crate) graph: &'r Graph,
    pub(crate) request: &'r RunRequest,
    way: Way,
    /// What it reserves at the least.
    plan: &'r MemoryPlan,
    /// Where values of vertices on disk go.
    spill: Option<SpillFolder>,
    /// How many sources of betweenness are searched from at once.
    pub(crate) batch: u32,
    budget: &'r MemoryBudget,
    observer: &'r dyn Observer,
}

/// How lists were read.
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

/// What came out, and what it took.
struct Finished {
    outcome: Outcome,
    seconds: f64,
    seconds_scheduling: f64,
    figures: AccessFigures,
    /// Bytes of values on disk that were read; bytes of these, and of logs, that were written.
    value_traffic: (u64, u64),
    /// What messages did, where there were some.
    messages: Option<MessageFigures>,
    /// What shards and values of edges did, where there were some, and the seconds of writing shards.
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
    /// What makes a run fit whose `plan` does not: what takes less memory, or no updates beside the lists where it would fit without.
    fn memory_hint(&self, request: &RunRequest, plan: &MemoryPlan) -> Option<&'static str> {
        let updates = plan.needs().iter().find(|need| need.purpose == Purpose::Updates).map(|need| need.bytes);
        let enough = updates.is_some_and(|updates| plan.total().saturating_sub(updates) <= self.memory);
        let merge = updates.map(|_| outcrop_store::updates::MERGE_HINT);
        if enough { merge } else { request.memory_hint().or(merge) }
    }
}

impl Run<'_> {
    /// Opens the lists that the algorithm reads.
    fn open_lists(&self, vector: Option<&VertexVector>) -> Result<Lists> {
        // The weights of a personalisation and a vector are held already; the weights of a file could not be planned.
        let vertices = self.graph.store.manifest().vertices;
        let unheld = self.plan.total()
            - NamedVertices::planned_bytes(self.request, vertices)
            - vector.map_or(0, VertexVector::bytes);
        let rest = self.budget.available().saturating_sub(unheld);
        let beside = self.beside_page_cache(rest)?;
        let reads = Reads {
            needs: self.request.needs(self.way.model),
            follows_frontiers: self.request.follows_frontiers(),
            index: index_residence(self.way.on_disk),
        };
        self.graph.open_lists(reads, self.plan, unheld + beside, self.budget, self.observer)
    }

    /// What is better spent on other things than the page cache, of the `rest` bytes that the plan leaves.
    fn beside_page_cache(&self, rest: u64) -> Result<u64> {
        let (graph, request) = (self.graph, self.request);
        Ok(match graph.work(request, self.way)? {
            Work::Interval(work) => graph.constructed_bytes(&work, rest),
            Work::Messages(work) => graph.engine_bytes(&work, rest),
            // Lists are not open while it runs.
            Work::Gas(_) => 0,
            Work::EdgeMap => graph.held_beyond_least(request, rest) + graph.batch_bytes(request, self.batch),
        })
    }

    /// Tells that the algorithm itself begins.
    fn begin(&self) {
        self.graph.store.take_notes().iter().for_each(|note| self.observer.note(note));
        let name = self.request.algorithm.specification().name;
        self.observer.phase(&Phase { name, unit: ProgressUnit::Iterations, total: None });
    }

    fn execute_on_lists(&self, named: &NamedVertices, vector: Option<VertexVector>) -> Result<(Finished, Reading)> {
        let lists = self.open_lists(vector.as_ref())?;
        if self.request.algorithm.reads_most_lists() {
            self.observer.phase(&Phase { name: "loading lists", unit: ProgressUnit::Bytes, total: None });
            lists.load()?;
        }
        self.begin();
        let finished = self.execute_in_model(&lists, named, vector)?;
        Ok((finished, Reading::of(&lists)))
    }

    fn execute_in_model(
        &self,
        lists: &[StoredLists],
        named: &NamedVertices,
        vector: Option<VertexVector>,
    ) -> Result<Finished> {
        match self.way.model {
            Model::EdgeMap => self.execute(lists, named, vector),
            Model::Interval => self.execute_by_intervals(lists, named, vector),
            Model::Messages => self.execute_by_messages(lists, named),
            Model::Gas => Err(Error::Usage("the model gas reads shards".to_owned())),
        }
    }

    /// The ranks of vertices, where they are needed and are not the numbers of the vertices.
    fn ranks(&self, needs: Needs) -> Result<Option<VertexValues<u32>>> {
        let Graph { store, workers, io, .. } = self.graph;
        match needs.ranks {
            true => outcrop_store::ranks(store, *io, self.budget, workers.cancellation()),
            false => Ok(None),
        }
    }

    fn execute(&self, lists: &[StoredLists], named: &NamedVertices, vector: Option<VertexVector>) -> Result<Finished> {
        let needs = self.request.needs(Model::EdgeMap);
        let Graph { store, workers, .. } = self.graph;
        let (out, into) = lists::sides(lists, needs);
        let ranks = self.ranks(needs)?;
        let engine = Engine::new(store.manifest().vertices, out, into, workers, self.budget, self.observer)
            .scheduled_by(Scheduler { schedule: self.request.schedule, bandwidths: self.graph.bandwidths()? });
        let watch = Stopwatch::start();
        let outcome = match self.request.algorithm {
            Algorithm::Bfs => bfs::bfs(&engine, &named.sources, Ranks(ranks.as_ref())),
            Algorithm::Wcc => self.wcc(&engine, out, into, Ranks(ranks.as_ref())),
            Algorithm::Sssp => dispatch::sssp(self, &engine, named, Ranks(ranks.as_ref())),
            Algorithm::PageRank => dispatch::pagerank(self, &engine, named),
            Algorithm::Spmv => dispatch::spmv(self, &engine, vector),
            Algorithm::Radii => radii::radii(&engine, &named.sources),
            Algorithm::Diameter | Algorithm::Radius | Algorithm::Eccentricity => {
                self.eccentricities(&engine, out, into, Ranks(ranks.as_ref()))
            }
            Algorithm::Distances => apsp::apsp(&engine, &named.sources, &named.names),
            Algorithm::Betweenness => dispatch::betweenness(self, &engine, named),
            Algorithm::PersonalizedPageRank => dispatch::ppr(self, &engine, named),
            Algorithm::Scc => self.scc(&engine, out, into, Ranks(ranks.as_ref())),
            Algorithm::KCore | Algorithm::Triangles | Algorithm::Clustering => self.structural(&engine, out, into),
            Algorithm::LabelPropagation | Algorithm::Coloring | Algorithm::IndependentSet | Algorithm::Walks => {
                Err(Error::Usage("this is only written in the model messages".to_owned()))
            }
            Algorithm::Beliefs | Algorithm::Heat => {
                Err(Error::Usage("this is only written in the model gas".to_owned()))
            }
        }?;
        let (seconds, seconds_scheduling) = (watch.seconds(), engine.seconds_scheduling());
        Ok(Finished { seconds_scheduling, ..Finished::new(outcome, seconds, engine.figures()) })
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
}
