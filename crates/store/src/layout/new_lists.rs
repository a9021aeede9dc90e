//! Lists of the vertices that pending updates added: empty on disk, after those of the layout.

use crate::access::{AccessStatistics, BitBlock, Packer, StoredNeighbors, Visit};
use crate::store::Store;
use outcrop_types::{Cancellation, MemoryBudget, Purpose, Reservation, Result, VertexId, VertexRange, VertexSet};

/// Maximum number of vertices that a visitor filters at once.
const AT_ONCE: u32 = 1 << 16;

/// Division of the vertices of a store into those with a list in its layout and new ones.
pub(super) struct NewLists {
    /// New vertices, which follow those of the layout.
    vertices: VertexRange,
    cancellation: Cancellation,
    _held: Reservation,
}

impl NewLists {
    /// Returns the memory for the part of a set whose vertices have a list in the layout, in bytes; 0 without new
    /// vertices.
    pub(super) fn bytes(store: &Store) -> u64 {
        let manifest = store.manifest();
        if manifest.new_vertices() == 0 { 0 } else { VertexSet::bytes(manifest.listed_vertices()) }
    }

    /// Reserves the memory for dividing sets of vertices of `store`.
    ///
    /// # Errors
    /// Returns an error if the budget is too small.
    pub(super) fn open(store: &Store, budget: &MemoryBudget, cancellation: &Cancellation) -> Result<Self> {
        let manifest = store.manifest();
        let vertices = VertexRange::new(manifest.listed_vertices(), manifest.graph.vertices);
        let held = budget.reserve(Self::bytes(store), Purpose::Frontier)?;
        Ok(Self { vertices, cancellation: cancellation.clone(), _held: held })
    }

    /// Sets the `cancellation` that stops later sweeps.
    pub(super) fn stopped_by(&mut self, cancellation: &Cancellation) {
        self.cancellation = cancellation.clone();
    }

    /// Returns the number of all vertices.
    pub(super) const fn num_vertices(&self) -> u32 {
        self.vertices.end
    }

    /// Returns `vertex` if it has a list in the layout.
    #[inline]
    pub(super) fn listed(&self, vertex: VertexId) -> Option<VertexId> {
        Some(vertex).filter(|vertex| *vertex < self.vertices.start)
    }

    /// Returns the vertices of `range` with a list in the layout, and the new ones.
    pub(super) fn split(&self, range: VertexRange) -> (VertexRange, VertexRange) {
        let first = self.vertices.start;
        let listed = VertexRange::new(range.start.min(first), range.end.min(first));
        (listed, VertexRange::new(range.start.max(first), range.end.max(first)))
    }

    /// Calls `with` with the members of `set` that have a list in the layout.
    pub(super) fn with_listed<T>(&self, set: &VertexSet, with: impl FnOnce(&VertexSet) -> T) -> T {
        if self.vertices.is_empty() { with(set) } else { with(&set.below(self.vertices.start)) }
    }

    /// Visits the empty lists of the new members of `set`.
    ///
    /// # Errors
    /// Returns the errors of `visit`.
    pub(super) fn select(&self, set: &VertexSet, visit: &dyn Visit, statistics: &AccessStatistics) -> Result<()> {
        let members = set.positions_in(self.vertices);
        if members.is_empty() {
            return Ok(());
        }
        let (mut packer, mut outcome) = (Packer::new(visit), Ok(()));
        set.for_each_in(members, |vertex| {
            if outcome.is_ok() {
                outcome = packer.list(vertex, StoredNeighbors::EMPTY);
            }
        });
        outcome?;
        packer.finish(statistics)
    }

    /// Visits the empty lists of the requested vertices of `new`.
    ///
    /// # Errors
    /// Returns the errors of `visit`, or an error if the run is interrupted.
    pub(super) fn sweep(&self, new: VertexRange, visit: &dyn Visit, statistics: &AccessStatistics) -> Result<()> {
        if new.is_empty() {
            return Ok(());
        }
        let (mut packer, mut block) = (Packer::new(visit), BitBlock::default());
        for some in new.split(AT_ONCE) {
            self.cancellation.check()?;
            block.fill(some, visit);
            block.try_for_each(|vertex| packer.list(vertex, StoredNeighbors::EMPTY))?;
        }
        packer.finish(statistics)
    }
}
