//! Lists of this layout as positions in pages: a position is an entry.

use super::format::ListGeometry;
use crate::access::Packer;
use crate::codec::Malformed;
use crate::layout::paged_lists::{PageFormat, Stretch};
use outcrop_types::{Result, VertexId};
use std::ops::{ControlFlow, Range};

impl PageFormat for ListGeometry {
    const COUNTS_ENTRIES: bool = true;
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
    fn pack(self, packer: &mut Packer<'_>, stretch: Stretch<'_>, (): &mut ()) -> Result<ControlFlow<()>, Malformed> {
        Ok(packer.piece(self.piece(stretch.payload, stretch.first, stretch.count)))
    }

    #[inline]
    fn pack_whole(
        self,
        vertex: VertexId,
        packer: &mut Packer<'_>,
        stretch: Stretch<'_>,
        (): &mut (),
    ) -> Result<Result<(), Malformed>> {
        packer.list(vertex, self.piece(stretch.payload, stretch.first, stretch.count)).map(Ok)
    }
}
