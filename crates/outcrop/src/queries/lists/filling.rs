//! Visitor that fills the arrays of a batch of known lists.

use super::batch::{Entries, Members};
use crate::lists::KeptRanks;
use outcrop_engine::AtomicLists;
use outcrop_store::access::{FoldLists, Neighbors};
use outcrop_types::{VertexId, VertexRange, index_from};
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Visitor that fills the arrays of a batch.
pub(super) struct Filling<'f> {
    members: &'f Members,
    /// Range of the members, if they are consecutive vertices.
    whole: Option<VertexRange>,
    ranks: Option<&'f KeptRanks>,
    arrays: AtomicLists,
    /// True if the length of a list differs from the expected one.
    differs: AtomicBool,
}

impl<'f> Filling<'f> {
    pub(super) fn new(members: &'f Members, ranks: Option<&'f KeptRanks>, weighted: bool) -> Self {
        let arrays = AtomicLists::new(index_from(members.entries()), weighted);
        let whole = Some(members.range()).filter(|range| range.len() == members.vertices.len());
        Self { members, whole, ranks, arrays, differs: AtomicBool::new(false) }
    }

    /// Returns the neighbors and weights; `None` if the length of a list differs from the expected one.
    pub(super) fn into_arrays(self) -> Option<Entries> {
        let Self { arrays, differs, .. } = self;
        (!differs.into_inner()).then(|| arrays.into_plain())
    }

    /// Returns the position of `vertex` among the members.
    fn list(&self, vertex: VertexId) -> Option<usize> {
        match self.whole {
            Some(range) => range.contains(vertex).then(|| index_from(u64::from(vertex - range.start))),
            None => self.members.vertices.binary_search(&vertex).ok(),
        }
    }
}

impl FoldLists for Filling<'_> {
    /// Positions of the remaining entries.
    type Fold = Range<usize>;

    fn selective(&self) -> bool {
        self.whole.is_none()
    }

    fn wants(&self, vertex: VertexId) -> bool {
        self.list(vertex).is_some()
    }

    fn begin(&self, vertex: VertexId) -> Range<usize> {
        let offsets = &self.members.offsets;
        self.list(vertex).map_or(0..0, |list| index_from(offsets[list])..index_from(offsets[list + 1]))
    }

    fn neighbors(&self, _: VertexId, rest: &mut Range<usize>, piece: Neighbors<'_>) -> ControlFlow<()> {
        if piece.len() > rest.len() {
            self.differs.store(true, Relaxed);
            return ControlFlow::Break(());
        }
        let places = rest.start..rest.start + piece.len();
        rest.start = places.end;
        match self.ranks {
            Some(ranks) => self.arrays.put_as(places, piece, |vertex| ranks.rank(vertex)),
            None => self.arrays.put_as(places, piece, |vertex| vertex),
        }
        ControlFlow::Continue(())
    }

    fn end(&self, _: VertexId, rest: Range<usize>) {
        if !rest.is_empty() {
            self.differs.store(true, Relaxed);
        }
    }
}
