//! Passes over loops and repeats in a list.

use outcrop_store::access::Neighbours;
use outcrop_types::VertexId;

/// Last entry that was read of a list. Lists are ascending, so that repeats follow each other.
#[derive(Debug)]
pub(super) struct Distinct {
    last: Option<VertexId>,
}

impl Distinct {
    pub(super) const fn new() -> Self {
        Self { last: None }
    }

    /// Calls `take` with each entry of `piece` that is neither `vertex` nor a repeat.
    #[inline]
    pub(super) fn for_each(&mut self, vertex: VertexId, piece: Neighbours<'_>, mut take: impl FnMut(VertexId)) {
        for id in piece.ids() {
            if self.last != Some(*id) && *id != vertex {
                take(*id);
            }
            self.last = Some(*id);
        }
    }
}
