//! Lists stored consecutively in pages, open for reading.

use super::format::PageFormat;
use super::index::ListIndex;
use super::requests::Requests;
use super::windows::Index;
use crate::access::{Packer, Workers};
use crate::component::Component;
use crate::layout::options::ListOptions;
use crate::read::{self, ListFile};
use crate::selection::StaticLists;
use outcrop_io::{Admission, PageCache};
use outcrop_types::{Error, MemoryBudget, Reservation, Result, VertexId, VertexRange, length_from};

/// Memory for the plans of a worker: the vertices of the requests in flight.
const PLAN_BYTES: u64 = 1 << 20;

/// Parts of an opened layout.
pub(crate) struct Opened<F> {
    /// File of the lists.
    pub lists: Component,
    /// Format of the lists.
    pub format: F,
    /// Positions of the lists.
    pub index: Index,
    /// Number of entries of all lists, and number of their positions.
    pub arcs: u64,
    pub positions: u64,
    /// Buffers of all workers ([`buffers_of`]), and other memory held while the lists are open.
    pub buffers: Reservation,
}

/// Lists of one direction of a layout that stores them consecutively, open for reading.
pub(crate) struct PagedLists<F: PageFormat> {
    pub index: Index,
    pub(super) format: F,
    pub(super) requests: Requests,
    pub(super) arcs: u64,
    pub(super) positions: u64,
    pub(super) cache: Option<PageCache>,
    pub file: ListFile,
    /// Units with a position outside the lists of the static cache.
    pub(super) paged_units: u64,
}

impl<F: PageFormat> PagedLists<F> {
    /// Assembles the lists from the parts of an opened layout.
    ///
    /// # Errors
    /// Returns an error if the budget is too small for the page cache.
    pub(crate) fn assemble(
        opened: Opened<F>,
        options: &ListOptions,
        budget: &MemoryBudget,
        workers: &Workers,
    ) -> Result<Self> {
        let Opened { lists, format, index, arcs, positions, buffers } = opened;
        let cache = match options.cache_bytes {
            0 => None,
            bytes => Some(PageCache::new(budget, lists.units(), format.page_bytes(), bytes, options.utilization)?),
        };
        Ok(Self {
            index,
            format,
            requests: Requests::new(format.page_bytes(), lists.device().alignment()),
            arcs,
            positions,
            cache,
            paged_units: lists.units(),
            file: ListFile::new(lists, 0, options.merge, workers, buffers, buffers_of(workers)),
        })
    }

    /// Returns the approximate number of entries of lists with `positions` positions; exact for `csr`.
    #[inline]
    pub(super) fn arcs_of(&self, positions: u64) -> u64 {
        if self.positions == self.arcs {
            return positions;
        }
        let scaled = u128::from(positions) * u128::from(self.arcs) / u128::from(self.positions.max(1));
        // Default: saturates the estimate.
        u64::try_from(scaled).unwrap_or(u64::MAX)
    }

    /// Records access to `count` positions of a page, starting at `first`, if the page cache tracks use.
    #[inline]
    pub(super) fn touch(&self, page: u64, first: usize, count: usize) {
        if let Some(cache) = self.cache.as_ref().filter(|cache| cache.tracks_use()) {
            self.format.bytes(first, count).into_iter().for_each(|bytes| cache.touch(page, bytes));
        }
    }

    /// Returns the error for a malformed list in pages with valid checksums.
    #[cold]
    pub(super) fn damaged(&self, vertex: VertexId) -> Error {
        Error::corrupt(
            self.file.component.path(),
            format!("checksums are valid but the list of vertex {vertex} is malformed"),
        )
    }

    /// Verifies the completed pages and offers them to the page cache: `wanted` pages according to `admission`, other
    /// pages of the request only if a frame is free.
    pub(super) fn admit(
        &self,
        first: u64,
        bytes: &[u8],
        admission: Admission,
        wanted: impl Fn(u64) -> bool,
    ) -> Result<()> {
        for (number, unit) in (first..).zip(bytes.chunks(self.format.page_bytes())) {
            let payload = self.file.component.seal().open(number, unit, self.file.component.path())?;
            if !self.format.plausible(payload, self.index.vertices()) {
                let message =
                    format!("unit {number} contains a vertex that does not exist, or a weight that is not a number");
                return Err(Error::corrupt(self.file.component.path(), message));
            }
            if let Some(cache) = &self.cache {
                let admission = if wanted(number) { admission } else { Admission::FreeFrameOnly };
                cache.insert(number, unit, admission);
            }
        }
        self.file.statistics.count_request(length_from(bytes.len()));
        Ok(())
    }

    /// Calls `with` with each window of the index for `range` and the vertices of the range in that window; with an
    /// index in memory, once for the whole range. After each window, `rest` returns the requested part of the
    /// remaining vertices.
    pub(super) fn for_each_window(
        &self,
        range: VertexRange,
        rest: &dyn Fn(VertexId) -> Option<VertexRange>,
        with: &mut dyn FnMut(&ListIndex, VertexRange) -> Result<()>,
    ) -> Result<()> {
        let windows = match &self.index {
            Index::Resident(index) => return with(index, range),
            Index::Streamed(windows) => windows,
        };
        let mut start = range.start;
        while let Some(wanted) = rest(start) {
            let window = windows.window(wanted);
            let now = VertexRange::new(wanted.start, wanted.end.min(window.end));
            self.file.statistics.count_loading(windows.reads(window));
            windows.with(window, &mut |index| with(index, now))?;
            start = now.end;
        }
        Ok(())
    }

    /// Calls [`PagedLists::for_each_window`] with the whole range requested.
    pub(super) fn for_each_window_of(
        &self,
        range: VertexRange,
        with: &mut dyn FnMut(&ListIndex, VertexRange) -> Result<()>,
    ) -> Result<()> {
        let rest = |start| Some(VertexRange::new(start, range.end)).filter(|rest| !rest.is_empty());
        self.for_each_window(range, &rest, with)
    }

    /// Counts the units with a position outside the lists of `statics`.
    pub(super) fn units_beside(&self, statics: &StaticLists) -> Result<u64> {
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

/// Returns the memory for buffers and plans of all workers.
pub(crate) fn buffers_of(workers: &Workers) -> u64 {
    read::buffers_of(workers, 0, PLAN_BYTES + Packer::MEMORY_BYTES)
}
