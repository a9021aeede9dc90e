//! Requested lists, distributed to the workers in morsels.

use super::format::PageFormat;
use super::index::ListIndex;
use super::lists::PagedLists;
use crate::access::{BitBlock, Visit};
use crate::read::{MEMBERS_AT_ONCE, SERIAL_ENTRIES, SERIAL_MEMBERS, WorkQueue};
use outcrop_io::Admission;
use outcrop_types::{Result, VertexId, VertexRange, VertexSet, index_from, length_from};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// List entries per morsel when scanning vertices in order.
const MORSEL_ENTRIES: u64 = 1 << 16;

/// State shared by all workers of a select or sweep, or of one window of it.
pub(super) struct Scan<'p, F: PageFormat> {
    pub(super) lists: &'p PagedLists<F>,
    pub(super) index: &'p ListIndex,
    pub(super) visit: &'p dyn Visit,
    pub(super) admission: Admission,
}

impl<F: PageFormat> Clone for Scan<'_, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: PageFormat> Copy for Scan<'_, F> {}

/// Requested lists, distributed to the workers in morsels.
pub(super) struct Morsels<'s> {
    wanted: RequestedVertices<'s>,
    pub(super) queue: WorkQueue,
    /// Vertices whose lists are too long for one request.
    pub(super) long: Mutex<Vec<VertexId>>,
}

enum RequestedVertices<'s> {
    Members(&'s VertexSet),
    Range,
}

impl<'s> Morsels<'s> {
    pub(super) fn of_set<F: PageFormat>(set: &'s VertexSet, positions: VertexRange, lists: &PagedLists<F>) -> Self {
        let step = match set {
            VertexSet::Sparse { .. } => MEMBERS_AT_ONCE,
            VertexSet::Dense { .. } => vertices_of_morsel(lists),
        };
        Self::new(RequestedVertices::Members(set), u64::from(positions.start)..u64::from(positions.end), step)
    }

    pub(super) fn of_range<F: PageFormat>(range: VertexRange, lists: &PagedLists<F>) -> Self {
        Self::new(RequestedVertices::Range, u64::from(range.start)..u64::from(range.end), vertices_of_morsel(lists))
    }

    fn new(wanted: RequestedVertices<'s>, range: Range<u64>, step: u64) -> Self {
        Self { wanted, queue: WorkQueue::new(range, step), long: Mutex::default() }
    }

    /// Returns true if there is too little work to distribute among workers.
    pub(super) fn little<F: PageFormat>(&self, scan: Scan<'_, F>) -> bool {
        let Range { start, end } = self.queue.left();
        match self.wanted {
            RequestedVertices::Members(VertexSet::Sparse { members, .. })
                if end - start <= length_from(SERIAL_MEMBERS) =>
            {
                let places = index_from(start)..index_from(end);
                let mut length = 0;
                members
                    .get(places)
                    .into_iter()
                    .flatten()
                    .for_each(|vertex| length += u64::from(scan.index.length(*vertex)));
                scan.lists.arcs_of(length) <= SERIAL_ENTRIES
            }
            _ => end - start <= MEMBERS_AT_ONCE / 4,
        }
    }

    /// Calls `with` for each vertex of `morsel` with a requested list.
    ///
    /// # Errors
    /// Returns the first error of `with`.
    #[inline]
    pub(super) fn try_for_each(
        &self,
        morsel: VertexRange,
        visit: &dyn Visit,
        block: &mut BitBlock,
        with: &mut impl FnMut(VertexId) -> Result<()>,
    ) -> Result<()> {
        match self.wanted {
            RequestedVertices::Members(set) => {
                let mut outcome = Ok(());
                set.for_each_in(morsel, |vertex| {
                    if outcome.is_ok() {
                        outcome = with(vertex);
                    }
                });
                outcome
            }
            RequestedVertices::Range => {
                block.fill(morsel, visit);
                block.try_for_each(with)
            }
        }
    }

    /// Defers `vertex`, whose list is too long for one request.
    pub(super) fn postpone(&self, vertex: VertexId) {
        self.long.lock().unwrap_or_else(PoisonError::into_inner).push(vertex);
    }
}

/// Returns the number of vertices that have about [`MORSEL_ENTRIES`] list entries in total.
fn vertices_of_morsel<F: PageFormat>(lists: &PagedLists<F>) -> u64 {
    let scaled = u128::from(MORSEL_ENTRIES) * u128::from(lists.index.vertices()) / u128::from(lists.arcs.max(1));
    // Default: saturates the estimate.
    u64::try_from(scaled).unwrap_or(u64::MAX).clamp(64, MORSEL_ENTRIES)
}
