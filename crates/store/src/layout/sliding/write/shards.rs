//! Splits lists into intervals and writes their shards in order.

use super::collect::Collected;
use super::lists::SpilledLists;
use super::sink::StoredSink;
use crate::component::FileEntry;
use crate::component::{ComponentWriter, StoreId, UnitSeal};
use crate::layout::sliding::entry::SlidingEntry;
use crate::layout::sliding::format::{BLOCKS_NAME, TABLE_NAME, figures_of};
use crate::layout::sliding::shards::{EncodedShard, ShardSorter, ShardTable, ShardWriter};
use crate::layout::sliding::{BoundsPicker, SlidingSettings};
use outcrop_io::Storage;
use outcrop_types::{
    Cancellation, MemoryBudget, Purpose, Reservation, Result, VertexId, VertexRange, index_from, length_from,
    number_from,
};
use std::ops::Range;
use std::path::Path;

/// Destination of shards.
pub(crate) struct Target<'t> {
    pub(crate) storage: &'t dyn Storage,
    pub(crate) folder: &'t Path,
    pub(crate) id: StoreId,
    pub(crate) settings: SlidingSettings,
    pub(crate) vertices: u32,
    pub(crate) budget: &'t MemoryBudget,
    pub(crate) cancellation: &'t Cancellation,
}

/// Writes the shards of a graph with the in-lists `lists`, or all lists of an undirected graph, and the out-degrees
/// `out`; calls `done` with the number of processed arcs.
///
/// # Errors
/// Returns an error if the budget is too small, if files cannot be written, or on interruption.
pub(crate) fn write_shards(
    target: &Target<'_>,
    lists: &SpilledLists,
    out: Option<&SpilledLists>,
    done: &mut dyn FnMut(u64),
) -> Result<(SlidingEntry, [FileEntry; 2])> {
    let budget = target.budget;
    let readers = 3 * SpilledLists::READER_BYTES + StoredSink::MEMORY_BYTES + ComponentWriter::MEMORY_BYTES;
    let _buffers = budget.reserve(readers, Purpose::IoBuffers)?;
    let bounds = target.bounds(lists, out)?;
    let entries = entries_of(lists, &bounds)?;
    let table = ShardTable::new(&bounds, lists.weights, budget)?;
    let seal = UnitSeal::new(target.id, BLOCKS_NAME);
    let writer = ShardWriter::new(StoredSink::create(target.storage, target.folder)?, table, seal);
    let largest = bounds.windows(2).zip(&entries).map(|(ends, entries)| bytes_of(ends, *entries, &bounds, lists));
    let memory = largest.max().unwrap_or(0).min(budget.available());
    let memory = budget.reserve(memory, Purpose::SortSpace)?;
    let mut run = ShardingRun { target, lists, bounds: &bounds, memory, writer, shard: EncodedShard::default() };
    let mut first = 0;
    for (interval, entries) in (0..).zip(&entries) {
        target.cancellation.check()?;
        run.shard(interval, first, *entries)?;
        first += entries;
        done(*entries);
    }
    let (sink, table) = run.writer.finish()?;
    Ok((figures_of(&table), [sink.finish()?, target.write_table(&table)?]))
}

impl Target<'_> {
    /// Returns the starts of the intervals, followed by the number of vertices.
    fn bounds(&self, lists: &SpilledLists, out: Option<&SpilledLists>) -> Result<Vec<VertexId>> {
        let (all, intervals) = (VertexRange::new(0, self.vertices), self.settings.intervals_for(lists.arcs));
        let mut picker = BoundsPicker::new(self.vertices, 2 * lists.arcs, intervals);
        let mut out = out.map(|out| out.degrees(0)).transpose()?;
        let mut outcome = Ok(());
        lists.for_each_degree(all, &mut |degree| {
            let other = out.as_mut().map_or(Ok(degree), super::lists::Numbers::next);
            picker.push(u64::from(degree) + u64::from(*other.as_ref().unwrap_or(&0)));
            if let Err(error) = other {
                outcome = Err(error);
            }
        })?;
        outcome.map(|()| picker.finish())
    }

    fn write_table(&self, table: &ShardTable) -> Result<FileEntry> {
        let mut writer = ComponentWriter::create(self.storage, self.folder, self.id, TABLE_NAME)?;
        writer.write(bytemuck::cast_slice(table.bounds()))?;
        for to in 0..table.intervals() {
            for from in 0..table.intervals() {
                let block = crate::access::BlockId { from, to };
                let place = table.place(block);
                let bytes = number_from(place.end - place.start);
                writer.write(bytemuck::cast_slice(&[table.arcs(block), bytes]))?;
            }
        }
        writer.finish()
    }
}

/// Returns the number of list entries of each interval.
fn entries_of(lists: &SpilledLists, bounds: &[VertexId]) -> Result<Vec<u64>> {
    let mut degrees = lists.degrees(0)?;
    let sum = |range: VertexRange, degrees: &mut super::lists::Numbers| {
        (0..range.len()).try_fold(0, |sum, _| Ok(sum + u64::from(degrees.next()?)))
    };
    bounds.windows(2).map(|ends| sum(range_of(ends), &mut degrees)).collect()
}

fn range_of(ends: &[VertexId]) -> VertexRange {
    VertexRange::new(ends.first().copied().unwrap_or(0), ends.last().copied().unwrap_or(0))
}

/// Returns the memory of an interval with `entries` collected entries.
fn bytes_of(ends: &[VertexId], entries: u64, bounds: &[VertexId], lists: &SpilledLists) -> u64 {
    let vertices = length_from(range_of(ends).len());
    let intervals = number_from(bounds.len());
    let fixed = ShardSorter::bytes(intervals, 0, 0, None) + EncodedShard::most_bytes(0, intervals.into(), None);
    fixed + vertices * length_from(size_of::<usize>()) + entries * ShardSorter::bytes_each(lists.weights)
}

struct ShardingRun<'r> {
    target: &'r Target<'r>,
    lists: &'r SpilledLists,
    bounds: &'r [VertexId],
    memory: Reservation,
    writer: ShardWriter<StoredSink>,
    shard: EncodedShard,
}

impl ShardingRun<'_> {
    fn ends(&self, interval: u32) -> &[VertexId] {
        let place = index_from(u64::from(interval));
        &self.bounds[place..place + 2]
    }

    fn intervals(&self) -> u32 {
        number_from(self.bounds.len().saturating_sub(1))
    }

    /// Writes the blocks into `interval`, whose lists start at position `first`: all at once, or in parts that fit in
    /// memory.
    fn shard(&mut self, interval: u32, first: u64, entries: u64) -> Result<()> {
        if bytes_of(self.ends(interval), entries, self.bounds, self.lists) <= self.memory.bytes() {
            return self.blocks((0..self.intervals(), interval), first, entries);
        }
        let counts = self.count_by_source(interval, first)?;
        let mut next = 0;
        while next < self.intervals() {
            self.target.cancellation.check()?;
            let (end, entries) = self.part_from(interval, next, &counts);
            let bytes = bytes_of(self.ends(interval), entries, self.bounds, self.lists);
            let missing = bytes.saturating_sub(self.memory.bytes());
            let _more = self.target.budget.reserve(missing, Purpose::SortSpace)?;
            self.blocks((next..end, interval), first, entries)?;
            next = end;
        }
        Ok(())
    }

    /// Returns the number of list entries of `interval` by the interval of the neighbor.
    fn count_by_source(&self, interval: u32, first: u64) -> Result<Vec<u64>> {
        let mut counts = vec![0; self.bounds.len()];
        let mut numbers = self.lists.entries(first)?;
        let mut outcome = Ok(());
        self.lists.for_each_degree(range_of(self.ends(interval)), &mut |degree| {
            for _ in 0..degree {
                let neighbor = numbers.next();
                let weight = if self.lists.weights.is_some() { numbers.next_weight() } else { Ok(1.0) };
                match neighbor.and_then(|neighbor| weight.map(|_| neighbor)) {
                    Ok(neighbor) => {
                        let after = self.bounds.partition_point(|bound| *bound <= neighbor);
                        counts.get_mut(after.saturating_sub(1)).into_iter().for_each(|count| *count += 1);
                    }
                    Err(error) => outcome = Err(error),
                }
            }
        })?;
        outcome.map(|()| counts)
    }

    /// Returns the end of the source intervals whose blocks from `first` on fit in memory, at least one, and their
    /// number of entries.
    fn part_from(&self, interval: u32, first: u32, counts: &[u64]) -> (u32, u64) {
        let count = |from: u32| counts.get(index_from(u64::from(from))).copied().unwrap_or(0);
        let (mut end, mut entries) = (first + 1, count(first));
        let fits = |entries| bytes_of(self.ends(interval), entries, self.bounds, self.lists) <= self.memory.bytes();
        while end < self.intervals() && fits(entries + count(end)) {
            entries += count(end);
            end += 1;
        }
        (end, entries)
    }

    fn blocks(&mut self, blocks: (Range<u32>, u32), first: u64, entries: u64) -> Result<()> {
        let source = |interval: u32| self.bounds.get(index_from(u64::from(interval))).copied().unwrap_or(0);
        let sources = source(blocks.0.start)..source(blocks.0.end);
        let range = range_of(self.ends(blocks.1));
        let lists = Collected::read(self.lists, (range, first), (&sources, index_from(entries)))?;
        self.shard.clear();
        self.writer.sorter().encode(blocks, lists.lists(), &mut self.shard)?;
        self.writer.append(&self.shard)
    }
}
