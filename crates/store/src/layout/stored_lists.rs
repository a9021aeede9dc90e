//! Lists of one direction in whichever layout their store has: the one place where layouts are told apart for reading.

use super::LayoutKind;
use super::chunked::{ChunkedAdjacency, ChunkedOptions, DenseAccess, chunks_name};
use super::compact::{CompactAdjacency, CompactOptions, IndexResidence, shards_name};
use super::csr::{CsrAdjacency, CsrOptions, edges_name};
use super::sliding::{BLOCKS_NAME, SlidingAdjacency, SlidingOptions};
use crate::access::{AccessStatistics, Adjacency, IoCost, ListPage, Pages, Visit, VisitBatch, Workers};
use crate::selection::StaticLists;
use crate::store::Store;
use outcrop_io::{Backend, IoChoice, MergePolicy, PageUse, Utilisation};
use outcrop_types::{Direction, MemoryBudget, MemoryPlan, Result, VertexId, VertexRange, VertexSet};

/// Choices for opening lists; each layout takes those that it knows.
#[derive(Clone, Debug)]
pub struct ListOptions {
    /// The way to read.
    pub io: IoChoice,
    /// Memory of the page cache of this direction, its table included, in bytes.
    pub cache_bytes: u64,
    /// Accounts of the parts of cached pages that are looked at.
    pub utilisation: Utilisation,
    /// Rule for merging neighbouring requests.
    pub merge: MergePolicy,
    /// The order in which a sweep goes through lists in chunks.
    pub dense_access: DenseAccess,
    /// The place of the index of the `compact` layout.
    pub index: IndexResidence,
}

impl ListOptions {
    /// For reading lists once: without a page cache, and with as little of the index in memory as the layout can do with.
    pub fn once(io: IoChoice) -> Self {
        Self {
            io,
            cache_bytes: 0,
            utilisation: Utilisation::Ignored,
            merge: MergePolicy::default(),
            dense_access: DenseAccess::default(),
            index: IndexResidence::STREAMED,
        }
    }
}

/// One direction of a store, open for reading.
pub struct StoredLists {
    lists: InLayout,
    shows_weights: bool,
}

/// Lists in one of the layouts.
#[expect(clippy::large_enum_variant, reason = "there are one or two of them in a run")]
enum InLayout {
    /// Lists in chunks.
    Chunked(ChunkedAdjacency),
    /// Lists one after the other, in as few bytes as their codec needs.
    Compact(CompactAdjacency),
    /// Lists one after the other, four bytes a neighbour.
    Csr(CsrAdjacency),
    /// Lists made of blocks of shards.
    Sliding(SlidingAdjacency),
}

/// Evaluates an expression on the lists of any layout.
macro_rules! any {
    ($layout:expr, $lists:ident => $value:expr) => {
        match $layout {
            InLayout::Chunked($lists) => $value,
            InLayout::Compact($lists) => $value,
            InLayout::Csr($lists) => $value,
            InLayout::Sliding($lists) => $value,
        }
    };
}

impl StoredLists {
    /// Memory that opening `direction` takes from the budget, but for the page cache.
    pub fn memory(store: &Store, direction: Direction, workers: &Workers, index: IndexResidence) -> MemoryPlan {
        match store.manifest().layout() {
            LayoutKind::Chunked => ChunkedAdjacency::memory(store, direction, workers),
            LayoutKind::Compact => CompactAdjacency::memory(store, direction, workers, index),
            LayoutKind::Csr => CsrAdjacency::memory(store, direction, workers),
            LayoutKind::Sliding => SlidingAdjacency::memory(store, direction, workers),
        }
    }

    /// Memory that holding all lists of `direction` in the page cache takes, in bytes.
    pub fn cache_bytes_for_all(store: &Store, direction: Direction, utilisation: Utilisation) -> u64 {
        match store.manifest().layout() {
            LayoutKind::Chunked => ChunkedAdjacency::cache_bytes_for_all(store, direction, utilisation),
            LayoutKind::Compact => CompactAdjacency::cache_bytes_for_all(store, direction, utilisation),
            LayoutKind::Csr => CsrAdjacency::cache_bytes_for_all(store, direction, utilisation),
            LayoutKind::Sliding => SlidingAdjacency::cache_bytes_for_all(store),
        }
    }

    /// Bytes of the file with the lists of `direction`.
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
    /// The store has none or they are damaged; the budget is too small.
    pub fn open(
        store: &Store,
        direction: Direction,
        options: &ListOptions,
        budget: &MemoryBudget,
        workers: &Workers,
    ) -> Result<Self> {
        let ListOptions { io, cache_bytes, utilisation, merge, dense_access, index } = *options;
        let lists = match store.manifest().layout() {
            LayoutKind::Chunked => {
                let options = ChunkedOptions { io, cache_bytes, utilisation, merge, dense_access };
                ChunkedAdjacency::open(store, direction, &options, budget, workers).map(InLayout::Chunked)
            }
            LayoutKind::Compact => {
                let options = CompactOptions { io, cache_bytes, utilisation, merge, index };
                CompactAdjacency::open(store, direction, &options, budget, workers).map(InLayout::Compact)
            }
            LayoutKind::Csr => {
                let options = CsrOptions { io, cache_bytes, utilisation, merge };
                CsrAdjacency::open(store, direction, &options, budget, workers).map(InLayout::Csr)
            }
            LayoutKind::Sliding => {
                let options = SlidingOptions { io, cache_bytes };
                SlidingAdjacency::open(store, direction, options, budget, workers).map(InLayout::Sliding)
            }
        }?;
        Ok(Self { lists, shows_weights: true })
    }

    /// Decides whether visitors get weights, in a store that has some.
    pub fn show_weights(&mut self, show: bool) {
        self.shows_weights = show;
    }

    /// The lists, where they lie one after the other in four bytes a neighbour: how long each is, is known there without reading.
    pub(crate) const fn as_csr(&self) -> Option<&CsrAdjacency> {
        match &self.lists {
            InLayout::Csr(lists) => Some(lists),
            _ => None,
        }
    }

    /// Gives back the read buffers until [`StoredLists::resume`]: for lists that stay open between two runs.
    pub fn suspend(&mut self) {
        any!(&mut self.lists, lists => lists.suspend());
    }

    /// Goes on with `workers`, as many as before, and counts what is read from 0.
    ///
    /// # Errors
    /// The budget is too small for the read buffers.
    pub fn resume(&mut self, workers: &Workers) -> Result<()> {
        any!(&mut self.lists, lists => lists.resume(workers))
    }

    /// Reserves what the page cache of lists would that are opened with `cache_bytes`, however large it is.
    ///
    /// # Errors
    /// The budget is too small for that.
    pub fn charge_as(&mut self, cache_bytes: u64) -> Result<()> {
        any!(&mut self.lists, lists => lists.charge_as(cache_bytes))
    }

    /// From now on the lists that are in `statics` come from there; a layout without a static cache takes none.
    ///
    /// # Errors
    /// They are not lists of this layout; interruption.
    pub fn use_static(&mut self, statics: StaticLists) -> Result<()> {
        match &mut self.lists {
            InLayout::Chunked(lists) => lists.use_static(statics),
            InLayout::Compact(lists) => lists.use_static(statics),
            InLayout::Csr(lists) => lists.use_static(statics),
            InLayout::Sliding(_) => Ok(()),
        }
    }

    /// Memory of the lists that are held beside the page cache, in bytes.
    pub fn static_bytes(&self) -> u64 {
        let statics = match &self.lists {
            InLayout::Chunked(lists) => lists.static_lists(),
            InLayout::Compact(lists) => lists.static_lists(),
            InLayout::Csr(lists) => lists.static_lists(),
            InLayout::Sliding(_) => None,
        };
        statics.map_or(0, StaticLists::bytes)
    }

    /// Loads and verifies every chunk, where the page cache holds them all, so that nothing is read any more; else does nothing.
    ///
    /// # Errors
    /// A failed or damaged read; interruption.
    pub fn load(&self) -> Result<()> {
        match &self.lists {
            InLayout::Chunked(lists) => lists.load(),
            InLayout::Compact(_) | InLayout::Csr(_) | InLayout::Sliding(_) => Ok(()),
        }
    }

    /// Parts that were looked at of the pages that were in the page cache; `None` where that was not kept account of.
    pub fn page_use(&self) -> Option<PageUse> {
        match &self.lists {
            InLayout::Chunked(lists) => lists.page_use(),
            InLayout::Compact(lists) => lists.page_use(),
            InLayout::Csr(lists) => lists.page_use(),
            InLayout::Sliding(_) => None,
        }
    }

    /// The kind of I/O that the lists are read with.
    pub fn backend(&self) -> Backend {
        any!(&self.lists, lists => lists.backend())
    }
}

impl StoredLists {
    /// Reads for `visit`, without weights where they are not shown.
    fn shown_to(&self, visit: &dyn Visit, read: impl FnOnce(&dyn Visit) -> Result<()>) -> Result<()> {
        if self.shows_weights { read(visit) } else { read(&WithoutWeights(visit)) }
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

    fn reads_weights(&self) -> bool {
        false
    }

    fn worker(&self) -> Box<dyn VisitBatch + '_> {
        self.0.worker()
    }
}

impl Adjacency for StoredLists {
    fn num_vertices(&self) -> u32 {
        any!(&self.lists, lists => lists.num_vertices())
    }

    fn num_arcs(&self) -> u64 {
        any!(&self.lists, lists => lists.num_arcs())
    }

    fn cost_of(&self, set: &VertexSet) -> IoCost {
        any!(&self.lists, lists => lists.cost_of(set))
    }

    fn cost_of_sweep(&self) -> IoCost {
        any!(&self.lists, lists => lists.cost_of_sweep())
    }

    fn list_page(&self, vertex: VertexId) -> Option<ListPage> {
        any!(&self.lists, lists => lists.list_page(vertex))
    }

    fn select(&self, set: &VertexSet, visit: &dyn Visit) -> Result<()> {
        self.shown_to(visit, |visit| any!(&self.lists, lists => lists.select(set, visit)))
    }

    fn sweep(&self, range: VertexRange, visit: &dyn Visit) -> Result<()> {
        self.shown_to(visit, |visit| any!(&self.lists, lists => lists.sweep(range, visit)))
    }

    fn statistics(&self) -> &AccessStatistics {
        any!(&self.lists, lists => lists.statistics())
    }
}

impl Pages for StoredLists {
    fn num_pages(&self) -> u32 {
        match &self.lists {
            InLayout::Chunked(lists) => lists.num_pages(),
            InLayout::Compact(lists) => lists.num_pages(),
            InLayout::Csr(lists) => lists.num_pages(),
            InLayout::Sliding(_) => 0,
        }
    }

    #[inline]
    fn page_of(&self, vertex: VertexId) -> Option<u32> {
        match &self.lists {
            InLayout::Chunked(lists) => lists.page_of(vertex),
            InLayout::Compact(lists) => lists.page_of(vertex),
            InLayout::Csr(lists) => lists.page_of(vertex),
            InLayout::Sliding(_) => None,
        }
    }
}
