//! The lists of this layout as positions in pages: a position is an entry.

use super::format::ListGeometry;
use crate::access::{Neighbours, Visit};
use crate::codec::Malformed;
use crate::layout::rows::{ListFold, RowFormat, Stretch};
use crate::selection::StaticLists;
use outcrop_types::{Result, VertexId, index_from, length_from};
use std::ops::{ControlFlow, Range};

impl RowFormat for ListGeometry {
    /// Entries never straddle pages.
    type Part = ();

    #[inline]
    fn page_bytes(self) -> usize {
        Self::page_bytes(self)
    }

    #[inline]
    fn capacity(self) -> u64 {
        self.entries()
    }

    #[inline]
    fn place(self, position: u64) -> (u64, usize) {
        Self::place(self, position)
    }

    #[inline]
    fn bytes(self, first: usize, count: usize) -> [Range<usize>; 2] {
        Self::bytes(self, first, count)
    }

    fn plausible(self, payload: &[u8], vertices: u32) -> bool {
        Self::plausible(self, payload, vertices)
    }

    #[inline]
    fn fold<V: Visit>(
        self,
        list: &mut ListFold<'_, V>,
        stretch: Stretch<'_>,
        (): &mut (),
    ) -> Result<ControlFlow<()>, Malformed> {
        Ok(list.neighbours(self.piece(stretch.payload, stretch.first, stretch.count)))
    }

    #[inline]
    fn fold_static<V: Visit>(
        self,
        statics: &StaticLists,
        vertex: VertexId,
        list: Range<u64>,
        visit: &V,
    ) -> Result<bool> {
        let Some(held) = statics.plain(vertex) else { return Ok(false) };
        let mut fold = ListFold::begin(visit, vertex);
        let mut slot = list.start;
        while slot < list.end {
            let (_, first) = self.place(slot);
            let count = (self.entries() - length_from(first)).min(list.end - slot);
            if fold.neighbours(part(held, index_from(slot - list.start), index_from(count))).is_break() {
                break;
            }
            slot += count;
        }
        fold.end();
        Ok(true)
    }
}

/// `count` neighbours from position `first` on.
fn part(list: Neighbours<'_>, first: usize, count: usize) -> Neighbours<'_> {
    let ids = list.ids().get(first..first + count).unwrap_or_default();
    Neighbours::new(ids, list.weights().and_then(|weights| weights.get(first..first + count)))
}
