//! Lists of one direction in the layout of their store, including the delta: the only code that distinguishes layouts
//! for reading.

use super::chunked::{ChunkLevel, ChunkedEntry, ChunkedLists, LevelFigures, chunks_name, firsts_name};
use super::compact::{CompactLists, IndexResidence, shards_name};
use super::csr::{CsrLists, edges_name};
use super::decoded_lists::DecodedLists;
use super::degrees::DegreeReader;
use super::kind::{Layout, LayoutKind};
use super::lists::LayoutLists;
use super::new_lists::NewLists;
use super::options::{ListOptions, WrapDevice};
use super::sliding::{BLOCKS_NAME, SlidingEntry, SlidingLists};
use crate::access::{AccessStatistics, Adjacency, FirstNeighbors, IoCost, ListPage, Pages, Visit, VisitBatch, Workers};
use crate::component::Component;
use crate::selection::StaticLists;
use crate::store::Store;
use crate::updates::{EdgeChanges, degrees_memory, load_changes, updates_memory, with_changes};
use outcrop_io::{Backend, Device, IoChoice, PageUse, Utilization};
use outcrop_types::{
    Direction, MemoryBudget, MemoryPlan, Purpose, Result, VertexId, VertexRange, VertexSet, WeightType,
};
use std::sync::Arc;

/// Maximum bytes per list entry on disk.
const MOST_ENTRY_BYTES: u64 = 20;

/// Lists of one direction of a store, open for reading: the lists of its layout, including the changes since the build.
///
/// The layout sees the store as its lists were written ([`Store::as_written`]). Vertices that pending updates added
/// follow those of the layout, and their lists consist of changes.
pub struct StoredLists {
    lists: Box<dyn LayoutLists>,
    changes: Option<EdgeChanges>,
    shows_weights: bool,
    new: NewLists,
    direction: Direction,
    /// All lists, if they were decoded before the run.
    decoded: Option<DecodedLists>,
}

/// Returns true if the lists of `store` provide first neighbors ([`Adjacency::can_peek_first_neighbors`]) as long as
/// some lists must be read; not those of changed lists.
pub fn has_first_neighbors(store: &Store) -> bool {
    let manifest = store.manifest();
    let kept = |entry: &ChunkedEntry| manifest.file(&firsts_name(entry.direction)).is_some();
    manifest.layout() == LayoutKind::Chunked && manifest.lists.chunked.iter().all(kept)
}

impl StoredLists {
    /// Returns the memory that opening `direction` reserves from the budget, without the page cache.
    pub fn memory(store: &Store, direction: Direction, workers: &Workers, index: IndexResidence) -> MemoryPlan {
        Self::memory_in(store.manifest().layout(), store, direction, workers, index)
    }

    /// Like [`StoredLists::memory`], for one of several layouts of a store.
    pub(crate) fn memory_in(
        layout: LayoutKind,
        store: &Store,
        direction: Direction,
        workers: &Workers,
        index: IndexResidence,
    ) -> MemoryPlan {
        let written = store.as_written();
        let manifest = written.manifest();
        let (vertices, weights) = (manifest.graph.vertices, manifest.weights());
        let chunked = |entry| ChunkedLists::memory(entry, vertices, weights, workers);
        let lists = match layout {
            LayoutKind::Chunked => manifest.chunked(direction).map_or_else(MemoryPlan::new, chunked),
            LayoutKind::Compact => CompactLists::memory(vertices, weights, workers, index),
            LayoutKind::Csr => CsrLists::memory(vertices, workers),
            LayoutKind::Sliding => SlidingLists::memory(&written, direction, workers),
        };
        let lists = lists.and(&updates_memory(store, direction));
        match NewLists::bytes(store) {
            0 => lists,
            bytes => lists.with(Purpose::Frontier, bytes),
        }
    }

    /// Returns the maximum of [`StoredLists::memory`] for a store that does not exist yet, with this number of
    /// `vertices` and of list entries per direction.
    pub fn most_memory(
        layout: &Layout,
        vertices: u32,
        arcs: u64,
        weights: Option<WeightType>,
        workers: &Workers,
    ) -> MemoryPlan {
        match layout {
            Layout::Chunked(settings) => {
                // Every list is in the index and in chunks of every level.
                let full = |level: &ChunkLevel| LevelFigures {
                    chunks: u64::from(vertices).min(arcs) + arcs / u64::from(level.chunk_bytes) * MOST_ENTRY_BYTES + 1,
                    ..LevelFigures::default()
                };
                let entry = ChunkedEntry {
                    direction: Direction::Out,
                    arcs,
                    levels: settings.levels.iter().map(full).collect(),
                    settings: settings.clone(),
                    mini_entries: 2 * u64::from(vertices),
                    located: vertices,
                };
                ChunkedLists::memory(&entry, vertices, weights, workers)
            }
            Layout::Compact(_) => CompactLists::memory(vertices, weights, workers, IndexResidence::Resident),
            Layout::Csr(_) => CsrLists::memory(vertices, workers),
            Layout::Sliding(settings) => {
                let bytes = arcs.saturating_mul(MOST_ENTRY_BYTES);
                let entry = SlidingEntry {
                    arcs,
                    intervals: settings.intervals_for(arcs),
                    block_bytes: bytes,
                    most_block_arcs: arcs,
                    most_block_bytes: bytes,
                    most_out_arcs: arcs,
                    most_in_arcs: arcs,
                    most_vertices: vertices,
                };
                SlidingLists::memory_of(&entry, vertices, arcs, weights, workers)
            }
        }
    }

    /// Returns the memory for caching all lists of `direction` in the page cache, in bytes.
    pub fn cache_bytes_for_all(store: &Store, direction: Direction, utilization: Utilization) -> u64 {
        let store = &store.as_written();
        match store.manifest().layout() {
            LayoutKind::Chunked => ChunkedLists::cache_bytes_for_all(store, direction, utilization),
            LayoutKind::Compact => CompactLists::cache_bytes_for_all(store, direction, utilization),
            LayoutKind::Csr => CsrLists::cache_bytes_for_all(store, direction, utilization),
            LayoutKind::Sliding => SlidingLists::cache_bytes_for_all(store),
        }
    }

    /// Returns the bytes of the file with the lists of `direction`.
    pub fn bytes_on_disk(store: &Store, direction: Direction) -> u64 {
        let stored = store.stored(direction);
        let name = match store.manifest().layout() {
            LayoutKind::Chunked => chunks_name(stored),
            LayoutKind::Compact => shards_name(stored),
            LayoutKind::Csr => edges_name(stored),
            LayoutKind::Sliding => BLOCKS_NAME.to_owned(),
        };
        store.manifest().file(&name).map_or(0, |file| file.bytes)
    }

    /// Opens the lists of `direction`.
    ///
    /// # Errors
    /// Returns an error if the store has no such lists, if they are damaged, or if the budget is too small.
    pub fn open(
        store: &Store,
        direction: Direction,
        options: &ListOptions,
        budget: &MemoryBudget,
        workers: &Workers,
    ) -> Result<Self> {
        Self::open_through(store, direction, options, budget, workers, |device| device)
    }

    /// Like [`StoredLists::open`], with a wrapper around the device, for tests with failing or counting devices.
    ///
    /// # Errors
    /// Returns the errors of [`StoredLists::open`].
    #[doc(hidden)]
    pub fn open_through(
        store: &Store,
        direction: Direction,
        options: &ListOptions,
        budget: &MemoryBudget,
        workers: &Workers,
        wrap: impl FnOnce(Arc<dyn Device>) -> Arc<dyn Device>,
    ) -> Result<Self> {
        Self::open_in(store.manifest().layout(), store, direction, options, budget, workers, Box::new(wrap))
    }

    /// Like [`StoredLists::open_through`], for one of several layouts of a store.
    pub(crate) fn open_in(
        layout: LayoutKind,
        store: &Store,
        direction: Direction,
        options: &ListOptions,
        budget: &MemoryBudget,
        workers: &Workers,
        wrap: WrapDevice<'_>,
    ) -> Result<Self> {
        let (written, new) = (&store.as_written(), NewLists::open(store, budget, workers.cancellation())?);
        let listed = |members: &Arc<[VertexId]>| members.iter().filter_map(|vertex| new.listed(*vertex)).collect();
        let options = &ListOptions { members: options.members.as_ref().map(listed), ..options.clone() };
        let lists: Box<dyn LayoutLists> = match layout {
            LayoutKind::Chunked => Box::new(ChunkedLists::open(written, direction, options, budget, workers, wrap)?),
            LayoutKind::Compact => Box::new(CompactLists::open(written, direction, options, budget, workers, wrap)?),
            LayoutKind::Csr => Box::new(CsrLists::open(written, direction, options, budget, workers, wrap)?),
            LayoutKind::Sliding => Box::new(SlidingLists::open(written, direction, options, budget, workers, wrap)?),
        };
        let _reader = budget.reserve(Component::READER_BYTES, Purpose::IoBuffers)?;
        let changes = load_changes(store, direction, options.io, budget, workers.cancellation())?;
        Ok(Self { lists, changes, shows_weights: true, new, direction, decoded: None })
    }

    /// Sets whether visitors receive weights, for a weighted store.
    pub fn show_weights(&mut self, show: bool) {
        self.shows_weights = show;
    }

    /// Returns the number of entries in the list of `vertex`, if it is known without reading.
    pub(crate) fn degree(&self, vertex: VertexId) -> Option<u32> {
        self.lists.degree(self.new.listed(vertex)?)
    }

    /// Returns the vertices around `vertex` whose lists are always read together.
    pub(crate) fn read_together(&self, vertex: VertexId) -> VertexRange {
        let alone = VertexRange::new(vertex, vertex.saturating_add(1));
        self.new.listed(vertex).map_or(alone, |vertex| self.lists.read_together(vertex))
    }

    /// Releases the read buffers until [`StoredLists::resume`], for lists that stay open between two runs.
    pub fn suspend(&mut self) {
        self.lists.suspend();
    }

    /// Resumes with `workers`, whose number must not change, and resets the read counters.
    ///
    /// # Errors
    /// Returns an error if the budget is too small for the read buffers.
    pub fn resume(&mut self, workers: &Workers) -> Result<()> {
        self.new.stopped_by(workers.cancellation());
        if let Some(decoded) = &mut self.decoded {
            decoded.workers = workers.clone();
            decoded.statistics = AccessStatistics::default();
        }
        self.lists.resume(workers)
    }

    /// Reserves as much memory as the page cache of lists opened with `cache_bytes`, regardless of its actual size.
    ///
    /// # Errors
    /// Returns an error if the budget is too small.
    pub fn charge_as(&mut self, cache_bytes: u64) -> Result<()> {
        self.lists.charge_as(cache_bytes)
    }

    /// Reads the lists in `statics` from there from now on. A layout without a static cache ignores them.
    ///
    /// # Errors
    /// Returns an error if the lists are of another layout, or on interruption.
    pub fn use_static(&mut self, statics: StaticLists) -> Result<()> {
        self.lists.use_static(statics)
    }

    /// Memory of the lists in the static cache, in bytes.
    pub fn static_bytes(&self) -> u64 {
        self.lists.static_lists().map_or(0, StaticLists::bytes)
    }

    /// Loads and verifies every chunk, where the page cache holds them all, so that nothing is read any more; else does
    /// nothing.
    ///
    /// # Errors
    /// A failed or damaged read; interruption.
    pub fn load(&self) -> Result<()> {
        self.lists.load()
    }

    /// Returns the memory for [`StoredLists::decode`], in bytes.
    pub fn decoding_bytes(store: &Store, direction: Direction, weighted: bool) -> u64 {
        let manifest = store.manifest();
        // Default: lists that the store does not have are empty.
        let entries = manifest.arcs(store.stored(direction)).unwrap_or(0);
        let lists = DecodedLists::bytes(manifest.graph.vertices, entries, weighted);
        lists + DegreeReader::MEMORY_BYTES + degrees_memory(store, direction).total()
    }

    /// Returns the memory of the decoded lists, in bytes; `None` if the lists are not decoded, or without weights that
    /// are needed.
    pub fn decoded_bytes(&self, weighted: bool) -> Option<u64> {
        let decoded = self.decoded.as_ref().filter(|decoded| decoded.weighted() || !weighted)?;
        Some(decoded.reserved_bytes())
    }

    /// Decodes all lists, with weights if they are shown, so that visitors see them in memory from then on; does
    /// nothing if that was done before.
    ///
    /// # Errors
    /// Returns an error if a read fails or the data is damaged, if the budget is too small, or on interruption.
    pub fn decode(&mut self, store: &Store, io: IoChoice, budget: &MemoryBudget, workers: &Workers) -> Result<()> {
        if self.decoded.is_some() {
            return Ok(());
        }
        let weighted = self.shows_weights && store.manifest().graph.weighted;
        let (vertices, _reader) =
            (self.num_vertices(), budget.reserve(DegreeReader::MEMORY_BYTES, Purpose::IoBuffers)?);
        let degrees = DegreeReader::open(store, self.direction, io, budget)?;
        let sweep = |copy: &dyn Visit| self.sweep(VertexRange::new(0, vertices), copy);
        let decoded = DecodedLists::new(vertices, degrees, weighted, budget, workers, sweep)?;
        decoded.count_loading(self.lists.statistics());
        self.decoded = Some(decoded);
        Ok(())
    }

    /// Parts that were looked at of the pages that were in the page cache; `None` where that was not kept account of.
    pub fn page_use(&self) -> Option<PageUse> {
        self.lists.page_use()
    }

    /// The kind of I/O that the lists are read with.
    pub fn backend(&self) -> Backend {
        self.lists.backend()
    }

    /// Reads for `visit`, with changes, and without weights where they are not shown.
    fn shown_to(&self, visit: &dyn Visit, read: impl FnOnce(&dyn Visit) -> Result<()>) -> Result<()> {
        match self.shows_weights {
            true => with_changes(visit, self.changes.as_ref(), read),
            false => with_changes(&WithoutWeights(visit), self.changes.as_ref(), read),
        }
    }
}

/// A visitor that looks at no weight.
struct WithoutWeights<'v>(&'v dyn Visit);

impl Visit for WithoutWeights<'_> {
    fn selective(&self) -> bool {
        self.0.selective()
    }

    fn filter(&self, first: VertexId, wanted: &mut [u64]) {
        self.0.filter(first, wanted);
    }

    fn stops_early(&self) -> bool {
        self.0.stops_early()
    }

    fn peeks(&self) -> bool {
        self.0.peeks()
    }

    fn peek(&self, first: VertexId, wanted: u64, neighbors: &FirstNeighbors) -> u64 {
        self.0.peek(first, wanted, neighbors)
    }

    fn reads_weights(&self) -> bool {
        false
    }

    fn worker(&self) -> Box<dyn VisitBatch + '_> {
        self.0.worker()
    }
}

impl Adjacency for StoredLists {
    fn num_vertices(&self) -> u32 {
        self.new.num_vertices()
    }

    fn num_arcs(&self) -> u64 {
        let written = self.lists.num_arcs();
        self.changes.as_ref().map_or(written, |changes| changes.arcs_of(written))
    }

    fn cost_of(&self, set: &VertexSet) -> IoCost {
        match &self.decoded {
            Some(decoded) => decoded.cost_of(set),
            None => self.new.with_listed(set, |set| self.lists.cost_of(set)),
        }
    }

    fn cost_of_sweep(&self) -> IoCost {
        let cost = self.decoded.as_ref().map_or_else(|| self.lists.cost_of_sweep(), DecodedLists::cost_of_sweep);
        IoCost { arcs: self.num_arcs(), ..cost }
    }

    fn can_peek_first_neighbors(&self) -> bool {
        self.decoded.is_none() && self.lists.can_peek_first_neighbors()
    }

    fn list_page(&self, vertex: VertexId) -> Option<ListPage> {
        self.lists.list_page(self.new.listed(vertex).filter(|_| self.decoded.is_none())?)
    }

    fn selects_alone(&self, set: &VertexSet) -> bool {
        self.decoded.as_ref().is_some_and(|decoded| decoded.selects_alone(set))
    }

    fn select(&self, set: &VertexSet, visit: &dyn Visit) -> Result<()> {
        if let Some(decoded) = &self.decoded {
            return decoded.select(set, self.shows_weights, visit);
        }
        self.shown_to(visit, |visit| {
            self.new.with_listed(set, |set| self.lists.select(set, visit))?;
            self.new.select(set, visit, self.statistics())
        })
    }

    fn sweep(&self, range: VertexRange, visit: &dyn Visit) -> Result<()> {
        if let Some(decoded) = &self.decoded {
            return decoded.sweep(range, self.shows_weights, visit);
        }
        let (listed, new) = self.new.split(range);
        self.shown_to(visit, |visit| {
            if !listed.is_empty() || new.is_empty() {
                self.lists.sweep(listed, visit)?;
            }
            self.new.sweep(new, visit, self.statistics())
        })
    }

    fn statistics(&self) -> &AccessStatistics {
        self.decoded.as_ref().map_or_else(|| self.lists.statistics(), |decoded| &decoded.statistics)
    }
}

impl Pages for StoredLists {
    fn num_pages(&self) -> u32 {
        self.lists.num_pages()
    }

    fn page_of(&self, vertex: VertexId) -> Option<u32> {
        self.lists.page_of(self.new.listed(vertex)?)
    }
}
