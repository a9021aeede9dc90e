//! Select and sweep of lists in pages.

use super::cost;
use super::fold::LongList;
use super::format::PageFormat;
use super::index::ListIndex;
use super::lists::PagedLists;
use super::morsels::{Morsels, Scan};
use super::task::PagePlan;
use super::windows::{Index, rest_of};
use crate::access::{AccessStatistics, Adjacency, IoCost, ListPage, Pages, Visit, Workers, first_requested};
use crate::layout::lists::LayoutLists;
use crate::read::ReadTask;
use crate::selection::StaticLists;
use outcrop_io::{Admission, PageCache, PageUse};
use outcrop_types::{Result, VertexId, VertexRange, VertexSet, length_from, number_from};
use std::sync::PoisonError;

impl<F: PageFormat> PagedLists<F> {
    /// Visits the lists in `morsels`, all of which are in `index`.
    fn visit_all(
        &self,
        index: &ListIndex,
        morsels: &Morsels<'_>,
        visit: &dyn Visit,
        admission: Admission,
    ) -> Result<()> {
        let scan = Scan { lists: self, index, visit, admission };
        let cancellation = self.file.workers.cancellation();
        let begin = || ReadTask::new(PagePlan::new(scan, morsels), cancellation);
        self.file.read_all(morsels.little(scan), &begin, &|| morsels.queue.stop())?;
        let mut long = std::mem::take(&mut *morsels.long.lock().unwrap_or_else(PoisonError::into_inner));
        long.sort_unstable();
        self.file.read_each(false, &long, &|vertex| LongList::new(scan, *vertex))
    }
}

impl<F: PageFormat> Adjacency for PagedLists<F> {
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
        let held = self.file.statics.as_ref().map_or(0, StaticLists::bytes);
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
            let morsels = Morsels::of_set(set, set.positions_in(vertices), self);
            self.visit_all(index, &morsels, visit, Admission::EvictIfNeeded)
        })
    }

    fn sweep(&self, range: VertexRange, visit: &dyn Visit) -> Result<()> {
        // Windows of the index without requested lists are skipped.
        let rest = |start| {
            let first = first_requested(VertexRange::new(start, range.end), visit)?;
            Some(VertexRange::new(first, range.end))
        };
        self.for_each_window(range, &rest, &mut |index, vertices| {
            self.visit_all(index, &Morsels::of_range(vertices, self), visit, Admission::FreeFrameOnly)
        })
    }

    fn statistics(&self) -> &AccessStatistics {
        &self.file.statistics
    }
}

impl<F: PageFormat> Pages for PagedLists<F> {
    fn num_pages(&self) -> u32 {
        number_from(self.file.component.units())
    }

    #[inline]
    fn page_of(&self, vertex: VertexId) -> Option<u32> {
        let Index::Resident(index) = &self.index else { return None };
        let units = self.format.units(&index.list(vertex));
        u32::try_from(units.start).ok().filter(|_| !units.is_empty())
    }
}

impl<F: PageFormat> LayoutLists for PagedLists<F> {
    fn suspend(&mut self) {
        self.file.suspend();
    }

    fn charge_as(&mut self, cache_bytes: u64) -> Result<()> {
        self.cache.iter_mut().try_for_each(|cache| cache.charge_as(self.file.component.units(), cache_bytes))
    }

    fn resume(&mut self, workers: &Workers) -> Result<()> {
        self.file.resume(workers)?;
        if let Index::Streamed(windows) = &mut self.index {
            windows.stopped_by(workers.cancellation());
        }
        Ok(())
    }

    fn use_static(&mut self, statics: StaticLists) -> Result<()> {
        if let Index::Resident(index) = &self.index {
            statics.verify_plain(&self.file.workers, |vertex| index.length(vertex))?;
        }
        self.paged_units = self.units_beside(&statics)?;
        self.file.use_static(statics);
        Ok(())
    }

    fn static_lists(&self) -> Option<&StaticLists> {
        self.file.statics.as_ref()
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
        self.file.component.device().backend()
    }
}
