//! Memory of a run on values of edges, and into how many intervals its vertices are split.

use super::shards::{Expected, ShardSource};
use crate::graph::Graph;
use crate::memory_size::CacheSize;
use crate::run::model::Planned;
use crate::run::purposes::{one_after_the_other, with_results, with_some};
use outcrop_algorithms::GasDriver;
use outcrop_engine::Directions;
use outcrop_gas::{GasEngine, GasOptions, GasRequirements, ShardExtent};
use outcrop_store::layout::DegreeReader;
use outcrop_store::layout::sliding::{PreparedShards, ShardPreparation, StoredShards, intervals_for};
use outcrop_store::{Dedup, SlidingEntry};
use outcrop_types::{Direction, MemoryNeed, MemoryPlan, Purpose, VertexValues, WeightType};

/// The part of the budget that blocks of edges under way should not exceed: its inverse. The rest holds values of
/// edges.
const BUFFER_SHARE: u64 = 6;
/// The same for shards that are there: blocks that are a little large are better than shards that are written again.
const WRITTEN_BUFFER_SHARE: u64 = 2;

/// Intervals at most: what is kept of each pair of them takes a few hundred bytes.
const MOST_INTERVALS: u32 = 512;

/// Memory that dynamic shards take at most, in bytes an arc of all, beside the values of all edges.
const DYNAMIC_BYTES: u64 = 4;

/// More than any engine takes for buffers.
const ENOUGH: u64 = 32 << 20;

/// Work in the model of values on edges.
pub(crate) struct Gas {
    pub(crate) requirements: GasRequirements,
    pub(crate) options: GasOptions,
    /// Bytes a vertex of all vectors that are made of values in the end.
    pub(crate) result_bytes: u64,
    /// Bytes a vertex of what vertices begin with.
    pub(crate) vector_bytes: u64,
    /// Bytes of ranks and of named vertices, which are held beside all that.
    pub(crate) beside: u64,
}

impl Planned<'_, Gas, GasDriver> {
    /// Minimum memory that is reserved: while shards are opened or written, and then while the engine runs.
    pub(super) fn plan_on(&self, source: ShardSource<'_>) -> MemoryPlan {
        let running = self.plan_running(source.extent(self.graph), source.bytes());
        let plan = one_after_the_other(&running, &self.plan_shards(source));
        // What vertices begin with is in memory wherever values are.
        let begun = u64::from(self.work.requirements.vertices) * self.work.vector_bytes;
        with_some(plan, Purpose::VertexValues, begun + self.made_in_memory())
    }

    /// Memory that the engine and the shards that it works on take, which in memory are `bytes`.
    fn plan_running(&self, extent: ShardExtent, bytes: u64) -> MemoryPlan {
        let running = self.plan_engine(extent).with(Purpose::Index, bytes);
        if !self.work.requirements.degrees {
            return running;
        }
        let vertices = u64::from(self.work.requirements.vertices);
        running
            .with(Purpose::Degrees, VertexValues::<u32>::bytes(vertices))
            .and(&outcrop_store::updates::degrees_memory(&self.graph.store, Direction::Out))
    }

    /// Memory that the engine takes.
    pub(super) fn plan_engine(&self, extent: ShardExtent) -> MemoryPlan {
        GasEngine::plan(&self.work.requirements, &self.work.options, extent, self.graph.workers.threads())
    }

    /// Bytes of all vectors of values that are made during the run.
    pub(super) fn made(&self) -> u64 {
        u64::from(self.work.requirements.vertices) * (self.work.requirements.value_bytes + self.work.result_bytes)
    }

    /// The same as far as memory holds them.
    pub(super) fn made_in_memory(&self) -> u64 {
        if self.on_disk { 0 } else { self.made() }
    }

    /// Memory that the values of so many edges, old and new, and dynamic shards take.
    pub(super) fn edge_bytes(&self, arcs: u64) -> u64 {
        arcs.saturating_mul(2 * self.work.requirements.edge_bytes + DYNAMIC_BYTES)
    }

    /// Memory beyond buffers with which nothing of so many edges is read or written twice.
    pub(super) fn useful_bytes(&self, arcs: u64) -> u64 {
        self.edge_bytes(arcs).saturating_add(ENOUGH)
    }

    /// Source of the shards that a run works on.
    pub(super) fn shard_source(&self) -> ShardSource<'_> {
        match self.graph.store.manifest().lists.sliding.as_ref().filter(|entry| self.fits(entry)) {
            Some(entry) => ShardSource::Stored(entry),
            None => {
                let arcs = self.arcs();
                self.expected(arcs, self.intervals(arcs))
            }
        }
    }

    /// Source of shards yet to be written, with `intervals` intervals.
    fn expected(&self, arcs: u64, intervals: u32) -> ShardSource<'_> {
        // Edges of a store without weights weigh 1.
        let weights = || self.graph.store.manifest().weights().unwrap_or(WeightType::U8);
        ShardSource::Prepared(Expected { arcs, intervals, weights: self.work.requirements.weighted.then(weights) })
    }

    /// Number of intervals of written shards that is guaranteed to suffice: suited to the number of arcs, or more if
    /// blocks may otherwise exceed the budget; if none fits, the number with the lowest total memory, which defines the
    /// minimum budget.
    fn intervals(&self, arcs: u64) -> u32 {
        let vertices = self.work.requirements.vertices;
        let Graph { memory, page_cache, .. } = *self.graph;
        let asked = if page_cache == CacheSize::Rest { 0 } else { page_cache.bytes(memory, memory) };
        let total = |intervals: u32| {
            let plan = self.plan_on(self.expected(arcs, intervals));
            with_results(plan, 0).total().saturating_add(self.work.beside).saturating_add(asked)
        };
        let first = intervals_for(arcs).clamp(1, vertices.max(1));
        let candidates: Vec<u32> = more_and_more(first, vertices).collect();
        let small = |intervals: &&u32| {
            let extent = ShardExtent::expected(vertices, **intervals, arcs);
            self.buffers(extent) <= memory / BUFFER_SHARE && total(**intervals) <= memory
        };
        let least = || candidates.iter().min_by_key(|intervals| total(**intervals));
        candidates.iter().find(small).or_else(least).copied().unwrap_or(first)
    }

    /// Initial number of intervals of written shards: fewer than guaranteed to suffice if arcs are likely spread so
    /// evenly that blocks are small, because large blocks are read in one request.
    pub(super) fn first_intervals(&self, expected: Expected, memory: u64) -> u32 {
        let small = |intervals: &u32| {
            let extent = ShardExtent::likely(self.work.requirements.vertices, *intervals, expected.arcs);
            self.buffers(extent) <= self.graph.memory / BUFFER_SHARE && self.running_bytes(extent) <= memory
        };
        let candidates = more_and_more(intervals_for(expected.arcs), self.work.requirements.vertices);
        candidates.take_while(|intervals| *intervals < expected.intervals).find(small).unwrap_or(expected.intervals)
    }

    /// Memory of blocks in flight and of block tables, in bytes.
    fn buffers(&self, extent: ShardExtent) -> u64 {
        let plan = self.plan_engine(extent);
        let of = |need: &&MemoryNeed| matches!(need.purpose, Purpose::IoBuffers | Purpose::Index);
        plan.needs().iter().filter(of).map(|need| need.bytes).sum()
    }

    /// Memory of a run after its shards are written, in bytes.
    fn running_bytes(&self, extent: ShardExtent) -> u64 {
        let shards = u32::try_from(extent.intervals).map_or(u64::MAX, PreparedShards::bytes);
        let unmade = self.made_in_memory();
        self.plan_running(extent, shards).total().saturating_add(unmade).saturating_add(self.work.beside)
    }

    /// Into how many intervals, more than were asked for, the vertices are to be split instead where a run does not fit
    /// `memory` on `shards`, or leaves next to nothing of it for values of edges; `None` if it does, or more would not
    /// help. A graph with locality has large blocks, as from an interval into itself.
    pub(super) fn more_intervals(&self, shards: &PreparedShards, asked: u32, memory: u64) -> Option<u32> {
        let extent = ShardExtent::of(shards);
        let split = |intervals: &u32| {
            let (of, into) = (extent.intervals, u64::from(*intervals));
            let part = |whole: u64| (whole * of).div_ceil(into);
            let (vertices, arcs) = (part(extent.vertices), part(extent.arcs));
            ShardExtent { intervals: into, vertices, arcs, reading: part(extent.reading) }
        };
        let total = |extent: ShardExtent| self.running_bytes(extent);
        let small = |extent: ShardExtent| {
            total(extent) <= memory && self.buffers(extent) <= self.graph.memory / WRITTEN_BUFFER_SHARE
        };
        if small(extent) {
            return None;
        }
        let candidates: Vec<u32> = more_and_more(asked, self.work.requirements.vertices).skip(1).collect();
        let enough = candidates.iter().find(|intervals| small(split(intervals)));
        let least = || candidates.iter().min_by_key(|intervals| total(split(intervals)));
        let helps = |intervals: &&u32| total(extent) > memory && total(split(intervals)) < total(extent);
        enough.or_else(|| least().filter(helps)).copied()
    }

    /// True if the shards of the store are those of the edges that the program goes along, as they are now. Those of an
    /// undirected graph go both ways; whether an edge was repeated is only known where that was ruled out.
    fn fits(&self, entry: &SlidingEntry) -> bool {
        let manifest = self.graph.store.manifest();
        let simple = || {
            !manifest.graph.directed && manifest.rules.dedup != Dedup::Keep && entry.arcs == 2 * manifest.graph.edges
        };
        manifest.changes.updates.is_none() && (self.work.requirements.along == Directions::Out || simple())
    }

    /// Memory that opening shards takes, and writing them before that.
    fn plan_shards(&self, source: ShardSource<'_>) -> MemoryPlan {
        match source {
            ShardSource::Stored(entry) => MemoryPlan::new()
                .with(Purpose::IoBuffers, DegreeReader::MEMORY_BYTES)
                .with(Purpose::Index, StoredShards::bytes(entry)),
            ShardSource::Prepared(expected) => self.plan_preparing(expected),
        }
    }

    pub(super) fn plan_preparing(&self, expected: Expected) -> MemoryPlan {
        let buffers = 2 * DegreeReader::MEMORY_BYTES + ShardPreparation::BUFFER_BYTES;
        let sorting = expected.least_sorting(self.work.requirements.vertices, self.graph.workers.slots());
        let plan = MemoryPlan::new()
            .with(Purpose::IoBuffers, buffers)
            .with(Purpose::Index, PreparedShards::bytes(expected.intervals))
            .with(Purpose::SortSpace, sorting);
        self.with_degrees(self.with_lists(plan), |_| true)
    }
}

/// Yields `first`, then half as many intervals more each time, up to the maximum for `vertices` vertices.
pub(super) fn more_and_more(first: u32, vertices: u32) -> impl Iterator<Item = u32> {
    let more = std::iter::successors(Some(first), |intervals| Some(intervals + intervals.div_ceil(2)));
    more.take_while(move |intervals| *intervals <= MOST_INTERVALS.min(vertices))
}
