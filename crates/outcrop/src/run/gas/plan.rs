//! Memory of a run on edge values, and its number of vertex intervals.

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

/// Inverse of the maximum share of the budget for edge blocks in flight. The rest is for edge values.
const BUFFER_SHARE: u64 = 6;
/// Inverse of the same share for existing shards: slightly large blocks are better than writing the shards again.
const WRITTEN_BUFFER_SHARE: u64 = 2;

/// Maximum number of intervals: each pair of them takes a few hundred bytes.
const MOST_INTERVALS: u32 = 512;

/// Maximum memory of dynamic shards, in bytes per arc, in addition to all edge values.
const DYNAMIC_BYTES: u64 = 4;

/// Upper bound of the buffers of an engine, in bytes.
const ENOUGH: u64 = 32 << 20;

/// Work in the model of values on edges.
pub(crate) struct Gas {
    pub(crate) requirements: GasRequirements,
    pub(crate) options: GasOptions,
    /// Bytes per vertex of all result vectors.
    pub(crate) result_bytes: u64,
    /// Bytes per vertex of initial vectors.
    pub(crate) vector_bytes: u64,
    /// Bytes of ranks and of named vertices, held in addition.
    pub(crate) beside: u64,
    /// Bytes of the list of arriving edges, held in addition from the beginning.
    pub(crate) listed: u64,
}

impl Planned<'_, Gas, GasDriver> {
    /// Returns the minimum memory for opening or writing shards and then running the engine.
    pub(super) fn plan_on(&self, source: ShardSource<'_>) -> MemoryPlan {
        let running = self.plan_running(source.extent(self.graph), source.bytes());
        let plan = one_after_the_other(&running, &self.plan_shards(source));
        // Initial vectors are in memory, even with values on disk.
        let begun = u64::from(self.work.requirements.vertices) * self.work.vector_bytes;
        with_some(plan, Purpose::VertexValues, begun + self.made_in_memory())
    }

    /// Returns the memory of the engine and its shards, which take `bytes` in memory.
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

    /// Returns the memory of the engine.
    pub(super) fn plan_engine(&self, extent: ShardExtent) -> MemoryPlan {
        GasEngine::plan(&self.work.requirements, &self.work.options, extent, self.graph.workers.threads())
    }

    /// Returns the bytes of all value vectors created during the run.
    pub(super) fn made(&self) -> u64 {
        u64::from(self.work.requirements.vertices) * (self.work.requirements.value_bytes + self.work.result_bytes)
    }

    /// Returns the part of [`Self::made`] that is in memory.
    pub(super) fn made_in_memory(&self) -> u64 {
        if self.on_disk { 0 } else { self.made() }
    }

    /// Returns the memory of old and new values of `arcs` edges, and of dynamic shards.
    pub(super) fn edge_bytes(&self, arcs: u64) -> u64 {
        arcs.saturating_mul(2 * self.work.requirements.edge_bytes + DYNAMIC_BYTES)
    }

    /// Returns the memory, in addition to buffers, with which no data of `arcs` edges is read or written twice.
    pub(super) fn useful_bytes(&self, arcs: u64) -> u64 {
        self.edge_bytes(arcs).saturating_add(ENOUGH)
    }

    /// Returns the source of the shards of a run.
    pub(super) fn shard_source(&self) -> ShardSource<'_> {
        match self.graph.store.manifest().lists.sliding.as_ref().filter(|entry| self.fits(entry)) {
            Some(entry) => ShardSource::Stored(entry),
            None => {
                let arcs = self.arcs();
                self.expected(arcs, self.intervals(arcs))
            }
        }
    }

    /// Returns a source of shards yet to be written, with `intervals` intervals.
    fn expected(&self, arcs: u64, intervals: u32) -> ShardSource<'_> {
        // Edges of an unweighted store have weight 1.
        let weights = || self.graph.store.manifest().weights().unwrap_or(WeightType::U8);
        ShardSource::Prepared(Expected { arcs, intervals, weights: self.work.requirements.weighted.then(weights) })
    }

    /// Returns the number of intervals of written shards that is guaranteed to suffice: suited to the number of arcs,
    /// or more if blocks may otherwise exceed the budget; if none fits, the number with the lowest total memory, which
    /// defines the minimum budget.
    fn intervals(&self, arcs: u64) -> u32 {
        let vertices = self.work.requirements.vertices;
        let Graph { memory, page_cache, .. } = *self.graph;
        let asked = if page_cache == CacheSize::Rest { 0 } else { page_cache.bytes(memory, memory) };
        let total = |intervals: u32| {
            let plan = self.plan_on(self.expected(arcs, intervals));
            let beside = self.work.beside.saturating_add(self.work.listed).saturating_add(asked);
            with_results(plan, 0).total().saturating_add(beside)
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

    /// Returns the initial number of intervals of written shards: fewer than guaranteed to suffice if arcs are likely
    /// spread so evenly that blocks are small, because large blocks are read in one request.
    pub(super) fn first_intervals(&self, expected: Expected, memory: u64) -> u32 {
        let small = |intervals: &u32| {
            let extent = ShardExtent::likely(self.work.requirements.vertices, *intervals, expected.arcs);
            self.buffers(extent) <= self.graph.memory / BUFFER_SHARE && self.running_bytes(extent) <= memory
        };
        let candidates = more_and_more(intervals_for(expected.arcs), self.work.requirements.vertices);
        candidates.take_while(|intervals| *intervals < expected.intervals).find(small).unwrap_or(expected.intervals)
    }

    /// Returns the memory of blocks in flight and of block tables, in bytes.
    fn buffers(&self, extent: ShardExtent) -> u64 {
        let plan = self.plan_engine(extent);
        let of = |need: &&MemoryNeed| matches!(need.purpose, Purpose::IoBuffers | Purpose::Index);
        plan.needs().iter().filter(of).map(|need| need.bytes).sum()
    }

    /// Returns the memory of a run after its shards are written, in bytes.
    fn running_bytes(&self, extent: ShardExtent) -> u64 {
        let shards = u32::try_from(extent.intervals).map_or(u64::MAX, PreparedShards::bytes);
        let unmade = self.made_in_memory();
        self.plan_running(extent, shards).total().saturating_add(unmade).saturating_add(self.work.beside)
    }

    /// Returns a larger number of intervals than `asked` if a run on `shards` does not fit in `memory`, or leaves too
    /// little of it for edge values; `None` if it fits, or if more intervals would not help. A graph with locality has
    /// large blocks, such as from an interval to itself.
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

    /// Returns true if the shards of the store contain exactly the current edges that the program follows. Shards of
    /// an undirected graph serve both directions, but only a deduplicated graph is known to have no repeated edges.
    fn fits(&self, entry: &SlidingEntry) -> bool {
        let manifest = self.graph.store.manifest();
        let simple = || {
            !manifest.graph.directed && manifest.rules.dedup != Dedup::Keep && entry.arcs == 2 * manifest.graph.edges
        };
        manifest.changes.updates.is_none() && (self.work.requirements.along == Directions::Out || simple())
    }

    /// Returns the memory for opening shards, including writing them first.
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
