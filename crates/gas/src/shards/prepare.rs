//! Preparation of shards before a run, from lists of any layout (D1).
//!
//! Shards are written one after the other: one sweep collects the in-lists of as many intervals as fit in memory, and
//! all threads sort and encode them, one interval each. If a single interval does not fit, the blocks of some source
//! intervals are collected at a time, each with two sweeps over the interval.

use super::windowed::{self, collect_between, count_by_source};
use outcrop_engine::Directions;
use outcrop_engine::IntervalLists;
use outcrop_engine::{DegreeSource, Degrees};
use outcrop_io::SpillFolder;
use outcrop_store::access::{Adjacency, Neighbors, Workers};
use outcrop_store::layout::sliding::{
    BoundsPicker, EncodedShard, PreparedShards, ShardPreparation, ShardSorter, intervals_for,
};
use outcrop_types::{Direction, Error, MemoryBudget, Purpose, Reservation, Result, VertexId, VertexRange, WeightType};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Number of degrees per read.
const STRETCH: u32 = 1 << 14;
/// Maximum number of list entries to collect at once: more would not be faster.
const MOST_ENTRIES: u64 = 1 << 22;

/// Input and options for writing shards.
pub struct Preparation<'g, 'd> {
    /// Lists of out-neighbors; all lists of an undirected graph.
    pub out: Option<&'g dyn Adjacency>,
    /// Lists of in-neighbors.
    pub into: Option<&'g dyn Adjacency>,
    /// Lengths of the lists.
    pub degrees: &'g DegreeSource<'d>,
    /// `true` if out-lists and in-lists differ.
    pub directed: bool,
    /// Edge directions of the shards.
    pub along: Directions,
    /// Type of the stored weights, if any; weights are 1 in an unweighted graph.
    pub weights: Option<WeightType>,
    /// Maximum number of intervals; `None` to derive it from the number of arcs.
    pub intervals: Option<u32>,
    /// Bytes to reserve for collecting and sorting.
    pub memory: u64,
    /// Folder for the shards.
    pub folder: &'g SpillFolder,
    /// Worker threads.
    pub workers: &'g Workers,
    /// Memory budget to reserve from.
    pub budget: &'g MemoryBudget,
}

/// Writes the shards of a graph into a temporary file.
///
/// # Errors
/// Returns an error if the budget cannot fit the memory or a larger block, if lists or degrees are missing, if a read
/// fails or is damaged, if the disk is full, or on interruption.
pub fn prepare_shards(preparation: &Preparation<'_, '_>) -> Result<PreparedShards> {
    let (bounds, entries) = preparation.intervals()?;
    let memory = preparation.budget.reserve(preparation.memory, Purpose::SortSpace)?;
    let writer = ShardPreparation::begin(&bounds, preparation.weights, preparation.folder, preparation.budget)?;
    let mut run = PreparationRun { preparation, bounds: &bounds, entries: &entries, memory, writer };
    let mut next = 0;
    while next < entries.len() {
        preparation.workers.cancellation().check()?;
        next = run.some_from(next)?;
    }
    run.writer.finish(preparation.workers.cancellation())
}

impl Preparation<'_, '_> {
    /// Returns the minimum useful [`Preparation::memory`] in bytes: enough for all entries, but at most what is
    /// beneficial.
    pub fn useful_memory(vertices: u32, entries: u64, intervals: u32, weights: Option<WeightType>) -> u64 {
        let some = entries.min(MOST_ENTRIES);
        some * ShardSorter::bytes_each(weights)
            + u64::from(vertices) * 16
            + u64::from(intervals) * interval_bytes(intervals)
    }

    /// Returns the directions whose lists contain the sources of arcs into a vertex.
    fn directions(&self) -> &'static [Direction] {
        match self.along {
            _ if !self.directed => &[Direction::Out],
            Directions::Out => &[Direction::In],
            Directions::In => &[Direction::Out],
            Directions::Both => &[Direction::In, Direction::Out],
        }
    }

    fn lists(&self, direction: Direction) -> Result<&dyn Adjacency> {
        let lists = match direction {
            Direction::Out => self.out.or_else(|| self.into.filter(|_| !self.directed)),
            Direction::In => self.into,
        };
        lists.ok_or_else(|| Error::internal(format!("the {}-lists for shards are not open", direction.name())))
    }

    fn with_degrees<T>(&self, direction: Direction, work: impl FnOnce(&mut dyn Degrees) -> Result<T>) -> Result<T> {
        self.degrees.with_reader(direction, !self.directed, work)
    }

    /// Returns the start of each interval, and the number of entries in its lists.
    fn intervals(&self) -> Result<(Vec<VertexId>, Vec<u64>)> {
        let lists = self.directions().iter().map(|direction| self.lists(*direction)).collect::<Result<Vec<_>>>()?;
        let arcs: u64 = lists.iter().map(|lists| lists.num_arcs()).sum();
        let vertices = lists.first().map_or(0, |lists| lists.num_vertices());
        let both = if self.directions().len() == 2 { arcs } else { 2 * arcs };
        let mut picker = BoundsPicker::new(vertices, both, self.intervals.unwrap_or_else(|| intervals_for(arcs)));
        self.for_each_degree(vertices, &mut |_, degrees| picker.push(degrees))?;
        let bounds = picker.finish();
        let mut entries = vec![0; bounds.len() - 1];
        for direction in self.directions() {
            self.with_degrees(*direction, |reader| add_degrees(reader, &bounds, &mut entries))?;
        }
        Ok((bounds, entries))
    }

    /// Calls `take` with each vertex and the sum of its out- and in-degree.
    fn for_each_degree(&self, vertices: u32, take: &mut dyn FnMut(VertexId, u64)) -> Result<()> {
        let (mut one, mut other) = (Vec::new(), Vec::new());
        for stretch in VertexRange::new(0, vertices).split(STRETCH) {
            self.workers.cancellation().check()?;
            self.with_degrees(Direction::Out, |reader| reader.read(stretch, &mut one))?;
            self.with_degrees(Direction::In, |reader| reader.read(stretch, &mut other))?;
            let both = one.iter().zip(&other).map(|(out, into)| u64::from(*out) + u64::from(*into));
            stretch.iter().zip(both).for_each(|(vertex, degrees)| take(vertex, degrees));
        }
        Ok(())
    }
}

/// Adds the degrees of each interval's vertices to its count.
fn add_degrees(degrees: &mut dyn Degrees, bounds: &[VertexId], entries: &mut [u64]) -> Result<()> {
    let mut some = Vec::new();
    for (ends, sum) in bounds.windows(2).zip(entries) {
        for stretch in VertexRange::new(ends[0], ends[1]).split(STRETCH) {
            degrees.read(stretch, &mut some)?;
            *sum += some.iter().map(|degree| u64::from(*degree)).sum::<u64>();
        }
    }
    Ok(())
}

/// Returns the memory of an interval without its entries.
const fn interval_bytes(intervals: u32) -> u64 {
    EncodedShard::most_bytes(0, intervals as u64, None)
}

/// Running preparation.
struct PreparationRun<'r, 'g, 'd> {
    preparation: &'r Preparation<'g, 'd>,
    bounds: &'r [VertexId],
    entries: &'r [u64],
    memory: Reservation,
    writer: ShardPreparation,
}

impl PreparationRun<'_, '_, '_> {
    /// Writes the shards of as many intervals from `first` on as fit in memory; returns the next interval.
    fn some_from(&mut self, first: usize) -> Result<usize> {
        let (mut bytes, mut entries, mut end) = (self.fixed_bytes(), 0, first);
        while let Some(more) = self.entries.get(end) {
            bytes += self.bytes_of(end, *more);
            entries += more;
            if bytes > self.memory.bytes() || (entries > MOST_ENTRIES && end > first) {
                break;
            }
            end += 1;
        }
        if end > first {
            self.whole(first..end)?;
            return Ok(end);
        }
        self.in_parts(first)?;
        Ok(first + 1)
    }

    /// Returns the fixed memory of threads for sorting, in bytes.
    fn fixed_bytes(&self) -> u64 {
        self.preparation.workers.slots() as u64 * ShardSorter::bytes(self.entries.len() as u32, 0, 0, None)
    }

    /// Returns the bytes of an interval with `entries` collected entries.
    fn bytes_of(&self, interval: usize, entries: u64) -> u64 {
        let vertices = self.range(interval..interval + 1).len() as u64;
        let each = ShardSorter::bytes_each(self.preparation.weights);
        entries * each + windowed::bytes(vertices) * 2 + interval_bytes(self.entries.len() as u32)
    }

    fn range(&self, intervals: Range<usize>) -> VertexRange {
        VertexRange::new(self.bounds[intervals.start], self.bounds[intervals.end])
    }

    fn sorter(&self) -> ShardSorter {
        let sorter = self.writer.sorter();
        if self.preparation.along == Directions::Both { sorter.simple() } else { sorter }
    }

    /// Collects all lists of some intervals, and writes their shards.
    fn whole(&mut self, intervals: Range<usize>) -> Result<()> {
        let (range, preparation) = (self.range(intervals.clone()), self.preparation);
        let collect = |direction: &Direction| {
            let lists = preparation.lists(*direction)?;
            preparation.with_degrees(*direction, |degrees| {
                IntervalLists::construct(lists, degrees, range, preparation.weights.is_some(), &|_| true)
            })
        };
        let lists = preparation.directions().iter().map(collect).collect::<Result<Vec<_>>>()?;
        for shard in self.encode(&lists, intervals)? {
            self.writer.append(&shard)?;
        }
        Ok(())
    }

    /// Encodes the shards of some intervals, one thread per interval.
    fn encode(&self, lists: &[IntervalLists], intervals: Range<usize>) -> Result<Vec<EncodedShard>> {
        let next = AtomicUsize::new(intervals.start);
        let encoded = Mutex::new(Vec::new());
        let workers = self.preparation.workers;
        workers.run(intervals.len() == 1, &|_| {
            let mut sorter = self.sorter();
            loop {
                let interval = next.fetch_add(1, Relaxed);
                if interval >= intervals.end {
                    return Ok(());
                }
                workers.cancellation().check()?;
                let mut shard = EncodedShard::default();
                let all = 0..self.entries.len() as u32;
                let range = self.range(interval..interval + 1);
                sorter.encode((all, interval as u32), of_range(lists, range), &mut shard)?;
                encoded.lock().unwrap_or_else(PoisonError::into_inner).push((interval, shard));
            }
        })?;
        let mut encoded = encoded.into_inner().unwrap_or_else(PoisonError::into_inner);
        encoded.sort_unstable_by_key(|(interval, _)| *interval);
        Ok(encoded.into_iter().map(|(_, shard)| shard).collect())
    }

    /// Writes a shard larger than memory, some source intervals at a time.
    fn in_parts(&mut self, interval: usize) -> Result<()> {
        let (preparation, range) = (self.preparation, self.range(interval..interval + 1));
        let mut counts = vec![0; self.entries.len()];
        for direction in preparation.directions() {
            count_by_source(preparation.lists(*direction)?, range, self.bounds, &mut counts)?;
        }
        let mut next = 0;
        while next < counts.len() {
            preparation.workers.cancellation().check()?;
            let (end, bytes) = self.part_from(interval, next, &counts);
            let missing = bytes.saturating_sub(self.memory.bytes());
            let _more = preparation.budget.reserve(missing, Purpose::SortSpace)?;
            self.part(interval, next..end)?;
            next = end;
        }
        Ok(())
    }

    /// Returns the end of the source intervals from `first` on whose blocks fit in memory (at least one), and their
    /// bytes.
    fn part_from(&self, interval: usize, first: usize, counts: &[u64]) -> (usize, u64) {
        let (mut end, mut entries) = (first + 1, counts[first]);
        let bytes = |entries| self.fixed_bytes() + self.bytes_of(interval, entries);
        while let Some(more) = counts.get(end).filter(|more| bytes(entries + **more) <= self.memory.bytes()) {
            entries += more;
            end += 1;
        }
        (end, bytes(entries))
    }

    /// Collects the arcs from some intervals into one, and writes their blocks.
    fn part(&mut self, interval: usize, from: Range<usize>) -> Result<()> {
        let (preparation, range) = (self.preparation, self.range(interval..interval + 1));
        let sources = self.range(from.clone());
        let collect = |direction: &Direction| {
            collect_between(preparation.lists(*direction)?, sources, range, preparation.weights.is_some())
        };
        let lists = preparation.directions().iter().map(collect).collect::<Result<Vec<_>>>()?;
        let mut shard = EncodedShard::default();
        let blocks = (from.start as u32..from.end as u32, interval as u32);
        self.sorter().encode(blocks, of_range(&lists, range), &mut shard)?;
        self.writer.append(&shard)
    }
}

/// Returns the lists of the vertices of `range` in each of `lists`.
fn of_range(lists: &[IntervalLists], range: VertexRange) -> impl Iterator<Item = (VertexId, Neighbors<'_>)> + Clone {
    lists.iter().flat_map(move |lists| range.iter().map(move |vertex| (vertex, lists.list(vertex))))
}
