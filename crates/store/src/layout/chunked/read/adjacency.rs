//! Reads one direction of the `chunked` layout: the select and sweep of the access contract.

use super::chain::ChainReader;
use super::gatherer::{Gatherer, Work};
use super::suspend;
use super::wanted::{Claims, Wanted, WantedList};
use crate::access::{
    AccessStatistics, Adjacency, BitBlock, IoCost, ListPage, Packer, Pages, StoredNeighbours, VertexClaims, Visit,
    Workers, wanted_of,
};
use crate::component::Component;
use crate::layout::chunked::entry::{ChunkedEntry, LevelFigures};
use crate::layout::chunked::format::{CHECKSUM_BYTES, ChunkView, ListFormat, chunks_name};
use crate::layout::chunked::index::{ChunkIndex, Place};
use crate::layout::chunked::settings::DenseAccess;
use crate::layout::chunked::table::ChunkTable;
use crate::layout::options::{ListOptions, WrapDevice};
use crate::selection::StaticLists;
use crate::store::Store;
use outcrop_io::{Admission, MergePolicy, PageCache, PageGuard, Reader, Utilisation};
use outcrop_types::{
    BitSet, Direction, Error, MemoryBudget, MemoryPlan, Purpose, Reservation, Result, VertexId, VertexRange, VertexSet,
    index_from, length_from,
};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Bytes of a worker's plans, and of lists on their way to a visitor.
const PLAN_BYTES: usize = 64 << 10;
const PACKER_BYTES: u64 = 2 * Packer::MEMORY_BYTES;
/// Requests in flight of one worker.
pub(super) const DEPTH: usize = 128;
/// The longest merged request; a larger chunk is a request by itself.
const LONGEST_REQUEST: u64 = 256 << 10;
/// Vertices that a worker looks up at once.
const CLAIM_VERTICES: u32 = 1 << 14;
const CLAIM_MEMBERS: u64 = 256;
/// A sparse set of at most so many members is looked up on one thread, and not shared among workers where it has at most so many
/// list entries.
pub(super) const LITTLE_MEMBERS: usize = 1 << 12;
pub(super) const LITTLE_ENTRIES: u64 = 1 << 15;

/// One direction of a store's `chunked` layout, open for reading.
pub struct ChunkedAdjacency {
    pub(super) index: ChunkIndex,
    pub(super) table: ChunkTable,
    pub(super) format: ListFormat,
    pub(super) entry: ChunkedEntry,
    pub(super) caches: Vec<PageCache>,
    pub(super) statics: Option<StaticLists>,
    /// Number of chunks of each level that have a list that is not in the static cache.
    pub(super) paged_chunks: Vec<u64>,
    pub(super) merge: MergePolicy,
    pub(super) workers: Workers,
    pub(super) statistics: AccessStatistics,
    dense_access: DenseAccess,
    pub(super) chunks: Component,
    pub(super) readers: Vec<Mutex<Option<Box<dyn Reader>>>>,
    pub(super) buffers: Reservation,
    /// Bytes that [`ChunkedAdjacency::resume`] takes again.
    pub(super) suspended: u64,
    pub(super) utilisation: Utilisation,
}

impl ChunkedAdjacency {
    /// Memory that opening `direction` takes from the budget, but for the chunk buffers.
    pub fn memory(store: &Store, direction: Direction, workers: &Workers) -> MemoryPlan {
        let manifest = store.manifest();
        let Some(entry) = manifest.chunked(direction) else { return MemoryPlan::new() };
        MemoryPlan::new()
            .with(Purpose::Index, ChunkIndex::bytes(entry, manifest.vertices, manifest.weights()))
            .with(Purpose::IoBuffers, held_bytes(entry, manifest.vertices, workers) + Component::READER_BYTES)
    }

    /// Memory for holding all chunks of one direction, in bytes.
    pub fn cache_bytes_for_all(store: &Store, direction: Direction, utilisation: Utilisation) -> u64 {
        let Some(entry) = store.manifest().chunked(direction) else { return 0 };
        let level = |(number, figures): (usize, &LevelFigures)| {
            PageCache::bytes_for(figures.chunks, entry.settings.chunk_bytes(number), utilisation)
        };
        entry.levels.iter().enumerate().map(level).sum()
    }

    /// Opens the lists of `direction`.
    ///
    /// # Errors
    /// The store has none or they are damaged; the budget is too small.
    pub fn open(
        store: &Store,
        direction: Direction,
        options: &ListOptions,
        budget: &MemoryBudget,
        workers: &Workers,
        wrap: WrapDevice<'_>,
    ) -> Result<Self> {
        let manifest = store.manifest();
        let missing = || Error::corrupt(store.folder(), format!("it has no {} lists in chunks", direction.name()));
        let entry = manifest.chunked(direction).ok_or_else(missing)?.clone();
        let chunks = store.component(&chunks_name(entry.direction), options.io)?.through(wrap);
        let held = held_bytes(&entry, manifest.vertices, workers);
        let mut buffers = budget.reserve(held + Component::READER_BYTES, Purpose::IoBuffers)?;
        let (bytes, cancellation) = (chunks.device().len(), workers.cancellation());
        let table = ChunkTable::load(store, &entry, bytes, options.io, budget, cancellation)?;
        let index = ChunkIndex::load(store, &entry, &table, options.io, budget, cancellation)?;
        buffers.shrink_to(held);
        Ok(Self {
            index,
            table,
            format: ListFormat {
                codec: entry.settings.codec,
                weights: manifest.weights(),
                vertices: manifest.vertices,
            },
            caches: open_caches(&entry, options, budget)?,
            statics: None,
            paged_chunks: entry.levels.iter().map(|level| level.chunks).collect(),
            merge: MergePolicy { longest_bytes: options.merge.longest_bytes.min(LONGEST_REQUEST), ..options.merge },
            statistics: AccessStatistics::default(),
            dense_access: options.dense_access,
            chunks,
            readers: (0..workers.slots()).map(|_| Mutex::new(None)).collect(),
            workers: workers.clone(),
            entry,
            buffers,
            suspended: 0,
            utilisation: options.utilisation,
        })
    }

    /// True if the chunk is in memory.
    pub(super) fn is_resident(&self, number: u32) -> bool {
        let kind = self.table.kind(number);
        self.caches.get(usize::from(kind.level)).is_some_and(|cache| cache.contains(u64::from(kind.ordinal)))
    }

    /// The chunk, where it is in memory.
    #[inline]
    pub(super) fn resident(&self, number: u32) -> Option<PageGuard<'_>> {
        let kind = self.table.kind(number);
        let guard = self.caches.get(usize::from(kind.level))?.get(u64::from(kind.ordinal))?;
        self.statistics.count_hits(1);
        Some(guard)
    }

    /// Notes that the list of a directory entry is looked at, where that is kept account of.
    #[inline]
    pub(super) fn touch(&self, number: u32, view: &ChunkView<'_>, entry: usize) {
        let kind = self.table.kind(number);
        if let Some(cache) = self.caches.get(usize::from(kind.level)).filter(|cache| cache.tracks_use()) {
            let bytes = view.bytes_of(entry).into_iter().flatten();
            bytes.for_each(|bytes| cache.touch(u64::from(kind.ordinal), bytes));
        }
    }

    /// Verifies a chunk that has arrived and offers it to the buffers of its level.
    pub(super) fn admit(&self, number: u32, chunk: &[u8], admission: Admission) -> Result<()> {
        let right = chunk.split_first_chunk::<CHECKSUM_BYTES>().is_some_and(|(header, payload)| {
            u64::from_le_bytes(*header) == self.chunks.seal().checksum(u64::from(number), payload)
        });
        if !right {
            let begin = self.table.bytes_of(number).start;
            let message = format!("chunk {number} (at byte {begin}) fails its checksum");
            return Err(Error::corrupt(self.chunks.path(), message));
        }
        let kind = self.table.kind(number);
        if let Some(cache) = self.caches.get(usize::from(kind.level)) {
            cache.insert(u64::from(kind.ordinal), chunk, admission);
        }
        self.statistics.count_misses(1);
        Ok(())
    }

    /// The parts of a chunk.
    #[inline]
    pub(super) fn view<'c>(&self, number: u32, chunk: &'c [u8]) -> Result<ChunkView<'c>> {
        ChunkView::parse(chunk, self.format).ok_or_else(|| self.damaged(number))
    }

    #[cold]
    pub(super) fn damaged(&self, number: u32) -> Error {
        let begin = self.table.bytes_of(number).start;
        let message = format!("chunk {number} (at byte {begin}) has a right checksum, but no lists as they must be");
        Error::corrupt(self.chunks.path(), message)
    }

    #[cold]
    pub(super) fn damaged_chain(&self) -> Error {
        Error::corrupt(self.chunks.path(), "a list goes on in a chunk that does not exist")
    }

    pub(super) fn read(&self, slot: usize, depth: usize, source: &mut dyn outcrop_io::ReadSource) -> Result<()> {
        let Some(reader) = self.readers.get(slot) else { return Ok(()) };
        let mut reader = reader.lock().unwrap_or_else(PoisonError::into_inner);
        let reader = match &mut *reader {
            Some(reader) => reader,
            vacant => vacant.insert(self.chunks.device().reader(buffer_bytes(&self.entry, slot, &self.workers))?),
        };
        let waited = reader.read_many(depth, source)?;
        self.statistics.count_waiting(waited);
        Ok(())
    }

    /// Visits the lists that are wanted of those in chunks.
    fn visit_chunks(&self, work: &Work<'_>, little: bool) -> Result<()> {
        let claims = Claims::new(work.wanted, &self.table);
        self.workers.run(little, &|slot| {
            let mut gatherer = Gatherer::new(work, &claims);
            self.read(slot, DEPTH, &mut gatherer).and_then(|()| gatherer.finish()).inspect_err(|_| claims.stop())
        })?;
        let chains: Vec<&[u32]> =
            self.table.chains().iter().map(Vec::as_slice).filter(|chain| ChainReader::wanted(work, chain)).collect();
        let next = AtomicUsize::new(0);
        self.workers.run(little || chains.len() <= 1, &|slot| {
            while let Some(chain) = chains.get(next.fetch_add(1, Relaxed)) {
                let mut reader = ChainReader::new(work, chain);
                let read = self.read(slot, 1, &mut reader).and_then(|()| reader.finish());
                read.inspect_err(|_| next.store(chains.len(), Relaxed))?;
            }
            Ok(())
        })
    }

    /// Visits the vertices of `members` whose lists are in memory; the others with their chunks, sorted.
    fn look_up(&self, members: &[VertexId], visit: &dyn Visit) -> Result<Vec<WantedList>> {
        // Never grows beyond what is planned for it.
        let lists = Mutex::new(Vec::with_capacity(members.len()));
        let next = AtomicU64::new(0);
        self.workers.run(members.len() <= self.little_members(), &|_| {
            let (mut packer, mut found) = (Packer::new(visit), Vec::new());
            let mut held = 0;
            loop {
                let start = index_from(next.fetch_add(CLAIM_MEMBERS, Relaxed));
                let rest = members.get(start..).unwrap_or_default();
                let claim = rest.get(..index_from(CLAIM_MEMBERS)).unwrap_or(rest);
                if claim.is_empty() {
                    self.statistics.count_static(held, 0);
                    return packer.finish(&self.statistics);
                }
                for vertex in claim {
                    match self.visit_in_memory(*vertex, &mut packer)? {
                        InMemory::Held => held += 1,
                        InMemory::Indexed => {}
                        InMemory::Not(chunk) => found.push((chunk, *vertex)),
                    }
                }
                lists.lock().unwrap_or_else(PoisonError::into_inner).append(&mut found);
            }
        })?;
        let mut lists = lists.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.workers.sort(&mut lists);
        Ok(lists)
    }

    /// Hands out the vertices of `range`.
    pub(super) fn claims(&self, range: VertexRange) -> VertexClaims<'_> {
        VertexClaims::new(range, CLAIM_VERTICES, self.workers.cancellation())
    }

    /// Packs the list of `vertex` where it is in memory.
    #[inline]
    fn visit_in_memory(&self, vertex: VertexId, packer: &mut Packer<'_>) -> Result<InMemory> {
        if self.pack_static(vertex, packer)? {
            return Ok(InMemory::Held);
        }
        let list = match self.index.place(vertex) {
            Place::Chunk(chunk) => return Ok(InMemory::Not(chunk)),
            Place::Mini(neighbours) => neighbours,
            Place::Empty => StoredNeighbours::EMPTY,
        };
        packer.list(vertex, list)?;
        Ok(InMemory::Indexed)
    }

    /// Visits those of the vertices of `range` whose lists are in memory, and marks the chunks of the others: `each` calls its second
    /// argument with the vertices of a block that are wanted.
    fn visit_and_mark(&self, range: VertexRange, visit: &dyn Visit, each: EachWanted<'_>) -> Result<BitSet> {
        let marks = BitSet::empty(self.table.len());
        let claims = self.claims(range);
        self.workers.run(range.len() <= LITTLE_MEMBERS, &|_| {
            let (mut packer, mut held) = (Packer::new(visit), 0);
            let mut block = BitBlock::default();
            while let Some(claim) = claims.claim()? {
                each(claim, &mut block, &mut |vertex| {
                    match self.visit_in_memory(vertex, &mut packer)? {
                        InMemory::Held => held += 1,
                        InMemory::Indexed => {}
                        InMemory::Not(chunk) => _ = marks.insert(chunk),
                    }
                    Ok(())
                })?;
            }
            self.statistics.count_static(held, 0);
            packer.finish(&self.statistics)
        })?;
        Ok(marks)
    }

    /// Visits all lists of `range` that are wanted and not in chunks.
    fn visit_outside_chunks(&self, range: VertexRange, visit: &dyn Visit, filtered: Option<&BitSet>) -> Result<()> {
        let claims = self.claims(range);
        self.workers.run(range.len() <= LITTLE_MEMBERS, &|_| {
            let (mut packer, mut block, mut outcome) = (Packer::new(visit), BitBlock::default(), Ok(()));
            while let Some(claim) = claims.claim()? {
                if let Some(filtered) = filtered {
                    block.fill(claim, visit);
                    keep(filtered, &block);
                }
                self.index.for_each_outside_chunks(claim, |vertex, list| {
                    if outcome.is_ok() && (filtered.is_none() || block.contains(vertex)) {
                        outcome = packer.list(vertex, list);
                    }
                });
                std::mem::replace(&mut outcome, Ok(()))?;
            }
            packer.finish(&self.statistics)
        })
    }

    /// Visits lists in the order of the vertices, some at a time, which reads a chunk again for each time that it comes up.
    fn sweep_by_vertex(&self, range: VertexRange, visit: &dyn Visit) -> Result<()> {
        let step = VertexSet::sparse_limit(self.format.vertices);
        for start in range.iter().step_by(step) {
            let end = range.end.min(start.saturating_add(u32::try_from(step).unwrap_or(u32::MAX)));
            let members = wanted_of(VertexRange::new(start, end), visit);
            let wanted = Wanted::Lists(self.look_up(&members, visit)?);
            let work = Work { chunked: self, visit, wanted: &wanted, admission: Admission::EvictIfNeeded };
            self.visit_chunks(&work, false)?;
        }
        Ok(())
    }

    /// True if every chunk is in memory, so that there is nothing to choose.
    fn all_resident(&self) -> bool {
        let resident: u64 = self.caches.iter().map(PageCache::resident_pages).sum();
        resident == u64::from(self.table.len())
    }
}

/// A place where a list was found.
enum InMemory {
    /// In the static cache.
    Held,
    /// In the index.
    Indexed,
    /// In this chunk.
    Not(u32),
}

/// Calls its last argument with the vertices of a block that are wanted.
type EachWanted<'e> =
    &'e (dyn Fn(VertexRange, &mut BitBlock, &mut dyn FnMut(VertexId) -> Result<()>) -> Result<()> + Sync);

/// Notes the vertices of `block` in `filtered`.
fn keep(filtered: &BitSet, block: &BitBlock) {
    let (first, words) = block.words();
    filtered.insert_words(first, words);
}

/// A cache for each level, the memory shared out in proportion to what the level has on disk (ChunkGraph, section 3.2).
fn open_caches(entry: &ChunkedEntry, options: &ListOptions, budget: &MemoryBudget) -> Result<Vec<PageCache>> {
    let shares = suspend::cache_shares(entry, options.cache_bytes, options.utilisation);
    let open = |((number, level), share): ((usize, &LevelFigures), u64)| {
        PageCache::new(budget, level.chunks, entry.settings.chunk_bytes(number), share, options.utilisation)
    };
    entry.levels.iter().enumerate().zip(shares).map(open).collect()
}

/// The largest chunk that there is.
fn largest_chunk(entry: &ChunkedEntry) -> usize {
    let used = entry.levels.iter().rposition(|level| level.chunks > 0);
    used.map_or(0, |level| entry.settings.chunk_bytes(level))
}

fn buffer_bytes(entry: &ChunkedEntry, slot: usize, workers: &Workers) -> usize {
    let share = workers.read_buffer_bytes(slot);
    // Beside the largest chunk there is room for smaller ones.
    (largest_chunk(entry) + share / 4).max(share).next_multiple_of(4096)
}

/// The buffers and plans of all workers, lists that are looked up, and marks of chunks and vertices.
fn held_bytes(entry: &ChunkedEntry, vertices: u32, workers: &Workers) -> u64 {
    let used = if workers.threads() == 1 { 1..2 } else { 0..workers.slots() };
    let packers = length_from(used.len()) * PACKER_BYTES;
    let buffers: usize = used.map(|slot| buffer_bytes(entry, slot, workers) + PLAN_BYTES).sum();
    let members = VertexSet::sparse_limit(vertices).min(index_from(u64::from(vertices)));
    let lists = members * size_of::<WantedList>();
    length_from(buffers + lists) + packers + BitSet::bytes(entry.chunks()) + BitSet::bytes(vertices)
}

impl Adjacency for ChunkedAdjacency {
    fn num_vertices(&self) -> u32 {
        self.format.vertices
    }

    fn num_arcs(&self) -> u64 {
        self.entry.arcs
    }

    fn cost_of(&self, set: &VertexSet) -> IoCost {
        super::cost::cost_of(self, set)
    }

    fn cost_of_sweep(&self) -> IoCost {
        super::cost::cost_of_sweep(self)
    }

    fn list_page(&self, vertex: VertexId) -> Option<ListPage> {
        match self.index.place(vertex) {
            Place::Chunk(chunk) => {
                let level = self.entry.levels.get(usize::from(self.table.kind(chunk).level));
                let entries = level.map_or(0, |level| level.arcs / level.chunks.max(1));
                Some(ListPage { number: u64::from(chunk), entries: entries.max(1) })
            }
            Place::Empty | Place::Mini(_) => None,
        }
    }

    fn select(&self, set: &VertexSet, visit: &dyn Visit) -> Result<()> {
        let wanted = match set {
            VertexSet::Sparse { members, .. } => Wanted::Lists(self.look_up(members, visit)?),
            VertexSet::Dense { bits, .. } => {
                let everyone = VertexRange::new(0, self.format.vertices);
                let marks =
                    self.visit_and_mark(everyone, visit, &|claim, _, with| bits.iter_range(claim).try_for_each(with))?;
                Wanted::Members(set, marks)
            }
        };
        let little = match &wanted {
            Wanted::Lists(lists) => lists.len() <= LITTLE_MEMBERS && self.entries_of(lists) <= LITTLE_ENTRIES,
            _ => false,
        };
        let work = Work { chunked: self, visit, wanted: &wanted, admission: Admission::EvictIfNeeded };
        self.visit_chunks(&work, little)
    }

    fn sweep(&self, range: VertexRange, visit: &dyn Visit) -> Result<()> {
        if self.dense_access == DenseAccess::ByVertex {
            return self.sweep_by_vertex(range, visit);
        }
        let everything = range.len() == index_from(u64::from(self.format.vertices));
        let filtered = visit.selective().then(|| BitSet::empty(self.format.vertices));
        // Where nothing has to be read, or everything, lists are best visited as they lie in the chunks.
        let marks = if everything && (self.all_resident() || filtered.is_none() && self.statics.is_none()) {
            self.visit_outside_chunks(range, visit, filtered.as_ref())?;
            None
        } else {
            let marks = self.visit_and_mark(range, visit, &|claim, block, with| {
                block.fill(claim, visit);
                filtered.iter().for_each(|filtered| keep(filtered, block));
                block.try_for_each(with)
            })?;
            Some(marks)
        };
        let wanted = Wanted::Range { range, filtered, marks };
        let work = Work { chunked: self, visit, wanted: &wanted, admission: Admission::FreeFrameOnly };
        self.visit_chunks(&work, range.len() <= LITTLE_MEMBERS / 64)
    }

    fn statistics(&self) -> &AccessStatistics {
        &self.statistics
    }
}

impl Pages for ChunkedAdjacency {
    fn num_pages(&self) -> u32 {
        self.table.len()
    }

    #[inline]
    fn page_of(&self, vertex: VertexId) -> Option<u32> {
        match self.index.place(vertex) {
            Place::Chunk(chunk) if !self.table.chained(chunk) => Some(chunk),
            _ => None,
        }
    }
}
