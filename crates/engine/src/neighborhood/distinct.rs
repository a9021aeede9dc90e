//! Skipping of loops and duplicates in a list.

use outcrop_store::access::Neighbors;
use outcrop_types::VertexId;

/// Last entry of a list. Lists are ascending, so duplicates are adjacent.
#[derive(Debug, Default)]
pub struct Distinct {
    last: Option<VertexId>,
}

impl Distinct {
    /// Creates the state before the first entry.
    pub const fn new() -> Self {
        Self { last: None }
    }

    /// Calls `take` with each entry of `piece` that is neither `vertex` nor a duplicate.
    #[inline]
    pub fn for_each(&mut self, vertex: VertexId, piece: Neighbors<'_>, mut take: impl FnMut(VertexId)) {
        for id in piece.ids() {
            if self.last != Some(*id) && *id != vertex {
                take(*id);
            }
            self.last = Some(*id);
        }
    }
}
