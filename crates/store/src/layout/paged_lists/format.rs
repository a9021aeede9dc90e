//! Format of the lists and pages of a layout.

use crate::access::Packer;
use crate::codec::Malformed;
use outcrop_types::{Result, VertexId};
use std::ops::{ControlFlow, Range};

/// Format of lists in the pages of a file.
pub(crate) trait PageFormat: Copy + Send + Sync {
    /// True if a position is an entry, so that lists are as long as their vertices have neighbors.
    const COUNTS_ENTRIES: bool;
    /// State of a list that is kept from one page to the next; its default is that of a list that has not begun.
    type Part: Default;

    /// Bytes of a page.
    fn page_bytes(self) -> usize;

    /// Number of positions of a page.
    fn capacity(self) -> u64;

    /// The page of `position`, and where in that page it is.
    fn place(self, position: u64) -> (u64, usize);

    /// The bytes of a page that hold its `count` positions from `first` on.
    fn bytes(self, first: usize, count: usize) -> [Range<usize>; 2];

    /// True if a page with a right checksum can be one of a graph of so many vertices, as far as that is seen without
    /// its lists.
    fn plausible(self, payload: &[u8], vertices: u32) -> bool;

    /// Packs what of the list under way lies in one page; after a break the rest of the list is not asked for, and
    /// `part` is as new.
    ///
    /// # Errors
    /// The bytes are no part of a list.
    fn pack(
        self,
        packer: &mut Packer<'_>,
        stretch: Stretch<'_>,
        part: &mut Self::Part,
    ) -> Result<ControlFlow<()>, Malformed>;

    /// Packs the list of `vertex`, all of which lies in one page.
    ///
    /// # Errors
    /// Those of the visitor; within, the bytes are no list.
    #[inline]
    fn pack_whole(
        self,
        vertex: VertexId,
        packer: &mut Packer<'_>,
        stretch: Stretch<'_>,
        part: &mut Self::Part,
    ) -> Result<Result<(), Malformed>> {
        packer.begin(vertex);
        match self.pack(packer, stretch, part) {
            Ok(_) => packer.end().map(Ok),
            Err(malformed) => Ok(Err(malformed)),
        }
    }

    /// The pages that hold the positions `list`; none for an empty list.
    #[inline]
    fn units(self, list: &Range<u64>) -> Range<u64> {
        if list.start >= list.end {
            return 0..0;
        }
        self.place(list.start).0..self.place(list.end - 1).0 + 1
    }
}

/// Part of a list that lies in one page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch<'p> {
    /// The payload of the page.
    pub payload: &'p [u8],
    /// The first position in the page, and how many there are.
    pub first: usize,
    pub count: usize,
    /// True if the list ends here.
    pub last: bool,
}
