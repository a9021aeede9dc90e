//! Lists that are wanted, handed out to the workers in blocks.

use super::adjacency::RowAdjacency;
use super::format::RowFormat;
use super::index::RowIndex;
use crate::access::{BitBlock, Visit};
use outcrop_io::Admission;
use outcrop_types::{Result, VertexId, VertexRange, VertexSet};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Members of a sparse set that a worker claims at once.
const CLAIM_MEMBERS: u64 = 256;
/// A sparse set of at most so many members, with at most so many list entries, is not shared among workers.
const LITTLE_MEMBERS: u64 = 1 << 12;
const LITTLE_ENTRIES: u64 = 1 << 15;
/// List entries that a worker claims at once when it goes through vertices in order.
const CLAIM_ENTRIES: u64 = 1 << 16;

/// State shared by all workers of a select or sweep, or of a window of one.
pub(super) struct Pass<'p, F: RowFormat> {
    pub(super) rows: &'p RowAdjacency<F>,
    pub(super) index: &'p RowIndex,
    pub(super) visit: &'p dyn Visit,
    pub(super) admission: Admission,
}

impl<F: RowFormat> Clone for Pass<'_, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: RowFormat> Copy for Pass<'_, F> {}

/// The lists that are wanted, handed out to the workers in blocks.
pub(super) struct Claims<'s> {
    wanted: Wanted<'s>,
    next: AtomicU64,
    end: u64,
    step: u64,
    /// Vertices whose lists are too long for one request.
    pub(super) long: Mutex<Vec<VertexId>>,
}

enum Wanted<'s> {
    Members(&'s VertexSet),
    Range,
}

impl<'s> Claims<'s> {
    pub(super) fn of_set<F: RowFormat>(set: &'s VertexSet, positions: VertexRange, rows: &RowAdjacency<F>) -> Self {
        let step = match set {
            VertexSet::Sparse { .. } => CLAIM_MEMBERS,
            VertexSet::Dense { .. } => vertices_of_claim(rows),
        };
        Self::new(Wanted::Members(set), u64::from(positions.start)..u64::from(positions.end), step)
    }

    pub(super) fn of_range<F: RowFormat>(range: VertexRange, rows: &RowAdjacency<F>) -> Self {
        Self::new(Wanted::Range, u64::from(range.start)..u64::from(range.end), vertices_of_claim(rows))
    }

    fn new(wanted: Wanted<'s>, range: Range<u64>, step: u64) -> Self {
        Self { wanted, next: AtomicU64::new(range.start), end: range.end, step, long: Mutex::default() }
    }

    /// True if there is too little to share among workers: waking them takes longer, and far longer on a machine that is busy
    /// with other things. Road networks have thousands of such frontiers.
    pub(super) fn little<F: RowFormat>(&self, pass: Pass<'_, F>) -> bool {
        let next = self.next.load(Relaxed);
        let positions = self.end.saturating_sub(next);
        match self.wanted {
            Wanted::Members(set @ VertexSet::Sparse { .. }) if positions <= LITTLE_MEMBERS => {
                let mut length = 0;
                let members = VertexRange::new(position(next), position(self.end));
                set.for_each_in(members, |vertex| length += u64::from(pass.index.length(vertex)));
                pass.rows.arcs_of(length) <= LITTLE_ENTRIES
            }
            _ => positions <= CLAIM_MEMBERS / 4,
        }
    }

    /// Hands out nothing more.
    pub(super) fn stop(&self) {
        self.next.store(self.end, Relaxed);
    }

    /// The positions or vertices to do next.
    pub(super) fn claim(&self) -> Option<VertexRange> {
        let start = self.next.fetch_add(self.step, Relaxed);
        let end = start.saturating_add(self.step).min(self.end);
        (start < end).then(|| VertexRange::new(position(start), position(end)))
    }

    /// Calls `with` with each vertex of `claim` whose list is wanted.
    ///
    /// # Errors
    /// Those of `with`, which end it.
    #[inline]
    pub(super) fn try_for_each(
        &self,
        claim: VertexRange,
        visit: &dyn Visit,
        block: &mut BitBlock,
        with: &mut impl FnMut(VertexId) -> Result<()>,
    ) -> Result<()> {
        match self.wanted {
            Wanted::Members(set) => {
                let mut outcome = Ok(());
                set.for_each_in(claim, |vertex| {
                    if outcome.is_ok() {
                        outcome = with(vertex);
                    }
                });
                outcome
            }
            Wanted::Range => {
                block.fill(claim, visit);
                block.try_for_each(with)
            }
        }
    }

    /// Sets `vertex` aside, whose list is too long for one request.
    pub(super) fn postpone(&self, vertex: VertexId) {
        self.long.lock().unwrap_or_else(PoisonError::into_inner).push(vertex);
    }
}

fn position(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// So many vertices have about [`CLAIM_ENTRIES`] list entries.
fn vertices_of_claim<F: RowFormat>(rows: &RowAdjacency<F>) -> u64 {
    let scaled = u128::from(CLAIM_ENTRIES) * u128::from(rows.index.vertices()) / u128::from(rows.arcs.max(1));
    u64::try_from(scaled).unwrap_or(u64::MAX).clamp(64, CLAIM_ENTRIES)
}
