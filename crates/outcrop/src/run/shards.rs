//! The shards that a run in the model of values on edges works on: those of the store where they fit, else such as are written into a
//! temporary file from lists.

use super::gas::GasWork;
use super::interval::index_residence;
use super::plan::with_results;
use super::{Reading, Run};
use crate::graph::Graph;
use crate::lists::{self, Reads};
use crate::memory_size::CacheSize;
use outcrop_engine::gas::{GasEngine, Preparation, ShardExtent, prepare_shards};
use outcrop_engine::{DegreeSource, Directions};
use outcrop_io::PageUse;
use outcrop_store::access::{AccessFigures, Adjacency, Shards};
use outcrop_store::layout::DegreeReader;
use outcrop_store::layout::StoredLists;
use outcrop_store::layout::sliding::{
    EncodedShard, PreparedShards, ShardPreparation, ShardSorter, StoredShards, intervals_for,
};
use outcrop_store::{Dedup, SlidingEntry};
use outcrop_types::{
    Direction, Error, MemoryBudget, MemoryNeed, MemoryPlan, Phase, ProgressUnit, Purpose, Result, Stopwatch, WeightType,
};

/// The part of the budget that blocks of edges under way should not exceed: its inverse. The rest holds values of edges.
const BUFFER_SHARE: u64 = 6;
/// The same for shards that are there: blocks that are a little large are better than shards that are written again.
const WRITTEN_BUFFER_SHARE: u64 = 2;

/// Intervals at the most: what is kept of each pair of them takes a few hundred bytes.
const MOST_INTERVALS: u32 = 512;

/// Source of the shards of a run.
#[derive(Clone, Copy, Debug)]
pub(super) enum ShardSource<'g> {
    /// Those of the store.
    Stored(&'g SlidingEntry),
    /// They are written before the run.
    Prepared(Expected),
}

/// Size of shards that are not written yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expected {
    /// Arcs at the most.
    arcs: u64,
    intervals: u32,
    weights: Option<WeightType>,
}

impl Expected {
    /// Least memory for preparing to collect and sort in: a block of sixteen times the mean, in an interval of four times the mean.
    fn least_sorting(self, work: &GasWork, slots: usize) -> u64 {
        let (all, intervals) = (u64::from(work.demand.vertices), u64::from(self.intervals));
        let entries = (16 * self.arcs / (intervals * intervals) + 4096).min(self.arcs);
        let vertices = (4 * all / intervals + 64).min(all);
        self.sorting(slots, (u32::try_from(vertices).unwrap_or(u32::MAX), entries))
    }

    /// Most memory that is of use to collect and sort in.
    fn useful_sorting(self, work: &GasWork, slots: usize) -> u64 {
        self.sorting(slots, (work.demand.vertices, self.arcs))
    }

    fn sorting(self, slots: usize, (vertices, entries): (u32, u64)) -> u64 {
        let threads = slots as u64 * ShardSorter::bytes(self.intervals, 0, 0, self.weights);
        threads + Preparation::useful_memory(vertices, entries, self.intervals, self.weights)
    }
}

impl ShardSource<'_> {
    /// Arcs at the most.
    pub(super) fn arcs(&self) -> u64 {
        match self {
            Self::Stored(entry) => entry.arcs,
            Self::Prepared(expected) => expected.arcs,
        }
    }

    /// Bytes of the shards in temporary files, at the most.
    pub(super) fn prepared_bytes(&self) -> u64 {
        match self {
            Self::Stored(_) => 0,
            Self::Prepared(Expected { arcs, intervals, weights }) => {
                EncodedShard::most_bytes(*arcs, u64::from(*intervals).pow(2), *weights)
            }
        }
    }

    /// Memory that holds all shards, in bytes, at the most.
    pub(super) fn whole_bytes(&self) -> u64 {
        match self {
            Self::Stored(entry) => StoredShards::whole_bytes_of(entry),
            Self::Prepared(_) => self.prepared_bytes(),
        }
    }

    /// Memory of shards that are open, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        match self {
            Self::Stored(entry) => StoredShards::bytes(entry),
            Self::Prepared(expected) => PreparedShards::bytes(expected.intervals),
        }
    }

    /// Size of their parts: of shards that are not written yet as far as can be foreseen.
    pub(super) fn extent(&self, graph: &Graph) -> ShardExtent {
        let vertices = graph.num_vertices();
        match self {
            Self::Prepared(Expected { arcs, intervals, .. }) => ShardExtent::expected(vertices, *intervals, *arcs),
            Self::Stored(entry) => ShardExtent {
                intervals: entry.intervals.into(),
                vertices: entry.most_vertices.into(),
                arcs: entry.most_block_arcs,
                reading: StoredShards::reading_bytes_of(entry, graph.store.manifest().weighted),
            },
        }
    }
}

/// Shards that are open.
pub(crate) struct OpenShards {
    shards: Open,
    /// Figures of reading lists to write them.
    pub(super) figures: AccessFigures,
    /// Way that lists, or the shards of the store, are read.
    pub(super) reading: Reading,
    /// Seconds of writing.
    pub(super) seconds: f64,
}

enum Open {
    Stored(StoredShards),
    Prepared(PreparedShards),
}

impl OpenShards {
    /// Bytes that were written.
    pub(super) fn written_bytes(&self) -> u64 {
        match &self.shards {
            Open::Stored(_) => 0,
            Open::Prepared(shards) => shards.written_bytes(),
        }
    }

    pub(super) fn arcs(&self) -> u64 {
        match &self.shards {
            Open::Stored(shards) => shards.total_arcs(),
            Open::Prepared(shards) => shards.total_arcs(),
        }
    }

    /// Keeps blocks in memory from now on, up to `bytes`, if there are so many.
    pub(super) fn hold(&mut self, bytes: u64, budget: &MemoryBudget) -> Result<()> {
        match &mut self.shards {
            Open::Stored(shards) => shards.hold(bytes.min(shards.whole_bytes()), budget),
            Open::Prepared(shards) => shards.hold(bytes.min(shards.whole_bytes()), budget),
        }
    }

    pub(super) fn shards(&self) -> &dyn Shards {
        match &self.shards {
            Open::Stored(shards) => shards,
            Open::Prepared(shards) => shards,
        }
    }
}

impl Graph {
    /// Source of the shards that a run of `work` works on.
    pub(super) fn shard_source(&self, work: &GasWork) -> ShardSource<'_> {
        match self.store.manifest().sliding.as_ref().filter(|entry| self.fits(entry, work.demand.along)) {
            Some(entry) => ShardSource::Stored(entry),
            None => {
                let arcs = self.directions(work.needs).iter().map(|direction| lists::arcs(self, *direction)).sum();
                self.expected(work, arcs, self.intervals(work, arcs))
            }
        }
    }

    /// Shards of so many intervals that are to be written.
    fn expected(&self, work: &GasWork, arcs: u64, intervals: u32) -> ShardSource<'_> {
        // Edges of a store without weights weigh 1.
        let weights = || self.store.manifest().weights().unwrap_or(WeightType::U8);
        ShardSource::Prepared(Expected { arcs, intervals, weights: work.demand.weighted.then(weights) })
    }

    /// With how many intervals a run is certain to go on, where shards are written: as many as suit the arcs, or more where blocks then
    /// may be too large for the budget; where that does not help, as many as need least in all, so that the least budget is the least
    /// with any number of them.
    fn intervals(&self, work: &GasWork, arcs: u64) -> u32 {
        let vertices = work.demand.vertices;
        let asked =
            if self.page_cache == CacheSize::Rest { 0 } else { self.page_cache.bytes(self.memory, self.memory) };
        let total = |intervals: u32| {
            let plan = self.plan_gas_on(work, self.expected(work, arcs, intervals));
            with_results(plan).total().saturating_add(work.beside).saturating_add(asked)
        };
        let first = intervals_for(arcs).clamp(1, vertices.max(1));
        let candidates: Vec<u32> = more_and_more(first, vertices).collect();
        let small = |intervals: &&u32| {
            let extent = ShardExtent::expected(vertices, **intervals, arcs);
            self.buffers(work, extent) <= self.memory / BUFFER_SHARE && total(**intervals) <= self.memory
        };
        let least = || candidates.iter().min_by_key(|intervals| total(**intervals));
        candidates.iter().find(small).or_else(least).copied().unwrap_or(first)
    }

    /// Into how many intervals shards are written at first: fewer than are certain to be enough where arcs are likely to be spread so
    /// evenly that their blocks are small, for large blocks are read at once.
    fn first_intervals(&self, work: &GasWork, expected: Expected, memory: u64) -> u32 {
        let small = |intervals: &u32| {
            let extent = ShardExtent::likely(work.demand.vertices, *intervals, expected.arcs);
            self.buffers(work, extent) <= self.memory / BUFFER_SHARE && self.running_bytes(work, extent) <= memory
        };
        let candidates = more_and_more(intervals_for(expected.arcs), work.demand.vertices);
        candidates.take_while(|intervals| *intervals < expected.intervals).find(small).unwrap_or(expected.intervals)
    }

    /// Memory of blocks under way, and of tables of them, in bytes.
    fn buffers(&self, work: &GasWork, extent: ShardExtent) -> u64 {
        let plan = GasEngine::plan(&work.demand, &work.options, extent, self.workers.threads());
        let of = |need: &&MemoryNeed| matches!(need.purpose, Purpose::IoBuffers | Purpose::Index);
        plan.needs().iter().filter(of).map(|need| need.bytes).sum()
    }

    /// Memory that a run takes from when its shards are written on, in bytes.
    fn running_bytes(&self, work: &GasWork, extent: ShardExtent) -> u64 {
        let shards = PreparedShards::bytes(u32::try_from(extent.intervals).unwrap_or(u32::MAX));
        let unmade = work.made_in_memory();
        self.plan_running(work, extent, shards).total().saturating_add(unmade).saturating_add(work.beside)
    }

    /// Into how many intervals, more than were asked for, the vertices are to be split instead where a run does not fit `memory` on
    /// `shards`, or leaves next to nothing of it for values of edges; `None` where it does, or more would not help. A graph with locality
    /// has large blocks, as from an interval into itself.
    fn more_intervals(&self, work: &GasWork, (shards, asked): (&PreparedShards, u32), memory: u64) -> Option<u32> {
        let extent = ShardExtent::of(shards);
        let split = |intervals: &u32| {
            let (of, into) = (extent.intervals, u64::from(*intervals));
            let part = |whole: u64| (whole * of).div_ceil(into);
            let (vertices, arcs) = (part(extent.vertices), part(extent.arcs));
            ShardExtent { intervals: into, vertices, arcs, reading: part(extent.reading) }
        };
        let total = |extent: ShardExtent| self.running_bytes(work, extent);
        let small = |extent: ShardExtent| {
            total(extent) <= memory && self.buffers(work, extent) <= self.memory / WRITTEN_BUFFER_SHARE
        };
        if small(extent) {
            return None;
        }
        let candidates: Vec<u32> = more_and_more(asked, work.demand.vertices).skip(1).collect();
        let enough = candidates.iter().find(|intervals| small(split(intervals)));
        let least = || candidates.iter().min_by_key(|intervals| total(split(intervals)));
        let helps = |intervals: &&u32| total(extent) > memory && total(split(intervals)) < total(extent);
        enough.or_else(|| least().filter(helps)).copied()
    }

    /// True if the shards of the store are those of the edges `along`, as they are now. Those of an undirected graph go both ways; whether
    /// an edge was repeated is only known where that was ruled out.
    fn fits(&self, entry: &SlidingEntry, along: Directions) -> bool {
        let manifest = self.store.manifest();
        let simple = || !manifest.directed && manifest.dedup != Dedup::Keep && entry.arcs == 2 * manifest.edges;
        manifest.updates.is_none() && (along == Directions::Out || simple())
    }

    /// Memory that opening shards takes, and writing them before that.
    pub(super) fn plan_shards(&self, work: &GasWork, source: ShardSource<'_>) -> MemoryPlan {
        match source {
            ShardSource::Stored(entry) => MemoryPlan::new()
                .with(Purpose::IoBuffers, DegreeReader::MEMORY_BYTES)
                .with(Purpose::Index, StoredShards::bytes(entry)),
            ShardSource::Prepared(expected) => self.plan_preparing(work, expected),
        }
    }

    fn plan_preparing(&self, work: &GasWork, expected: Expected) -> MemoryPlan {
        let opened = self.directions(work.needs);
        let buffers = 2 * DegreeReader::MEMORY_BYTES + ShardPreparation::BUFFER_BYTES;
        let mut plan = MemoryPlan::new()
            .with(Purpose::IoBuffers, buffers)
            .with(Purpose::Index, PreparedShards::bytes(expected.intervals))
            .with(Purpose::SortSpace, expected.least_sorting(work, self.workers.slots()));
        for direction in &opened {
            plan = plan.and(&lists::memory_with_index(self, *direction, index_residence(work.demand.on_disk)));
        }
        for direction in [Direction::Out, Direction::In].map(|direction| self.store.stored(direction)) {
            if !opened.contains(&direction) {
                plan = plan.and(&outcrop_store::updates::degrees_memory(&self.store, direction));
            }
        }
        plan
    }
}

impl Run<'_> {
    /// Shards of the edges that `work` goes along: the store's, or such as are written from lists, which are closed again.
    ///
    /// # Errors
    /// A budget that does not hold a block; a full disk; a failed or damaged read; interruption.
    pub(super) fn open_shards(&self, work: &GasWork) -> Result<OpenShards> {
        let Run { graph, budget, observer, .. } = *self;
        let expected = match graph.shard_source(work) {
            ShardSource::Stored(_) => return self.open_stored(),
            ShardSource::Prepared(expected) => expected,
        };
        let (watch, plan) = (Stopwatch::start(), graph.plan_preparing(work, expected));
        let running = budget.available();
        // Every list is read once where memory holds those of an interval: a page cache is of no use, unless it is asked for.
        let rest = budget.available().saturating_sub(plan.total());
        let unheld = if graph.page_cache == CacheSize::Rest { budget.available() } else { budget.available() - rest };
        let reads = Reads { needs: work.needs, follows_frontiers: false, index: index_residence(work.demand.on_disk) };
        let lists = graph.open_lists(reads, (&plan, unheld), (budget, None), observer)?;
        let (shards, figures) = self.prepare(work, expected, &lists, running)?;
        let (shards, reading) = (Open::Prepared(shards), Reading::of(&lists));
        Ok(OpenShards { shards, figures, reading, seconds: watch.seconds() })
    }

    fn open_stored(&self) -> Result<OpenShards> {
        let Graph { store, io, workers, .. } = self.graph;
        let shards = StoredShards::open(store, *io, workers.threads(), self.budget, workers.cancellation())?;
        let reading = Reading { backend: Some(shards.backend()), pages: PageUse::default(), static_bytes: 0 };
        Ok(OpenShards { shards: Open::Stored(shards), figures: AccessFigures::default(), reading, seconds: 0.0 })
    }

    /// Writes shards with which the run fits `running` bytes, if need be in more intervals than expected.
    fn prepare(
        &self,
        work: &GasWork,
        mut expected: Expected,
        lists: &[StoredLists],
        running: u64,
    ) -> Result<(PreparedShards, AccessFigures)> {
        let Run { graph, budget, observer, .. } = *self;
        let _readers = budget.reserve(2 * DegreeReader::MEMORY_BYTES, Purpose::IoBuffers)?;
        let mut degrees = DegreeSource::default();
        for direction in [Direction::Out, Direction::In] {
            degrees = degrees.with(direction, DegreeReader::open(&graph.store, direction, graph.io, budget)?);
        }
        observer.phase(&Phase { name: "writing shards", unit: ProgressUnit::Edges, total: None });
        expected.intervals = graph.first_intervals(work, expected, running);
        let shards = loop {
            let written = self.write_shards(work, expected, lists, &degrees);
            let more = match &written {
                Ok(shards) => graph.more_intervals(work, (shards, expected.intervals), running),
                // A block that could not be sorted.
                Err(Error::BudgetTooSmall { .. }) => more_and_more(expected.intervals, work.demand.vertices).nth(1),
                Err(_) => None,
            };
            match more {
                Some(intervals) => expected.intervals = intervals,
                None => break written?,
            }
            observer.phase(&Phase { name: "writing smaller shards", unit: ProgressUnit::Edges, total: None });
        };
        let read = lists.iter().map(|lists| lists.statistics().figures());
        Ok((shards, read.fold(AccessFigures::default(), |sum, one| sum + one)))
    }

    fn write_shards(
        &self,
        work: &GasWork,
        expected: Expected,
        lists: &[StoredLists],
        degrees: &DegreeSource<'_>,
    ) -> Result<PreparedShards> {
        let Run { graph, budget, .. } = *self;
        let beside = ShardPreparation::BUFFER_BYTES + PreparedShards::bytes(expected.intervals);
        let useful = expected.useful_sorting(work, graph.workers.slots());
        let (out, into) = lists::sides(lists, work.needs);
        prepare_shards(&Preparation {
            out,
            into,
            degrees,
            directed: graph.store.manifest().directed,
            along: work.demand.along,
            weights: expected.weights,
            intervals: Some(expected.intervals),
            memory: budget.available().saturating_sub(beside).min(useful),
            folder: self.spill()?,
            workers: &graph.workers,
            budget,
        })
    }
}

/// So many intervals, half as many more, and so on, up to what so many vertices can be split into.
fn more_and_more(first: u32, vertices: u32) -> impl Iterator<Item = u32> {
    let more = std::iter::successors(Some(first), |intervals| Some(intervals + intervals.div_ceil(2)));
    more.take_while(move |intervals| *intervals <= MOST_INTERVALS.min(vertices))
}
