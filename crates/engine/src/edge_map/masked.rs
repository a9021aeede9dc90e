//! Visits of some vertices within sweeps, skipping all others.

use outcrop_store::access::{ChangeLists, Neighbors, TakePart, Visit, VisitBatch, retain_requested, worker_of};
use outcrop_types::{BitSet, VertexId};
use std::ops::ControlFlow;

/// Visit restricted to the vertices of `members`.
pub(super) struct Masked<'v> {
    pub(super) members: &'v BitSet,
    pub(super) visit: &'v dyn Visit,
    /// True if everything is read and only the requested part visited, as in systems without an alternative (LOSC,
    /// section 3.6).
    pub(super) read_all: bool,
}

impl Masked<'_> {
    fn keep_members(&self, first: VertexId, wanted: &mut [u64]) {
        retain_requested(first, wanted, |vertex| self.members.contains(vertex));
        if self.visit.selective() {
            self.visit.filter(first, wanted);
        }
    }

    fn visits(&self, vertex: VertexId) -> bool {
        let mut wanted = [1];
        self.keep_members(vertex, &mut wanted);
        wanted != [0]
    }
}

impl Visit for Masked<'_> {
    fn selective(&self) -> bool {
        !self.read_all
    }

    fn filter(&self, first: VertexId, wanted: &mut [u64]) {
        self.keep_members(first, wanted);
    }

    fn stops_early(&self) -> bool {
        self.visit.stops_early()
    }

    fn reads_weights(&self) -> bool {
        self.visit.reads_weights()
    }

    fn worker(&self) -> Box<dyn VisitBatch + '_> {
        match self.read_all {
            false => self.visit.worker(),
            true => worker_of(self.visit, self),
        }
    }
}

/// Change for reads of everything: drops the lists of all other vertices.
impl ChangeLists for Masked<'_> {
    type Rest = ();

    fn begin(&self, vertex: VertexId) -> Option<()> {
        self.visits(vertex).then_some(())
    }

    fn piece(&self, (): &mut (), piece: Neighbors<'_>, take: TakePart<'_>) -> ControlFlow<()> {
        take(piece)
    }
}
