//! Chunked lists, open for reading.

use super::first_neighbors::{FirstNeighbors, VERTICES_AT_ONCE};
use super::requested_lists::RequestedList;
use crate::access::{Packer, Workers};
use crate::component::Component;
use crate::layout::chunked::entry::{ChunkedEntry, LevelFigures};
use crate::layout::chunked::format::{CHECKSUM_BYTES, ChunkView, ListFormat, chunks_name};
use crate::layout::chunked::index::ChunkIndex;
use crate::layout::chunked::settings::DenseAccess;
use crate::layout::chunked::table::ChunkTable;
use crate::layout::options::{ListOptions, WrapDevice};
use crate::read::{ListFile, VertexQueue, buffers_of};
use crate::store::Store;
use outcrop_io::{Admission, PageCache, PageGuard, Utilization};
use outcrop_types::{
    BitSet, Direction, Error, MemoryBudget, MemoryPlan, Purpose, Result, VertexRange, VertexSet, WeightType,
    index_from, length_from,
};
use std::ops::Range;

/// Bytes of a worker's plans, and of lists on their way to a visitor.
const PLAN_BYTES: u64 = (64 << 10) + 2 * Packer::MEMORY_BYTES;

/// Lists of one direction of a store's `chunked` layout, open for reading.
pub(crate) struct ChunkedLists {
    pub(super) index: ChunkIndex,
    pub(super) table: ChunkTable,
    /// First neighbors, in stores with that component.
    pub(super) firsts: Option<FirstNeighbors>,
    pub(super) format: ListFormat,
    pub(super) entry: ChunkedEntry,
    pub(super) caches: Vec<PageCache>,
    pub(super) file: ListFile,
    /// Number of chunks per level with a list outside the static cache.
    pub(super) paged_chunks: Vec<u64>,
    pub(super) dense_access: DenseAccess,
    pub(super) utilization: Utilization,
}

impl ChunkedLists {
    /// Returns the memory that opening the direction of `entry` reserves from the budget, without the chunk buffers.
    pub(crate) fn memory(
        entry: &ChunkedEntry,
        vertices: u32,
        weights: Option<WeightType>,
        workers: &Workers,
    ) -> MemoryPlan {
        MemoryPlan::new()
            .with(Purpose::Index, ChunkIndex::bytes(entry, vertices, weights))
            .with(Purpose::IoBuffers, held_bytes(entry, vertices, workers) + Component::READER_BYTES)
    }

    /// Returns the memory for caching all chunks of one direction, in bytes.
    pub(crate) fn cache_bytes_for_all(store: &Store, direction: Direction, utilization: Utilization) -> u64 {
        let Some(entry) = store.manifest().chunked(direction) else { return 0 };
        whole_levels(entry, utilization).sum()
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
        let manifest = store.manifest();
        let missing = || Error::corrupt(store.folder(), format!("it has no chunked {}-lists", direction.name()));
        let entry = manifest.chunked(direction).ok_or_else(missing)?.clone();
        let chunks = store.component(&chunks_name(entry.direction), options.io)?.through(wrap);
        let held = held_bytes(&entry, manifest.graph.vertices, workers);
        let mut buffers = budget.reserve(held + Component::READER_BYTES, Purpose::IoBuffers)?;
        let (bytes, cancellation) = (chunks.device().len(), workers.cancellation());
        let table = ChunkTable::load(store, &entry, bytes, options.io, budget, cancellation)?;
        let index = ChunkIndex::load(store, &entry, &table, options, budget, cancellation)?;
        let firsts = FirstNeighbors::open(store, &entry, options.io)?;
        buffers.shrink_to(held);
        Ok(Self {
            index,
            table,
            firsts,
            format: ListFormat {
                codec: entry.settings.codec,
                weights: manifest.weights(),
                vertices: manifest.graph.vertices,
            },
            caches: open_caches(&entry, options, budget)?,
            file: ListFile::new(chunks, largest_chunk(&entry), options.merge, workers, buffers, held),
            paged_chunks: entry.levels.iter().map(|level| level.chunks).collect(),
            dense_access: options.dense_access,
            entry,
            utilization: options.utilization,
        })
    }

    /// Returns true if the chunk is in memory.
    pub(super) fn is_resident(&self, number: u32) -> bool {
        let kind = self.table.kind(number);
        self.caches.get(usize::from(kind.level)).is_some_and(|cache| cache.contains(u64::from(kind.ordinal)))
    }

    /// Returns the chunk if it is in memory.
    #[inline]
    pub(super) fn resident(&self, number: u32) -> Option<PageGuard<'_>> {
        let kind = self.table.kind(number);
        let guard = self.caches.get(usize::from(kind.level))?.get(u64::from(kind.ordinal))?;
        self.file.statistics.count_hits(1);
        Some(guard)
    }

    /// Records the use of a directory entry's list, if use is tracked.
    #[inline]
    pub(super) fn touch(&self, number: u32, view: &ChunkView<'_>, entry: usize) {
        if self.utilization == Utilization::Tracked {
            self.record_use(number, view, entry);
        }
    }

    #[cold]
    fn record_use(&self, number: u32, view: &ChunkView<'_>, entry: usize) {
        let kind = self.table.kind(number);
        if let Some(cache) = self.caches.get(usize::from(kind.level)) {
            let bytes = view.bytes_of(entry).into_iter().flatten();
            bytes.for_each(|bytes| cache.touch(u64::from(kind.ordinal), bytes));
        }
    }

    /// Verifies a chunk after its read and offers it to the buffers of its level.
    pub(super) fn admit(&self, number: u32, chunk: &[u8], admission: Admission) -> Result<()> {
        let right = chunk.split_first_chunk::<CHECKSUM_BYTES>().is_some_and(|(header, payload)| {
            u64::from_le_bytes(*header) == self.file.component.seal().checksum(u64::from(number), payload)
        });
        if !right {
            let begin = self.table.bytes_of(number).start;
            let message = format!("chunk {number} (at byte {begin}) fails its checksum");
            return Err(Error::corrupt(self.file.component.path(), message));
        }
        let kind = self.table.kind(number);
        if let Some(cache) = self.caches.get(usize::from(kind.level)) {
            cache.insert(u64::from(kind.ordinal), chunk, admission);
        }
        self.file.statistics.count_misses(1);
        Ok(())
    }

    /// Counts a completed request and calls `with` with each of its chunks, in file order.
    ///
    /// # Errors
    /// Returns the error of `with`.
    pub(super) fn for_each_arrived(
        &self,
        chunks: impl IntoIterator<Item = u32>,
        bytes: &[u8],
        mut with: impl FnMut(u32, &[u8]) -> Result<()>,
    ) -> Result<()> {
        self.file.statistics.count_request(length_from(bytes.len()));
        let mut begin = None;
        for number in chunks {
            let Range { start, end } = self.table.bytes_of(number);
            let begin = *begin.get_or_insert(start);
            let chunk = bytes.get(index_from(start - begin)..index_from(end - begin));
            with(number, chunk.ok_or_else(|| Error::internal(format!("a request does not contain chunk {number}")))?)?;
        }
        Ok(())
    }

    /// Returns the parts of a chunk.
    #[inline]
    pub(super) fn view<'c>(&self, number: u32, chunk: &'c [u8]) -> Result<ChunkView<'c>> {
        ChunkView::parse(chunk, self.format).ok_or_else(|| self.damaged(number))
    }

    #[cold]
    pub(super) fn damaged(&self, number: u32) -> Error {
        let begin = self.table.bytes_of(number).start;
        let message = format!("chunk {number} (at byte {begin}): checksum is valid but its lists are malformed");
        Error::corrupt(self.file.component.path(), message)
    }

    #[cold]
    pub(super) fn damaged_chain(&self) -> Error {
        Error::corrupt(self.file.component.path(), "a list continues in a chunk that does not exist")
    }

    /// Returns a queue of the vertices of `range` for all workers.
    pub(super) fn queue(&self, range: VertexRange) -> VertexQueue<'_> {
        VertexQueue::new(range, VERTICES_AT_ONCE, self.file.workers.cancellation())
    }
}

/// Opens a cache per level, with the memory divided in proportion to the levels' size on disk (ChunkGraph, section
/// 3.2).
fn open_caches(entry: &ChunkedEntry, options: &ListOptions, budget: &MemoryBudget) -> Result<Vec<PageCache>> {
    let shares = cache_shares(entry, options.cache_bytes, options.utilization);
    let open = |((number, level), share): ((usize, &LevelFigures), u64)| {
        PageCache::new(budget, level.chunks, entry.settings.chunk_bytes(number), share, options.utilization)
    };
    entry.levels.iter().enumerate().zip(shares).map(open).collect()
}

/// Returns the size of the largest chunk.
fn largest_chunk(entry: &ChunkedEntry) -> usize {
    let used = entry.levels.iter().rposition(|level| level.chunks > 0);
    used.map_or(0, |level| entry.settings.chunk_bytes(level))
}

/// Returns the memory of all workers' buffers and plans, first neighbors, looked-up lists, and marks of chunks and
/// vertices.
fn held_bytes(entry: &ChunkedEntry, vertices: u32, workers: &Workers) -> u64 {
    let buffers = buffers_of(workers, largest_chunk(entry), PLAN_BYTES);
    let members = VertexSet::sparse_limit(vertices).min(index_from(u64::from(vertices)));
    let lists = members * size_of::<RequestedList>();
    let firsts = FirstNeighbors::WORKER_BYTES * length_from(workers.slots());
    buffers + firsts + length_from(lists) + BitSet::bytes(entry.chunks()) + BitSet::bytes(vertices)
}

/// Returns the share of `cache_bytes` per level.
pub(super) fn cache_shares(entry: &ChunkedEntry, cache_bytes: u64, utilization: Utilization) -> Vec<u64> {
    let wholes: Vec<u64> = whole_levels(entry, utilization).collect();
    let all = u128::from(wholes.iter().sum::<u64>().max(1));
    let share = |whole: u64| u128::from(cache_bytes) * u128::from(whole) / all;
    // Default: saturates the estimate.
    wholes.into_iter().map(|whole| u64::try_from(share(whole)).unwrap_or(u64::MAX)).collect()
}

/// Returns the memory for caching all chunks of each level, in bytes.
fn whole_levels(entry: &ChunkedEntry, utilization: Utilization) -> impl Iterator<Item = u64> {
    let whole = move |(number, level): (usize, &LevelFigures)| {
        PageCache::bytes_for(level.chunks, entry.settings.chunk_bytes(number), utilization)
    };
    entry.levels.iter().enumerate().map(whole)
}
