//! Selection of the lists that runs pin in memory (BASC, section 3), stored with the graph.

mod gain;
mod searches;
mod watch;

use crate::graph::Graph;
use crate::lists::{self, Lists};
use crate::memory_size::CacheSize;
pub use gain::SelectionGain;
use outcrop_engine::Engine;
use outcrop_io::{Disk, ProcessUsage};
use outcrop_placement::selection::{Candidates, GvsOptions, Preference, Requesters, Rounds, gvs, gvs_bytes};
use outcrop_report::Recorder;
use outcrop_store::access::Pages;
use outcrop_store::layout::StoredLists;
use outcrop_store::layout::sliding::no_static_cache;
use outcrop_store::layout::{DegreeReader, LayoutKind, all_degrees_memory, degrees};
use outcrop_store::{SelectionDraft, SelectionInfo, SelectionNote, remove_selections, write_selection_memory};
use outcrop_types::{
    BitSet, Direction, Error, MemoryBudget, MemoryPlan, Observer, Phase, ProgressUnit, Purpose, Result, Silent,
    Stopwatch, VertexId, VertexRange, VertexValues, index_from,
};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;
use watch::{RequestedSets, Watched};

/// Method to select lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selector {
    /// Greedy vertex selection by the cost model of BASC.
    Gvs(Rounds),
    /// Greedy selection by the lists that sample searches request together. The value is the random seed of their
    /// sources.
    Observed(u64),
    /// Vertices ranked by the caller.
    Given(Arc<GivenSelection>),
}

/// Vertices ranked by the caller, most valuable lists first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenSelection {
    /// Name to record in the store.
    pub method: &'static str,
    /// Internal IDs of the vertices ranked by their out-lists; the caller accounts for their memory.
    pub out: Vec<VertexId>,
    /// Internal IDs of the vertices ranked by their in-lists; ignored for undirected graphs.
    pub into: Vec<VertexId>,
}

impl Selector {
    /// Returns the method `name`: `gvs` with `rounds` (default: one per list), or `observed` with `seed`
    /// (default: 1).
    ///
    /// # Errors
    /// [`Error::Usage`] for another name, or a parameter of the other method.
    pub fn named(name: &str, rounds: Option<Rounds>, seed: Option<u64>) -> Result<Self> {
        match name {
            "gvs" if seed.is_some() => Err(Error::Usage("--seed needs --select observed".to_owned())),
            "gvs" => Ok(Self::Gvs(rounds.unwrap_or(Rounds::OneByOne))),
            "observed" if rounds.is_some() => Err(Error::Usage("--rounds needs --select gvs".to_owned())),
            "observed" => Ok(Self::Observed(seed.unwrap_or(1))),
            other => Err(Error::Usage(format!("unknown selection method {other:?}; expected one of observed and gvs"))),
        }
    }

    /// Name of the method, as in stores and on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Gvs(_) => "gvs",
            Self::Observed(_) => "observed",
            Self::Given(given) => given.method,
        }
    }

    /// Number of rounds of GVS; 0 for one per list, and for the other methods.
    fn rounds(&self) -> u32 {
        match self {
            Self::Gvs(Rounds::Of(rounds)) => rounds.get(),
            Self::Gvs(Rounds::OneByOne) | Self::Observed(_) | Self::Given(_) => 0,
        }
    }
}

/// Request to select lists.
#[derive(Clone, Debug)]
pub struct SelectionRequest {
    /// Memory of the selected lists: a fraction of the lists of each direction, or bytes that are divided in
    /// proportion.
    pub size: CacheSize,
    /// Method to select them.
    pub selector: Selector,
    /// Keep the selection without measuring whether it pays.
    pub keep: bool,
}

/// Record of one selection.
#[derive(Clone, Debug, Serialize)]
pub struct SelectionRecord {
    /// Direction, method, and size of the selection.
    #[serde(flatten)]
    pub info: SelectionInfo,
    /// Seconds spent choosing lists.
    pub seconds_selecting: f64,
    /// Seconds spent reading the chosen lists and writing them into the store.
    pub seconds_writing: f64,
}

/// Record of the results and costs of selecting lists.
#[derive(Clone, Debug, Serialize)]
pub struct SelectionsRecord {
    /// Path of the store.
    pub store: String,
    /// Record per stored direction.
    pub selections: Vec<SelectionRecord>,
    /// True if the store has the new selection now.
    pub kept: bool,
    /// Reads of sample searches; `None` if they were not requested.
    pub gain: Option<SelectionGain>,
    /// Seconds from start to end.
    pub seconds: f64,
    /// Peak resident memory of the process.
    pub peak_rss: u64,
    /// Memory budget.
    pub memory_budget: u64,
    /// Peak reservation per purpose.
    pub memory: MemoryPlan,
}

/// Factor of additional candidates: the sizes of lists are known only in entries until they are written, and may turn
/// out small.
const SPARE: f64 = 1.25;

impl Graph {
    /// Selects lists. Stores the selection, replacing an existing one, if sample searches read less with it, or if the
    /// request keeps it. Runs may proceed concurrently.
    ///
    /// # Errors
    ///
    /// Returns an error if the size is invalid, if the store has the layout `sliding`, if the budget is too small, if
    /// the store is damaged, if another process selects lists, if reading or writing fails, or if the work is
    /// interrupted: the store then keeps its previous selection.
    pub fn select(&self, request: &SelectionRequest) -> Result<SelectionsRecord> {
        if self.layout() == LayoutKind::Sliding {
            return Err(no_static_cache());
        }
        let watch = Stopwatch::start();
        let budget = self.budget();
        let recorder = Recorder::new(&*self.observer);
        let work = SelectionRun { graph: self, request, budget: &budget, observer: &recorder };
        let plans =
            self.store.stored_directions().map(|direction| work.memory(direction)).collect::<Result<Vec<_>>>()?;
        let plan = plans.into_iter().fold(MemoryPlan::new(), MemoryPlan::or);
        let plan = if request.keep { plan } else { plan.or(gain::memory(self)) };
        let mut draft = SelectionDraft::begin(&Disk, &self.store)?;
        let directions = self.store.stored_directions();
        let select = |()| directions.map(|direction| work.select(direction, &mut draft)).collect();
        let selections: Result<Vec<_>> = budget.require(&plan).and_then(select);
        let selections = selections.map_err(|error| error.at_least(|| work.most_memory(plan)))?;
        let infos: Vec<SelectionInfo> = selections.iter().map(|selection| selection.info.clone()).collect();
        let gain = if request.keep { None } else { Some(gain::measure(self, &draft, &infos, &budget, &recorder)?) };
        let kept = gain.as_ref().is_none_or(SelectionGain::pays);
        if kept {
            draft.publish()?;
        }
        self.report_notes();
        Ok(SelectionsRecord {
            store: self.store.folder().display().to_string(),
            selections,
            kept,
            gain,
            seconds: watch.seconds(),
            peak_rss: ProcessUsage::now().peak_rss_bytes,
            memory_budget: budget.limit(),
            memory: budget.peak_by_purpose(),
        })
    }

    /// Removes the selections of the store.
    ///
    /// # Errors
    ///
    /// Returns an error if writing fails.
    pub fn forget_selections(&self) -> Result<()> {
        remove_selections(&Disk, &self.store)
    }
}

struct SelectionRun<'w> {
    graph: &'w Graph,
    request: &'w SelectionRequest,
    budget: &'w MemoryBudget,
    observer: &'w dyn Observer,
}

impl SelectionRun<'_> {
    /// Returns the minimum memory of choosing lists and of writing them, one after the other; greedy selection also
    /// needs memory for the requests of one page.
    fn memory(&self, direction: Direction) -> Result<MemoryPlan> {
        let Graph { store, workers, .. } = self.graph;
        let vertices = self.graph.num_vertices();
        let array = VertexValues::<u32>::bytes(vertices.into());
        let [own, back] = [direction, direction.opposite()].map(|side| all_degrees_memory(store, side));
        let degrees = own.or(back.with(Purpose::Degrees, array));
        let choosing = self.reading(direction).with(Purpose::IdMap, array);
        let (count, bytes) = (index_from(vertices.into()), self.bytes(direction)?);
        let writing = write_selection_memory(store, direction, count, bytes, &self.note(), workers)?;
        Ok(degrees.or(choosing).or(writing))
    }

    /// Returns `least`, or the maximum memory of the choice if it is greedy.
    fn most_memory(&self, least: MemoryPlan) -> Result<MemoryPlan> {
        let Graph { store, workers, .. } = self.graph;
        let (vertices, threads) = (self.graph.num_vertices(), workers.threads());
        let sets = Watched::MOST_SETS as u64;
        let of = |direction| {
            let pages = lists::bytes_on_disk(self.graph, direction) / LEAST_PAGE_BYTES;
            let reading = self.reading(direction);
            Ok(match &self.request.selector {
                Selector::Gvs(_) => {
                    let requests = self.most_requests(direction.opposite())?;
                    reading.with(Purpose::SortSpace, gvs_bytes(vertices, pages, (MOST_LISTS, requests), threads))
                }
                Selector::Observed(_) => {
                    let page = (MOST_LISTS, sets * MOST_LISTS);
                    let greedy = searches::memory(vertices)
                        .or(MemoryPlan::new().with(Purpose::SortSpace, gvs_bytes(vertices, pages, page, threads)));
                    reading.and(&greedy).with(Purpose::Frontier, (sets + 1) * BitSet::bytes(vertices))
                }
                Selector::Given(_) => MemoryPlan::new(),
            })
        };
        store.stored_directions().map(of).try_fold(least, |plan, more: Result<MemoryPlan>| Ok(plan.or(more?)))
    }

    /// Returns the maximum number of requests for the lists of a page, which occur in the lists of `back`, over as many
    /// vertices as a page has lists.
    fn most_requests(&self, back: Direction) -> Result<u64> {
        let Graph { store, workers, io, .. } = self.graph;
        let budget = MemoryBudget::new(u64::MAX >> 1);
        let mut reader = DegreeReader::open(store, back, *io, &budget)?;
        let (mut most, mut degrees) = (BinaryHeap::new(), Vec::new());
        let (mut start, vertices) = (0_u32, self.graph.num_vertices());
        while start < vertices {
            workers.cancellation().check()?;
            let end = start.saturating_add(MOST_LISTS as u32).min(vertices);
            reader.read(VertexRange::new(start, end), &mut degrees)?;
            most.extend(degrees.iter().map(|degree| Reverse(*degree)));
            while most.len() as u64 > MOST_LISTS {
                most.pop();
            }
            start = end;
        }
        Ok(most.into_iter().map(|Reverse(degree)| u64::from(degree)).sum())
    }

    /// Returns the memory of the lists read to choose those of `direction`, and of the degrees.
    fn reading(&self, direction: Direction) -> MemoryPlan {
        let degrees = 2 * VertexValues::<u32>::bytes(self.graph.num_vertices().into());
        let lists = self.directions(direction).into_iter().map(|side| lists::memory(self.graph, side));
        lists.fold(MemoryPlan::new().with(Purpose::Degrees, degrees), |plan, lists| plan.and(&lists))
    }

    fn note(&self) -> SelectionNote {
        let selector = &self.request.selector;
        SelectionNote { method: selector.name().to_owned(), rounds: selector.rounds() }
    }

    /// Returns the directions whose lists are read to choose those of `direction`.
    fn directions(&self, direction: Direction) -> Vec<Direction> {
        let mut directions = vec![direction, self.graph.store.stored(direction.opposite())];
        directions.dedup();
        directions
    }

    fn select(&self, direction: Direction, draft: &mut SelectionDraft<'_>) -> Result<SelectionRecord> {
        let bytes = self.bytes(direction)?;
        let watch = Stopwatch::start();
        let ranked = self.choose(direction, bytes)?;
        let seconds_selecting = watch.seconds();
        self.observer.phase(&Phase { name: "writing selection", unit: ProgressUnit::Bytes, total: Some(bytes) });
        let note = self.note();
        let work = self.graph.work(self.budget, self.observer);
        let info = draft.write(direction, &ranked, &note, bytes, work)?;
        Ok(SelectionRecord { info, seconds_selecting, seconds_writing: watch.seconds() - seconds_selecting })
    }

    /// Returns the number of bytes to select from the lists of `direction`.
    fn bytes(&self, direction: Direction) -> Result<u64> {
        let of = |direction| lists::bytes_on_disk(self.graph, direction);
        let (mine, all) = (of(direction), self.graph.store.stored_directions().map(of).sum::<u64>());
        let part = match self.request.size {
            CacheSize::Percent(percent) => mine as f64 * percent / 100.0,
            CacheSize::Bytes(bytes) => bytes as f64 * (mine as f64 / all.max(1) as f64),
            CacheSize::Rest => {
                return Err(Error::Usage("the selection size must be a percentage or a number of bytes".to_owned()));
            }
        };
        Ok((part as u64).min(2 * mine))
    }

    /// Returns the vertices whose lists are most valuable.
    fn choose(&self, direction: Direction, bytes: u64) -> Result<Vec<VertexId>> {
        let Graph { store, workers, io, .. } = self.graph;
        let total = match self.request.selector.rounds() {
            0 => None,
            rounds => Some(u64::from(rounds)),
        };
        self.observer.phase(&Phase { name: "selecting lists", unit: ProgressUnit::Iterations, total });
        let degrees = |direction| degrees(store, direction, *io, self.budget, workers.cancellation());
        let (lengths, requests) = (degrees(direction)?, degrees(direction.opposite())?);
        let directions = self.directions(direction);
        let mut figures = Figures { entries: self.entries(direction, bytes), lengths, requests };
        let lists = Lists::open_paged(self.graph, &directions, 0, self.budget)?;
        let mut ranked = self.choose_among(&lists, direction, &mut figures)?;
        // Runs request lists approximately in vertex order, and are faster if memory has the same order.
        let tier = ranked.len().div_ceil(TIERS).max(1);
        ranked.chunks_mut(tier).for_each(<[VertexId]>::sort_unstable);
        Ok(ranked)
    }

    fn entries(&self, direction: Direction, bytes: u64) -> u64 {
        let whole = lists::bytes_on_disk(self.graph, direction).max(1);
        let entries = bytes as f64 / whole as f64 * lists::arcs(self.graph, direction) as f64;
        (entries * SPARE) as u64
    }

    /// Chooses among the first of `lists`; the last are those of the other direction.
    fn choose_among(
        &self,
        lists: &[StoredLists],
        direction: Direction,
        figures: &mut Figures,
    ) -> Result<Vec<VertexId>> {
        let (Some(own), Some(back)) = (lists.first(), lists.last()) else { return Ok(Vec::new()) };
        let asked = match &self.request.selector {
            Selector::Observed(seed) => self.watch(own, back, direction, figures, *seed)?,
            _ => RequestedSets::default(),
        };
        let candidates = Candidates { lists: own, lengths: &figures.lengths, requests: &figures.requests };
        let entries = figures.entries;
        let greedily = |requesters, rounds| {
            let options = GvsOptions { entries, rounds, preference: Preference::Highest };
            gvs(&candidates, requesters, &options, &self.graph.workers, self.budget, self.observer)
        };
        match &self.request.selector {
            Selector::Gvs(rounds) => greedily(Requesters::Lists(back), *rounds),
            Selector::Observed(_) => greedily(Requesters::Sets(&asked.sets), Rounds::OneByOne),
            Selector::Given(given) => {
                let ranked = if direction == Direction::Out { &given.out } else { &given.into };
                candidates.first(ranked, entries).ok_or_else(|| {
                    Error::Usage("the given selection contains a vertex that the graph does not have".to_owned())
                })
            }
        }
    }

    /// Observes which lists of `own`, those of `direction`, breadth-first searches from some vertices request together;
    /// `back` are the other lists. Counts the sets that contain each vertex.
    fn watch(
        &self,
        own: &dyn Pages,
        back: &dyn Pages,
        direction: Direction,
        figures: &mut Figures,
        seed: u64,
    ) -> Result<RequestedSets> {
        let Graph { workers, store, .. } = self.graph;
        let vertices = self.graph.num_vertices();
        let (watched, other) = (Watched::new(own, Watched::MOST_SETS, self.budget), Watched::new(back, 0, self.budget));
        let (out, into) = match direction {
            _ if !store.manifest().graph.directed => (&watched, &watched),
            Direction::Out => (&watched, &other),
            Direction::In => (&other, &watched),
        };
        let out_degrees = if direction == Direction::Out { &figures.lengths } else { &figures.requests };
        searches::search(&searches::sources(out_degrees, seed), || {
            Engine::new(vertices, Some(out), Some(into), workers, self.budget, &Silent)
        })?;
        let asked = watched.into_requested_sets();
        workers.for_each_value(&mut figures.requests, |vertex, requests| {
            *requests = asked.sets.iter().map(|set| u32::from(set.contains(vertex))).sum();
        });
        Ok(asked)
    }
}

/// Upper bound of the number of lists per page, which have a minimum size in bytes.
const MOST_LISTS: u64 = 1 << 12;
const LEAST_PAGE_BYTES: u64 = 1 << 10;
/// Number of tiers: a selection is ordered by value among tiers, and by vertex within a tier.
const TIERS: usize = 32;
/// Properties that determine the choice.
struct Figures {
    entries: u64,
    lengths: VertexValues<u32>,
    requests: VertexValues<u32>,
}
