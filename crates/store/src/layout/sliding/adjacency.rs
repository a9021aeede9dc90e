//! Reads the lists of one direction: whole shards, or rows of blocks.

use super::format::BLOCKS_NAME;
use super::lists::{End, MadeLists};
use super::stored::{StoredShards, entry_of, reading_of};
use crate::access::{AccessStatistics, Adjacency, BitBlock, BlockId, IoCost, Packer, Pages, Shards, Visit, Workers};
use crate::component::Component;
use crate::layout::degrees::{degrees_name, load_degrees};
use crate::layout::lists::LayoutLists;
use crate::layout::options::{ListOptions, WrapDevice};
use crate::layout::sliding::entry::SlidingEntry;
use crate::store::Store;
use outcrop_io::Backend;
use outcrop_types::{
    Direction, Error, MemoryBudget, MemoryPlan, Purpose, Reservation, Result, VertexId, VertexRange, VertexSet,
    VertexValues, WeightType, index_from, length_from, number_from,
};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Lists of one direction of a store's `sliding` layout, open for reading. Each worker assembles the lists of one
/// interval at a time: in-lists from a shard, out-lists from a block of each shard.
pub(crate) struct SlidingLists {
    shards: StoredShards,
    end: End,
    degrees: VertexValues<u32>,
    /// Cost of reading the lists of each interval.
    costs: Vec<IntervalCost>,
    /// Maximum number of list entries per interval, according to the manifest.
    most_arcs: u64,
    workers: Workers,
    buffers: Reservation,
    /// Memory to reserve again in [`SlidingLists::resume`], in bytes.
    suspended: u64,
}

/// Vertices with requested lists.
#[derive(Clone, Copy)]
enum RequestedVertices<'s> {
    Members(&'s VertexSet),
    /// Vertices of the range that the visitor accepts.
    Range(VertexRange),
}

#[derive(Clone, Copy, Debug, Default)]
struct IntervalCost {
    bytes: u64,
    requests: u64,
}

impl SlidingLists {
    /// Returns the memory for opening one direction, except for resident blocks. After opening, the memory of the
    /// degree reader ([`Component::READER_BYTES`]) is released.
    pub(crate) fn memory(store: &Store, direction: Direction, workers: &Workers) -> MemoryPlan {
        let Some(entry) = &store.manifest().lists.sliding else { return MemoryPlan::new() };
        let manifest = store.manifest();
        let entries = most_arcs(entry, end_of(store, direction));
        Self::memory_of(entry, manifest.graph.vertices, entries, manifest.weights(), workers)
    }

    /// Returns [`SlidingLists::memory`] for shards with at most `entries` list entries per interval.
    pub(crate) fn memory_of(
        entry: &SlidingEntry,
        vertices: u32,
        entries: u64,
        weights: Option<WeightType>,
        workers: &Workers,
    ) -> MemoryPlan {
        let degrees = VertexValues::<u32>::bytes(u64::from(vertices));
        MemoryPlan::new()
            .with(Purpose::Index, StoredShards::bytes(entry) + degrees)
            .with(Purpose::IoBuffers, buffers_of(entry, entries, weights, workers) + Component::READER_BYTES)
    }

    /// Returns the memory for keeping all blocks resident, in bytes.
    pub(crate) fn cache_bytes_for_all(store: &Store) -> u64 {
        store.manifest().lists.sliding.as_ref().map_or(0, StoredShards::whole_bytes_of)
    }

    /// Opens the lists of `direction`.
    ///
    /// # Errors
    /// Returns an error if the store has no such lists, if they are damaged, or if the budget is too small.
    pub(crate) fn open(
        store: &Store,
        direction: Direction,
        options: &ListOptions,
        budget: &MemoryBudget,
        workers: &Workers,
        wrap: WrapDevice<'_>,
    ) -> Result<Self> {
        let (entry, cancellation, io) = (entry_of(store)?, workers.cancellation(), options.io);
        let entries = most_arcs(entry, end_of(store, direction));
        let buffers = buffers_of(entry, entries, store.manifest().weights(), workers);
        let buffers = budget.reserve(buffers, Purpose::IoBuffers)?;
        let given = (budget, cancellation);
        let mut shards = StoredShards::open_through(store, io, workers.threads(), given, wrap)?;
        let component = store.component(&degrees_name(store.stored(direction)), io)?;
        let reader = budget.reserve(Component::READER_BYTES, Purpose::IoBuffers)?;
        let degrees = load_degrees(&component, store.manifest().graph.vertices, budget, Purpose::Index, cancellation)?;
        drop(reader);
        shards.keep_resident(options.cache_bytes, budget)?;
        let end = end_of(store, direction);
        let (costs, workers) = (costs_of(&shards, end), workers.clone());
        let most_arcs = most_arcs(entry, end);
        Ok(Self { shards, end, degrees, costs, most_arcs, workers, buffers, suspended: 0 })
    }

    /// Returns the memory of the costs per interval, in bytes.
    const fn cost_bytes(&self) -> u64 {
        length_from(size_of::<IntervalCost>() * self.costs.len())
    }

    fn intervals(&self) -> u32 {
        self.shards.table().intervals()
    }

    fn range(&self, interval: u32) -> VertexRange {
        self.shards.table().finder().range(interval)
    }

    fn degrees(&self, range: VertexRange) -> &[u32] {
        let places = index_from(u64::from(range.start))..index_from(u64::from(range.end));
        &self.degrees[places]
    }

    /// Assembles the requested lists of `intervals`, and visits them.
    fn visit_all(&self, intervals: &[u32], wanted: RequestedVertices<'_>, visit: &dyn Visit) -> Result<()> {
        let next = AtomicUsize::new(0);
        let weights = self.shards.weights().filter(|_| visit.reads_weights());
        self.workers.run(intervals.len() <= 1, &|_| {
            let (mut lists, mut packer) = (MadeLists::default(), Packer::new(visit));
            let mut block = BitBlock::default();
            while let Some(interval) = intervals.get(next.fetch_add(1, Relaxed)) {
                self.workers.cancellation().check()?;
                let interval_range = self.range(*interval);
                let made = match wanted {
                    RequestedVertices::Members(set) => {
                        self.make(*interval, &|vertex| set.contains(vertex), weights, &mut lists)
                    }
                    RequestedVertices::Range(range) => {
                        let (start, end) = (interval_range.start.max(range.start), interval_range.end.min(range.end));
                        block.fill(VertexRange::new(start, end), visit);
                        self.make(*interval, &|vertex| block.contains(vertex), weights, &mut lists)
                    }
                };
                let packed = made.and_then(|()| lists.pack(self.degrees(interval_range), &mut packer));
                packed.inspect_err(|_| next.store(intervals.len(), Relaxed))?;
                packer.count(self.shards.statistics());
            }
            packer.finish(self.shards.statistics())
        })
    }

    fn make(
        &self,
        interval: u32,
        wants: &impl Fn(VertexId) -> bool,
        weights: Option<WeightType>,
        lists: &mut MadeLists,
    ) -> Result<()> {
        let range = self.range(interval);
        let degrees = self.degrees(range);
        let entries = lists.begin(range, degrees, wants);
        if length_from(entries) > self.most_arcs {
            return Err(self.differs(range.start));
        }
        lists.make_room(weights);
        if entries > 0 {
            let blocks: Vec<BlockId> = self.end.blocks(interval, self.intervals()).collect();
            self.shards.read(&blocks, &mut |_, block| {
                lists.add(block, self.end);
                Ok(())
            })?;
        }
        lists.first_of_other_length(degrees).map_or(Ok(()), |vertex| Err(self.differs(vertex)))
    }

    #[cold]
    fn differs(&self, vertex: VertexId) -> Error {
        let message =
            format!("the length of the list of vertex {vertex} differs from {BLOCKS_NAME} or from its degree");
        Error::corrupt(self.shards.path(), message)
    }

    fn cost_of_interval(&self, interval: u32) -> IoCost {
        let whole = self.costs[index_from(u64::from(interval))];
        let held = match self.shards.resident_bytes() {
            0 => 0,
            _ => {
                let blocks = self.end.blocks(interval, self.intervals());
                blocks.filter(|block| self.shards.is_resident(*block)).map(|block| self.shards.bytes(block)).sum()
            }
        };
        let bytes = whole.bytes.saturating_sub(held);
        let requests = u128::from(whole.requests) * u128::from(bytes);
        // Default: saturates the estimate.
        let requests = u64::try_from(requests.div_ceil(u128::from(whole.bytes.max(1)))).unwrap_or(u64::MAX);
        IoCost { arcs: 0, bytes, requests, resident_bytes: held }
    }
}

/// Returns the endpoint that groups arcs into lists: the target in an undirected graph, since a shard is read in one
/// piece.
fn end_of(store: &Store, direction: Direction) -> End {
    match direction {
        Direction::Out if store.manifest().graph.directed => End::Source,
        Direction::Out | Direction::In => End::Target,
    }
}

const fn most_arcs(entry: &SlidingEntry, end: End) -> u64 {
    match end {
        End::Source => entry.most_out_arcs,
        End::Target => entry.most_in_arcs,
    }
}

/// Returns the memory for the buffers of all workers, and for the assembled lists, in bytes.
fn buffers_of(entry: &SlidingEntry, entries: u64, weights: Option<WeightType>, workers: &Workers) -> u64 {
    let lists = MadeLists::bytes(entry.most_vertices, entries, weights) + BitBlock::bytes(entry.most_vertices);
    let each = reading_of(entry, weights.is_some()).bytes() + lists + Packer::MEMORY_BYTES;
    let used = if workers.threads() == 1 { 1 } else { workers.slots() };
    let costs = u64::from(entry.intervals) * length_from(size_of::<IntervalCost>());
    length_from(used) * each + costs
}

fn costs_of(shards: &StoredShards, end: End) -> Vec<IntervalCost> {
    let intervals = shards.table().intervals();
    let cost = |interval| {
        let (bytes, requests) = shards.requests_for(end.blocks(interval, intervals));
        IntervalCost { bytes, requests }
    };
    (0..intervals).map(cost).collect()
}

impl Adjacency for SlidingLists {
    fn num_vertices(&self) -> u32 {
        number_from(self.degrees.len())
    }

    fn num_arcs(&self) -> u64 {
        self.shards.total_arcs()
    }

    fn cost_of(&self, set: &VertexSet) -> IoCost {
        let mut wanted = vec![false; index_from(u64::from(self.intervals()))];
        let mut arcs = 0;
        set.for_each(|vertex| {
            let degree = self.degrees.get(index_from(u64::from(vertex))).copied().unwrap_or(0);
            arcs += u64::from(degree);
            if let Some(wanted) = wanted.get_mut(self.shards.table().finder().find(vertex)) {
                *wanted |= degree > 0;
            }
        });
        let wanted = (0..self.intervals()).zip(wanted).filter(|(_, wanted)| *wanted);
        let costs = wanted.map(|(interval, _)| self.cost_of_interval(interval));
        costs.fold(IoCost { arcs, ..IoCost::default() }, |sum, cost| sum + cost)
    }

    fn cost_of_sweep(&self) -> IoCost {
        let costs = (0..self.intervals()).map(|interval| self.cost_of_interval(interval));
        costs.fold(IoCost { arcs: self.num_arcs(), ..IoCost::default() }, |sum, cost| sum + cost)
    }

    fn select(&self, set: &VertexSet, visit: &dyn Visit) -> Result<()> {
        let mut wanted = vec![false; index_from(u64::from(self.intervals()))];
        set.for_each(|vertex| {
            wanted.get_mut(self.shards.table().finder().find(vertex)).into_iter().for_each(|wanted| *wanted = true);
        });
        let wanted = (0..self.intervals()).zip(wanted).filter(|(_, wanted)| *wanted);
        let intervals: Vec<u32> = wanted.map(|(interval, _)| interval).collect();
        self.visit_all(&intervals, RequestedVertices::Members(set), visit)
    }

    fn sweep(&self, range: VertexRange, visit: &dyn Visit) -> Result<()> {
        let inside = |interval: &u32| {
            let vertices = self.range(*interval);
            vertices.start.max(range.start) < vertices.end.min(range.end)
        };
        let intervals: Vec<u32> = (0..self.intervals()).filter(inside).collect();
        self.visit_all(&intervals, RequestedVertices::Range(range), visit)
    }

    fn statistics(&self) -> &AccessStatistics {
        self.shards.statistics()
    }
}

impl Pages for SlidingLists {
    fn num_pages(&self) -> u32 {
        0
    }

    fn page_of(&self, _: VertexId) -> Option<u32> {
        None
    }
}

impl LayoutLists for SlidingLists {
    fn suspend(&mut self) {
        self.shards.file_mut().suspend();
        self.suspended = self.buffers.bytes().saturating_sub(self.cost_bytes());
        self.buffers.shrink_to(self.cost_bytes());
    }

    fn charge_as(&mut self, cache_bytes: u64) -> Result<()> {
        self.shards.charge_as(cache_bytes)
    }

    fn resume(&mut self, workers: &Workers) -> Result<()> {
        self.buffers.grow_to(self.buffers.bytes() + std::mem::take(&mut self.suspended))?;
        self.workers = workers.clone();
        self.shards.resume(workers.cancellation());
        Ok(())
    }

    fn degree(&self, vertex: VertexId) -> Option<u32> {
        self.degrees.get(index_from(u64::from(vertex))).copied()
    }

    fn read_together(&self, vertex: VertexId) -> VertexRange {
        self.range(number_from(self.shards.table().finder().find(vertex)))
    }

    fn backend(&self) -> Backend {
        self.shards.backend()
    }
}
