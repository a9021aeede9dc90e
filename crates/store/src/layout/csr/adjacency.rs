//! Reads one direction of the `csr` layout: the select and sweep of the access contract.

use super::format::{ListGeometry, edges_name};
use super::index::RowIndex;
use super::requests::{LONGEST_BYTES, Requests};
use super::task::{Claims, Gatherer, LongList};
use crate::access::{AccessStatistics, Adjacency, IoCost, Pages, Visit, Workers};
use crate::component::{Component, UNIT_BYTES};
use crate::layout::degrees_name;
use crate::selection::StaticLists;
use crate::store::Store;
use outcrop_io::{Admission, Device, IoChoice, MergePolicy, PageCache, PageUse, Reader, Utilisation};
use outcrop_types::{
    Direction, Error, MemoryBudget, MemoryPlan, Purpose, Reservation, Result, VertexId, VertexRange, VertexSet,
    length_from,
};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// Read buffers of a worker: eight of the largest requests, or hundreds of single pages.
const BUFFER_BYTES: usize = 2 << 20;
/// Read buffers of all workers together: with many threads each has less, but at least two of the largest requests.
const ALL_BUFFERS_BYTES: usize = 16 << 20;
/// Read buffers of the calling thread, which does what is too little to share.
const CALLER_BUFFER_BYTES: usize = 512 << 10;
/// What a worker's plans may take: the vertices of the requests in flight.
const PLAN_BYTES: usize = 1 << 20;
/// Requests in flight of one worker.
const DEPTH: usize = 128;

/// How to open the layout.
#[derive(Clone, Debug)]
pub struct CsrOptions {
    /// The way to read.
    pub io: IoChoice,
    /// Memory of the page cache of this direction, its table included, in bytes.
    pub cache_bytes: u64,
    /// Whether the page cache keeps account of what of its pages is looked at.
    pub utilisation: Utilisation,
    /// When neighbouring requests become one.
    pub merge: MergePolicy,
}

/// One direction of a store's `csr` layout, open for reading.
pub struct CsrAdjacency {
    pub(super) index: RowIndex,
    pub(super) geometry: ListGeometry,
    pub(super) requests: Requests,
    pub(super) arcs: u64,
    pub(super) cache: Option<PageCache>,
    pub(super) statics: Option<StaticLists>,
    /// Units with an entry that is in no list of the static cache.
    pub(super) paged_units: u64,
    pub(super) merge: MergePolicy,
    pub(super) workers: Workers,
    pub(super) statistics: AccessStatistics,
    edges: Component,
    readers: Vec<Mutex<Option<Box<dyn Reader>>>>,
    _buffers: Reservation,
}

impl CsrAdjacency {
    /// What opening one direction takes from the budget, but for the page cache. Once it is open, what the reader of degrees took
    /// ([`Component::READER_BYTES`]) is free again.
    pub fn memory(vertices: u32, workers: &Workers) -> MemoryPlan {
        MemoryPlan::new()
            .with(Purpose::Index, RowIndex::bytes(vertices))
            .with(Purpose::IoBuffers, buffers_of(workers) + Component::READER_BYTES)
    }

    /// What holding all lists of one direction in the page cache takes, in bytes.
    pub fn cache_bytes_for_all(store: &Store, direction: Direction, utilisation: Utilisation) -> u64 {
        let manifest = store.manifest();
        let Some(entry) = manifest.csr(direction) else { return 0 };
        let page_bytes = entry.settings().page();
        let bytes = manifest.file(&edges_name(entry.direction)).map_or(0, |file| file.bytes);
        PageCache::bytes_for(bytes / length_from(page_bytes), page_bytes, utilisation)
    }

    /// Opens the lists of `direction`.
    ///
    /// # Errors
    /// The store has none or they are damaged; the budget is too small.
    pub fn open(
        store: &Store,
        direction: Direction,
        options: &CsrOptions,
        budget: &MemoryBudget,
        workers: &Workers,
    ) -> Result<Self> {
        Self::open_through(store, direction, options, budget, workers, |device| device)
    }

    /// [`CsrAdjacency::open`] with something between the lists and their device: for tests of devices that fail or count.
    ///
    /// # Errors
    /// As for [`CsrAdjacency::open`].
    #[doc(hidden)]
    pub fn open_through(
        store: &Store,
        direction: Direction,
        options: &CsrOptions,
        budget: &MemoryBudget,
        workers: &Workers,
        wrap: impl FnOnce(Arc<dyn Device>) -> Arc<dyn Device>,
    ) -> Result<Self> {
        let stored = store.stored(direction);
        let entry = store
            .manifest()
            .csr(direction)
            .ok_or_else(|| Error::corrupt(store.folder(), format!("it has no {} lists", direction.name())))?;
        let degrees = store.component(&degrees_name(stored), options.io)?;
        let edges = store.component(&edges_name(stored), options.io)?.through(wrap);
        let mut buffers = budget.reserve(buffers_of(workers) + Component::READER_BYTES, Purpose::IoBuffers)?;
        let geometry = ListGeometry::new(store.manifest().weighted, entry.settings());
        let vertices = store.manifest().vertices;
        let index = RowIndex::load(&degrees, entry, vertices, geometry, edges.units(), budget, workers.cancellation())?;
        buffers.shrink_to(buffers_of(workers));
        let cache = match options.cache_bytes {
            0 => None,
            bytes => Some(PageCache::new(budget, edges.units(), geometry.page_bytes(), bytes, options.utilisation)?),
        };
        Ok(Self {
            index,
            geometry,
            requests: Requests::new(geometry, edges.device().alignment()),
            arcs: entry.arcs,
            cache,
            statics: None,
            paged_units: edges.units(),
            merge: clamped(options.merge),
            statistics: AccessStatistics::default(),
            edges,
            readers: (0..workers.slots()).map(|_| Mutex::new(None)).collect(),
            workers: workers.clone(),
            _buffers: buffers,
        })
    }

    /// Which kind of I/O the lists are read with.
    pub fn backend(&self) -> outcrop_io::Backend {
        self.edges.device().backend()
    }

    /// What was looked at of the pages that were in the page cache; `None` where that was not kept account of.
    pub fn page_use(&self) -> Option<PageUse> {
        self.cache.as_ref().and_then(PageCache::page_use)
    }

    /// Notes that `count` entries of a page from position `first` on are looked at, where that is kept account of.
    #[inline]
    pub(super) fn touch(&self, page: u64, first: usize, count: usize) {
        if let Some(cache) = self.cache.as_ref().filter(|cache| cache.tracks_use()) {
            self.geometry.bytes(first, count).into_iter().for_each(|bytes| cache.touch(page, bytes));
        }
    }

    /// Verifies the pages that have arrived and offers them to the page cache: those that are `wanted` as `admission` says, and what the
    /// request brings besides where there is room to spare.
    pub(super) fn admit(
        &self,
        first: u64,
        bytes: &[u8],
        admission: Admission,
        wanted: impl Fn(u64) -> bool,
    ) -> Result<()> {
        for (number, unit) in (first..).zip(bytes.chunks(self.geometry.page_bytes())) {
            let payload = self.edges.seal().open(number, unit, self.edges.path())?;
            if !self.geometry.plausible(payload, self.index.vertices()) {
                let message = format!("unit {number} names a vertex that does not exist or a weight that is no number");
                return Err(Error::corrupt(self.edges.path(), message));
            }
            if let Some(cache) = &self.cache {
                let admission = if wanted(number) { admission } else { Admission::FreeFrameOnly };
                cache.insert(number, unit, admission);
            }
        }
        self.statistics.count_request(length_from(bytes.len()));
        Ok(())
    }

    fn read(&self, slot: usize, depth: usize, source: &mut dyn outcrop_io::ReadSource) -> Result<()> {
        let Some(reader) = self.readers.get(slot) else { return Ok(()) };
        let mut reader = reader.lock().unwrap_or_else(PoisonError::into_inner);
        let reader = match &mut *reader {
            Some(reader) => reader,
            vacant => vacant.insert(self.edges.device().reader(buffer_bytes(slot, &self.workers))?),
        };
        let waited = reader.read_many(depth, source)?;
        self.statistics.count_waiting(waited);
        Ok(())
    }

    fn visit_all<V: Visit>(&self, claims: &Claims<'_>, visit: &V, admission: Admission) -> Result<()> {
        self.workers.run(claims.little(self), |slot| {
            let mut gatherer = Gatherer::new(self, visit, claims, admission);
            self.read(slot, DEPTH, &mut gatherer).inspect_err(|_| claims.stop())
        })?;
        let mut long = std::mem::take(&mut *claims.long.lock().unwrap_or_else(PoisonError::into_inner));
        long.sort_unstable();
        let next = AtomicUsize::new(0);
        self.workers.run(long.len() <= 1, |slot| {
            while let Some(vertex) = long.get(next.fetch_add(1, Relaxed)) {
                let mut list = LongList::new(self, visit, admission, *vertex);
                self.read(slot, 1, &mut list).inspect_err(|_| next.store(long.len(), Relaxed))?;
                list.finish();
            }
            Ok(())
        })
    }
}

fn buffer_bytes(slot: usize, workers: &Workers) -> usize {
    let share = (ALL_BUFFERS_BYTES / workers.threads()).next_multiple_of(UNIT_BYTES);
    match slot < workers.threads() || workers.threads() == 1 {
        true => share.clamp(CALLER_BUFFER_BYTES, BUFFER_BYTES),
        false => CALLER_BUFFER_BYTES,
    }
}

/// The buffers and plans of all workers.
fn buffers_of(workers: &Workers) -> u64 {
    let used = if workers.threads() == 1 { 1..2 } else { 0..workers.slots() };
    let all: usize = used.map(|slot| buffer_bytes(slot, workers) + PLAN_BYTES).sum();
    length_from(all)
}

/// No merged request is larger than the largest of a single list, which every buffer holds.
fn clamped(merge: MergePolicy) -> MergePolicy {
    MergePolicy { longest_bytes: merge.longest_bytes.min(LONGEST_BYTES), ..merge }
}

impl Adjacency for CsrAdjacency {
    fn num_vertices(&self) -> u32 {
        self.index.vertices()
    }

    fn num_arcs(&self) -> u64 {
        self.arcs
    }

    fn cost_of(&self, set: &VertexSet) -> IoCost {
        super::cost::cost_of(self, set)
    }

    fn cost_of_sweep(&self) -> IoCost {
        let resident = self.cache.as_ref().map_or(0, PageCache::resident_pages);
        let missing = self.paged_units.saturating_sub(resident);
        let held = self.statics.as_ref().map_or(0, StaticLists::bytes);
        let page_bytes = length_from(self.geometry.page_bytes());
        IoCost {
            arcs: self.arcs,
            bytes: missing * page_bytes,
            requests: missing.div_ceil(self.requests.longest()),
            resident_bytes: resident * page_bytes + held,
        }
    }

    fn select<V: Visit>(&self, set: &VertexSet, visit: &V) -> Result<()> {
        self.visit_all(&Claims::of_set(set, self), visit, Admission::EvictIfNeeded)
    }

    fn sweep<V: Visit>(&self, range: VertexRange, visit: &V) -> Result<()> {
        self.visit_all(&Claims::of_range(range, self), visit, Admission::FreeFrameOnly)
    }

    fn statistics(&self) -> &AccessStatistics {
        &self.statistics
    }
}

impl Pages for CsrAdjacency {
    fn num_pages(&self) -> u32 {
        u32::try_from(self.edges.units()).unwrap_or(u32::MAX)
    }

    #[inline]
    fn page_of(&self, vertex: VertexId) -> Option<u32> {
        let units = self.geometry.units(&self.index.list(vertex));
        u32::try_from(units.start).ok().filter(|_| !units.is_empty())
    }
}
