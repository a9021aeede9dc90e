//! Selects the lists that runs keep in their static cache (BASC, section 3), and keeps the selection in the store.

mod watch;

use crate::graph::Graph;
use crate::lists::{self, Lists};
use crate::memory_size::CacheSize;
use outcrop_algorithms::bfs::edge_map::bfs;
use outcrop_algorithms::{IdOrder, sampling};
use outcrop_engine::Engine;
use outcrop_io::{Disk, ProcessUsage};
use outcrop_placement::selection::{
    Candidates, GvsOptions, Preference, Requesters, Rounds, gvs, high_degree, low_degree, random,
};
use outcrop_report::Recorder;
use outcrop_store::access::Pages;
use outcrop_store::layout::StoredLists;
use outcrop_store::layout::sliding::no_static_cache;
use outcrop_store::layout::{LayoutKind, all_degrees_memory, degrees};
use outcrop_store::{SelectionInfo, SelectionNote, remove_selection, write_selection, write_selection_memory};
use outcrop_types::{
    Direction, Error, MemoryBudget, MemoryPlan, Observer, Phase, ProgressUnit, Purpose, Result, Silent, Stopwatch,
    VertexId, VertexValues, index_from,
};
use serde::Serialize;
use std::num::NonZeroU32;
use watch::{Asked, Watched};

/// Way to select lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selector {
    /// Greedy vertex selection: lists whose pages would be read for little else.
    Gvs(Option<NonZeroU32>),
    /// The same with line 13 of the paper's listing taken by its word, the lowest penalties: for comparison.
    GvsLowest(Option<NonZeroU32>),
    /// Greedy selection by what searches from some vertices, drawn with this seed, ask for together, in place of what the paper assumes.
    Observed(u64),
    /// Drawn with this seed.
    Random(u64),
    /// The longest.
    HighDegree,
    /// The shortest.
    LowDegree,
}

impl Selector {
    /// The one of this name, with what can be chosen about it; a seed of 1 where none is given.
    ///
    /// # Errors
    /// [`Error::Usage`] for another name, or a choice that it does not have.
    pub fn named(name: &str, rounds: Option<NonZeroU32>, seed: Option<u64>) -> Result<Self> {
        let selector = match name {
            "gvs" => Self::Gvs(rounds),
            "observed" => Self::Observed(seed.unwrap_or(1)),
            "random" => Self::Random(seed.unwrap_or(1)),
            "high-degree" => Self::HighDegree,
            "low-degree" => Self::LowDegree,
            other => {
                let names = "observed, gvs, random, high-degree and low-degree";
                return Err(Error::Usage(format!("there is no way to select called {other:?}; there are {names}")));
            }
        };
        if rounds.is_some() && !matches!(selector, Self::Gvs(_)) {
            return Err(Error::Usage(format!("rounds go with gvs, not with {name}")));
        }
        if seed.is_some() && !matches!(selector, Self::Observed(_) | Self::Random(_)) {
            return Err(Error::Usage(format!("a seed goes with observed and random, not with {name}")));
        }
        Ok(selector)
    }

    /// Name that the command line has for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gvs(_) => "gvs",
            Self::GvsLowest(_) => "gvs-lowest",
            Self::Observed(_) => "observed",
            Self::Random(_) => "random",
            Self::HighDegree => "high-degree",
            Self::LowDegree => "low-degree",
        }
    }

    /// The rounds of GVS; 0 for one a vertex, and for the others.
    fn rounds(self) -> u32 {
        match self {
            Self::Gvs(rounds) | Self::GvsLowest(rounds) => rounds.map_or(0, NonZeroU32::get),
            _ => 0,
        }
    }
}

/// Request to select lists.
#[derive(Clone, Copy, Debug)]
pub struct SelectionRequest {
    /// Memory of the selected lists: a part of the lists of each direction, or bytes, shared out in proportion.
    pub size: CacheSize,
    /// Way that they are selected.
    pub selector: Selector,
}

/// A selection that was made.
#[derive(Clone, Debug, Serialize)]
pub struct SelectionRecord {
    /// Direction, method, and how much was selected.
    #[serde(flatten)]
    pub info: SelectionInfo,
    /// Seconds of the choosing.
    pub seconds_selecting: f64,
    /// Seconds of reading the chosen lists and writing them into the store.
    pub seconds_writing: f64,
}

/// Record of what making selections did and cost.
#[derive(Clone, Debug, Serialize)]
pub struct SelectionsRecord {
    /// The store.
    pub store: String,
    /// One a stored direction.
    pub selections: Vec<SelectionRecord>,
    /// From start to end.
    pub seconds: f64,
    /// The most memory that the process ever had resident.
    pub peak_rss: u64,
    /// The budget.
    pub memory_budget: u64,
    /// The most that was reserved, by purpose.
    pub memory: MemoryPlan,
}

/// Sizes of lists are known in entries until they are written: as many more are chosen, in case they turn out small.
const SPARE: f64 = 1.25;

impl Graph {
    /// Selects lists, and keeps the selection in the store in place of one that is there. Runs may go on meanwhile.
    ///
    /// # Errors
    /// A size that makes no sense; a store of layout `sliding`; a budget that is too small; a damaged store; failures of reading and writing; interruption: then the
    /// store has the selection that it had.
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
        budget.require(&plans.into_iter().fold(MemoryPlan::new(), MemoryPlan::or))?;
        let selections =
            self.store.stored_directions().map(|direction| work.select(direction)).collect::<Result<_>>()?;
        self.tell_notes();
        Ok(SelectionsRecord {
            store: self.store.folder().display().to_string(),
            selections,
            seconds: watch.seconds(),
            peak_rss: ProcessUsage::now().peak_rss_bytes,
            memory_budget: budget.limit(),
            memory: budget.peak_by_purpose(),
        })
    }

    /// Removes the selections that the store has.
    ///
    /// # Errors
    /// Failures of writing.
    pub fn forget_selections(&self) -> Result<()> {
        self.store.stored_directions().try_for_each(|direction| remove_selection(&Disk, &self.store, direction))
    }
}

struct SelectionRun<'w> {
    graph: &'w Graph,
    request: &'w SelectionRequest,
    budget: &'w MemoryBudget,
    observer: &'w dyn Observer,
}

impl SelectionRun<'_> {
    /// Least memory of choosing lists and of writing them, one after the other; greedy selection takes besides what the requests of one page do.
    fn memory(&self, direction: Direction) -> Result<MemoryPlan> {
        let Graph { store, workers, .. } = self.graph;
        let vertices = self.graph.num_vertices();
        let array = VertexValues::<u32>::bytes(vertices.into());
        let [own, back] = [direction, direction.opposite()].map(|side| all_degrees_memory(store, side));
        let degrees = own.or(back.with(Purpose::Degrees, array));
        let lists = self.directions(direction).into_iter().map(|side| lists::memory(self.graph, side));
        let reading = lists.fold(MemoryPlan::new().with(Purpose::Degrees, 2 * array), |plan, lists| plan.and(&lists));
        let choosing = reading.with(Purpose::IdMap, array);
        let (count, bytes) = (index_from(vertices.into()), self.bytes(direction)?);
        let writing = write_selection_memory(store, direction, (count, bytes), &self.note(), workers)?;
        Ok(degrees.or(choosing).or(writing))
    }

    fn note(&self) -> SelectionNote {
        let selector = self.request.selector;
        SelectionNote { method: selector.name().to_owned(), rounds: selector.rounds() }
    }

    /// Directions whose lists the choice of those of `direction` reads.
    fn directions(&self, direction: Direction) -> Vec<Direction> {
        let mut directions = vec![direction, self.graph.store.stored(direction.opposite())];
        directions.dedup();
        directions
    }

    fn select(&self, direction: Direction) -> Result<SelectionRecord> {
        let bytes = self.bytes(direction)?;
        let watch = Stopwatch::start();
        let ranked = self.choose(direction, bytes)?;
        let seconds_selecting = watch.seconds();
        let Graph { store, workers, io, .. } = self.graph;
        self.observer.phase(&Phase { name: "writing selection", unit: ProgressUnit::Bytes, total: Some(bytes) });
        let note = self.note();
        let info =
            write_selection(&Disk, store, direction, &ranked, &note, bytes, *io, self.budget, workers, self.observer)?;
        Ok(SelectionRecord { info, seconds_selecting, seconds_writing: watch.seconds() - seconds_selecting })
    }

    /// Bytes to select of the lists of `direction`.
    fn bytes(&self, direction: Direction) -> Result<u64> {
        let of = |direction| lists::bytes_on_disk(self.graph, direction);
        let (mine, all) = (of(direction), self.graph.store.stored_directions().map(of).sum::<u64>());
        let part = match self.request.size {
            CacheSize::Percent(percent) => mine as f64 * percent / 100.0,
            CacheSize::Bytes(bytes) => bytes as f64 * (mine as f64 / all.max(1) as f64),
            CacheSize::Rest => {
                return Err(Error::Usage("the size of a selection is a percentage or a number of bytes".to_owned()));
            }
        };
        Ok((part as u64).min(2 * mine))
    }

    /// The vertices whose lists are worth most.
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
        // Runs ask for lists about in the order of the vertices, and are quicker where memory has them so.
        let tier = ranked.len().div_ceil(TIERS).max(1);
        ranked.chunks_mut(tier).for_each(<[VertexId]>::sort_unstable);
        Ok(ranked)
    }

    fn entries(&self, direction: Direction, bytes: u64) -> u64 {
        let whole = lists::bytes_on_disk(self.graph, direction).max(1);
        let entries = bytes as f64 / whole as f64 * lists::arcs(self.graph, direction) as f64;
        (entries * SPARE) as u64
    }

    /// The first of `lists` are those to choose among, the last those of the other direction.
    fn choose_among(
        &self,
        lists: &[StoredLists],
        direction: Direction,
        figures: &mut Figures,
    ) -> Result<Vec<VertexId>> {
        let (Some(own), Some(back)) = (lists.first(), lists.last()) else { return Ok(Vec::new()) };
        let asked = match self.request.selector {
            Selector::Observed(seed) => self.watch(own, back, direction, figures, seed)?,
            _ => Asked::default(),
        };
        let candidates = Candidates { lists: own, lengths: &figures.lengths, requests: &figures.requests };
        let (entries, budget) = (figures.entries, self.budget);
        let greedily = |requesters, rounds: Option<NonZeroU32>, preference| {
            let rounds = rounds.map_or(Rounds::OneByOne, Rounds::Of);
            let options = GvsOptions { entries, rounds, preference };
            gvs(&candidates, requesters, &options, &self.graph.workers, budget, self.observer)
        };
        match self.request.selector {
            Selector::Gvs(rounds) => greedily(Requesters::Lists(back), rounds, Preference::Highest),
            Selector::GvsLowest(rounds) => greedily(Requesters::Lists(back), rounds, Preference::Lowest),
            Selector::Observed(_) => greedily(Requesters::Sets(&asked.sets), None, Preference::Highest),
            Selector::Random(seed) => random(&candidates, entries, seed, budget),
            Selector::HighDegree => high_degree(&candidates, entries, budget),
            Selector::LowDegree => low_degree(&candidates, entries, budget),
        }
    }

    /// Lists of `own`, those of `direction`, that breadth-first searches from some vertices ask for together; `back` are the others. Counts
    /// the sets that each vertex is in.
    fn watch(
        &self,
        own: &dyn Pages,
        back: &dyn Pages,
        direction: Direction,
        figures: &mut Figures,
        seed: u64,
    ) -> Result<Asked> {
        let Graph { workers, store, .. } = self.graph;
        let vertices = self.graph.num_vertices();
        let (watched, other) = (Watched::new(own, Watched::MOST_SETS, self.budget), Watched::new(back, 0, self.budget));
        let (out, into) = match direction {
            _ if !store.manifest().directed => (&watched, &watched),
            Direction::Out => (&watched, &other),
            Direction::In => (&other, &watched),
        };
        let out_degrees = if direction == Direction::Out { &figures.lengths } else { &figures.requests };
        let drawn = sampling::shuffled(vertices, MOST_DRAWN, seed).into_iter();
        let sources: Vec<VertexId> = drawn.filter(|vertex| out_degrees[*vertex as usize] > 0).take(SEARCHES).collect();
        for source in sources {
            let engine = Engine::new(vertices, Some(out), Some(into), workers, self.budget, &Silent);
            bfs(&engine, &[source], IdOrder(None))?;
        }
        let asked = watched.into_asked();
        workers.for_each_value(&mut figures.requests, |vertex, requests| {
            *requests = asked.sets.iter().map(|set| u32::from(set.contains(vertex))).sum();
        });
        Ok(asked)
    }
}

/// A selection is ordered by worth in so many parts, and in each part by vertex.
const TIERS: usize = 32;
/// Searches that are watched.
const SEARCHES: usize = 4;
/// Vertices that are drawn to find as many from which a search leads anywhere.
const MOST_DRAWN: u32 = 64;

/// Figures that the choice goes by.
struct Figures {
    entries: u64,
    lengths: VertexValues<u32>,
    requests: VertexValues<u32>,
}
