//! Reads lists that lie one after the other: the select and sweep of the access contract.

use super::claims::{Claims, Pass};
use super::cost;
use super::fold::LongList;
use super::format::RowFormat;
use super::index::RowIndex;
use super::requests::{LONGEST_BYTES, Requests};
use super::task::Gatherer;
use super::windows::{Index, positions_in, rest_of};
use crate::access::{AccessStatistics, Adjacency, IoCost, ListPage, Packer, Pages, Visit, Workers};
use crate::component::Component;
use crate::layout::lists::LayoutLists;
use crate::layout::options::ListOptions;
use crate::selection::StaticLists;
use outcrop_io::{Admission, MergePolicy, PageCache, PageUse, Reader};
use outcrop_types::{Error, MemoryBudget, Reservation, Result, VertexId, VertexRange, VertexSet, length_from};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Bytes of a worker's plans, which are the vertices of the requests in flight, and of lists on their way to a visitor.
const PLAN_BYTES: usize = 1 << 20;
const PACKER_BYTES: u64 = Packer::MEMORY_BYTES;
/// Requests in flight of one worker.
const DEPTH: usize = 128;

/// Parts that a layout has opened.
pub struct Opened<F> {
    /// The file with the lists.
    pub lists: Component,
    /// Format of the lists in it.
    pub format: F,
    /// Place of each list.
    pub index: Index,
    /// Entries of all lists, and the positions that they have.
    pub arcs: u64,
    pub positions: u64,
    /// The buffers of all workers ([`buffers_of`]), and what else is held as long as the lists are open.
    pub buffers: Reservation,
}

/// One direction of a layout whose lists lie one after the other, open for reading.
pub struct RowAdjacency<F: RowFormat> {
    pub index: Index,
    pub(super) format: F,
    pub(super) requests: Requests,
    pub(super) arcs: u64,
    pub(super) positions: u64,
    pub(super) cache: Option<PageCache>,
    pub(super) statics: Option<StaticLists>,
    /// Units with a position that is in no list of the static cache.
    pub(super) paged_units: u64,
    pub(super) merge: MergePolicy,
    pub workers: Workers,
    pub(super) statistics: AccessStatistics,
    lists: Component,
    readers: Vec<Mutex<Option<Box<dyn Reader>>>>,
    buffers: Reservation,
    /// Bytes that [`RowAdjacency::resume`] takes again.
    suspended: u64,
}

impl<F: RowFormat> RowAdjacency<F> {
    /// Puts together what a layout has opened.
    ///
    /// # Errors
    /// The budget is too small for the page cache.
    pub fn assemble(
        opened: Opened<F>,
        options: &ListOptions,
        budget: &MemoryBudget,
        workers: &Workers,
    ) -> Result<Self> {
        let Opened { lists, format, index, arcs, positions, buffers } = opened;
        let cache = match options.cache_bytes {
            0 => None,
            bytes => Some(PageCache::new(budget, lists.units(), format.page_bytes(), bytes, options.utilisation)?),
        };
        Ok(Self {
            index,
            format,
            requests: Requests::new(format.page_bytes(), lists.device().alignment()),
            arcs,
            positions,
            cache,
            statics: None,
            paged_units: lists.units(),
            merge: clamped(options.merge),
            statistics: AccessStatistics::default(),
            lists,
            readers: (0..workers.slots()).map(|_| Mutex::new(None)).collect(),
            workers: workers.clone(),
            buffers,
            suspended: 0,
        })
    }

    /// About how many entries lists with so many positions have; in `csr` exactly.
    #[inline]
    pub(super) fn arcs_of(&self, positions: u64) -> u64 {
        if self.positions == self.arcs {
            return positions;
        }
        let scaled = u128::from(positions) * u128::from(self.arcs) / u128::from(self.positions.max(1));
        u64::try_from(scaled).unwrap_or(u64::MAX)
    }

    /// Notes that `count` positions of a page from `first` on are looked at, where that is kept account of.
    #[inline]
    pub(super) fn touch(&self, page: u64, first: usize, count: usize) {
        if let Some(cache) = self.cache.as_ref().filter(|cache| cache.tracks_use()) {
            self.format.bytes(first, count).into_iter().for_each(|bytes| cache.touch(page, bytes));
        }
    }

    /// Error for a list that is none although its pages have right checksums.
    #[cold]
    pub(super) fn damaged(&self, vertex: VertexId) -> Error {
        Error::corrupt(self.lists.path(), format!("it has right checksums, but the list of vertex {vertex} is none"))
    }

    /// Packs the list of `vertex` where it is held; whether it is.
    #[inline]
    pub(super) fn pack_static(&self, vertex: VertexId, packer: &mut Packer<'_>) -> Result<bool> {
        match &self.statics {
            Some(statics) => statics.pack(vertex, packer),
            None => Ok(false),
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
        for (number, unit) in (first..).zip(bytes.chunks(self.format.page_bytes())) {
            let payload = self.lists.seal().open(number, unit, self.lists.path())?;
            if !self.format.plausible(payload, self.index.vertices()) {
                let message = format!("unit {number} names a vertex that does not exist or a weight that is no number");
                return Err(Error::corrupt(self.lists.path(), message));
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
            vacant => vacant.insert(self.lists.device().reader(self.workers.read_buffer_bytes(slot))?),
        };
        let waited = reader.read_many(depth, source)?;
        self.statistics.count_waiting(waited);
        Ok(())
    }

    /// Visits the lists that are claimed, all of which `index` knows.
    fn visit_all(&self, index: &RowIndex, claims: &Claims<'_>, visit: &dyn Visit, admission: Admission) -> Result<()> {
        let pass = Pass { rows: self, index, visit, admission };
        self.workers.run(claims.little(pass), &|slot| {
            let mut gatherer = Gatherer::new(pass, claims);
            self.read(slot, DEPTH, &mut gatherer).and_then(|()| gatherer.finish()).inspect_err(|_| claims.stop())
        })?;
        let mut long = std::mem::take(&mut *claims.long.lock().unwrap_or_else(PoisonError::into_inner));
        long.sort_unstable();
        let next = AtomicUsize::new(0);
        self.workers.run(long.len() <= 1, &|slot| {
            while let Some(vertex) = long.get(next.fetch_add(1, Relaxed)) {
                let mut list = LongList::new(pass, *vertex);
                let read = self.read(slot, 1, &mut list).and_then(|()| list.finish());
                read.inspect_err(|_| next.store(long.len(), Relaxed))?;
            }
            Ok(())
        })
    }

    /// Calls `with` with the index of each window of `range` in turn, and the vertices of the range in it: all at once where the whole
    /// index is in memory. Behind each window `rest` says what is wanted of what is left.
    fn for_each_window(
        &self,
        range: VertexRange,
        rest: &dyn Fn(VertexId) -> Option<VertexRange>,
        with: &mut dyn FnMut(&RowIndex, VertexRange) -> Result<()>,
    ) -> Result<()> {
        let windows = match &self.index {
            Index::Resident(index) => return with(index, range),
            Index::Streamed(windows) => windows,
        };
        let mut start = range.start;
        while let Some(wanted) = rest(start) {
            let window = windows.window(wanted);
            let now = VertexRange::new(wanted.start, wanted.end.min(window.end));
            self.statistics.count_loading(windows.reads(window));
            windows.with(window, &mut |index| with(index, now))?;
            start = now.end;
        }
        Ok(())
    }

    /// [`RowAdjacency::for_each_window`] where everything is wanted.
    pub(super) fn for_each_window_of(
        &self,
        range: VertexRange,
        with: &mut dyn FnMut(&RowIndex, VertexRange) -> Result<()>,
    ) -> Result<()> {
        let rest = |start| Some(VertexRange::new(start, range.end)).filter(|rest| !rest.is_empty());
        self.for_each_window(range, &rest, with)
    }

    /// Counts the units with a position that is in no list of `statics`.
    fn units_beside(&self, statics: &StaticLists) -> Result<u64> {
        let (mut units, mut counted) = (0, 0);
        self.for_each_window_of(VertexRange::new(0, self.index.vertices()), &mut |index, vertices| {
            for vertex in vertices.iter().filter(|vertex| !statics.contains(*vertex)) {
                let list = self.format.units(&index.list(vertex));
                units += list.end.saturating_sub(list.start.max(counted));
                counted = counted.max(list.end);
            }
            Ok(())
        })?;
        Ok(units)
    }
}

/// Number of workers that have buffers.
pub fn buffered_workers(workers: &Workers) -> usize {
    if workers.threads() == 1 { 1 } else { workers.slots() }
}

/// The buffers and plans of all workers.
pub fn buffers_of(workers: &Workers) -> u64 {
    let used = if workers.threads() == 1 { 1..2 } else { 0..workers.slots() };
    let packers = length_from(used.len()) * PACKER_BYTES;
    let all: usize = used.map(|slot| workers.read_buffer_bytes(slot) + PLAN_BYTES).sum();
    length_from(all) + packers
}

/// No merged request is larger than the largest of a single list, which every buffer holds.
fn clamped(merge: MergePolicy) -> MergePolicy {
    MergePolicy { longest_bytes: merge.longest_bytes.min(LONGEST_BYTES), ..merge }
}

impl<F: RowFormat> Adjacency for RowAdjacency<F> {
    fn num_vertices(&self) -> u32 {
        self.index.vertices()
    }

    fn num_arcs(&self) -> u64 {
        self.arcs
    }

    fn cost_of(&self, set: &VertexSet) -> IoCost {
        match &self.index {
            Index::Resident(index) => cost::of_set(self, index, set),
            Index::Streamed(windows) => cost::estimate(self, &**windows, set),
        }
    }

    fn cost_of_sweep(&self) -> IoCost {
        let resident = self.cache.as_ref().map_or(0, PageCache::resident_pages);
        let missing = self.paged_units.saturating_sub(resident);
        let held = self.statics.as_ref().map_or(0, StaticLists::bytes);
        let page_bytes = length_from(self.format.page_bytes());
        let lists = IoCost {
            arcs: self.num_arcs(),
            bytes: missing * page_bytes,
            requests: missing.div_ceil(self.requests.longest()),
            resident_bytes: resident * page_bytes + held,
        };
        lists + cost::of_index(&self.index, VertexRange::new(0, self.index.vertices()))
    }

    fn list_page(&self, vertex: VertexId) -> Option<ListPage> {
        let Index::Resident(index) = &self.index else { return None };
        let list = index.list(vertex);
        let fits = list.start < list.end && list.end - list.start <= self.format.capacity();
        fits.then(|| ListPage {
            number: self.format.place(list.start).0,
            entries: self.arcs_of(self.format.capacity()).max(1),
        })
    }

    fn select(&self, set: &VertexSet, visit: &dyn Visit) -> Result<()> {
        let all = VertexRange::new(0, self.index.vertices());
        let rest = |start| rest_of(set, start);
        self.for_each_window(all, &rest, &mut |index, vertices| {
            let claims = Claims::of_set(set, positions_in(set, vertices), self);
            self.visit_all(index, &claims, visit, Admission::EvictIfNeeded)
        })
    }

    fn sweep(&self, range: VertexRange, visit: &dyn Visit) -> Result<()> {
        self.for_each_window_of(range, &mut |index, vertices| {
            self.visit_all(index, &Claims::of_range(vertices, self), visit, Admission::FreeFrameOnly)
        })
    }

    fn statistics(&self) -> &AccessStatistics {
        &self.statistics
    }
}

impl<F: RowFormat> Pages for RowAdjacency<F> {
    fn num_pages(&self) -> u32 {
        u32::try_from(self.lists.units()).unwrap_or(u32::MAX)
    }

    #[inline]
    fn page_of(&self, vertex: VertexId) -> Option<u32> {
        let Index::Resident(index) = &self.index else { return None };
        let units = self.format.units(&index.list(vertex));
        u32::try_from(units.start).ok().filter(|_| !units.is_empty())
    }
}

impl<F: RowFormat> LayoutLists for RowAdjacency<F> {
    fn suspend(&mut self) {
        self.readers.iter_mut().for_each(|reader| *reader = Mutex::default());
        let kept = self.buffers.bytes().saturating_sub(buffers_of(&self.workers));
        self.suspended = self.buffers.bytes() - kept;
        self.buffers.shrink_to(kept);
    }

    fn charge_as(&mut self, cache_bytes: u64) -> Result<()> {
        self.cache.iter_mut().try_for_each(|cache| cache.charge_as(self.lists.units(), cache_bytes))
    }

    fn resume(&mut self, workers: &Workers) -> Result<()> {
        self.buffers.grow_to(self.buffers.bytes() + std::mem::take(&mut self.suspended))?;
        self.workers = workers.with_buffers_of(&self.workers);
        self.statistics = AccessStatistics::default();
        if let Index::Streamed(windows) = &mut self.index {
            windows.stopped_by(workers.cancellation());
        }
        Ok(())
    }

    fn use_static(&mut self, statics: StaticLists) -> Result<()> {
        if let Index::Resident(index) = &self.index {
            statics.verify_plain(&self.workers, |vertex| index.length(vertex))?;
        }
        self.paged_units = self.units_beside(&statics)?;
        self.statistics.count_loading(statics.reads());
        self.statics = Some(statics);
        Ok(())
    }

    fn static_lists(&self) -> Option<&StaticLists> {
        self.statics.as_ref()
    }

    fn degree(&self, vertex: VertexId) -> Option<u32> {
        match &self.index {
            Index::Resident(index) if F::COUNTS_ENTRIES => Some(index.length(vertex)),
            _ => None,
        }
    }

    fn page_use(&self) -> Option<PageUse> {
        self.cache.as_ref().and_then(PageCache::page_use)
    }

    fn backend(&self) -> outcrop_io::Backend {
        self.lists.device().backend()
    }
}
