//! Format of the lists and pages of a layout.

use crate::access::Packer;
use crate::codec::Malformed;
use outcrop_types::{Result, VertexId};
use std::ops::{ControlFlow, Range};

/// Format of lists in the pages of a file.
pub(crate) trait PageFormat: Copy + Send + Sync {
    /// `true` if a position is an entry, so that the length of a list is the degree of its vertex.
    const COUNTS_ENTRIES: bool;
    /// State of a list between pages; the default is the state of a list that has not started.
    type Part: Default;

    /// Returns the size of a page in bytes.
    fn page_bytes(self) -> usize;

    /// Returns the number of positions per page.
    fn capacity(self) -> u64;

    /// Returns the page of `position`, and the offset in that page.
    fn place(self, position: u64) -> (u64, usize);

    /// Returns the byte ranges of the `count` positions starting at `first` of a page.
    fn bytes(self, first: usize, count: usize) -> [Range<usize>; 2];

    /// Returns true if a page with a valid checksum is plausible for a graph with `vertices` vertices, as far as can
    /// be seen without its lists.
    fn plausible(self, payload: &[u8], vertices: u32) -> bool;

    /// Packs the part of the current list in one page. After a break, the caller does not request the rest of the
    /// list, and `part` is reset.
    ///
    /// # Errors
    /// Returns an error if the bytes are not part of a list.
    fn pack(
        self,
        packer: &mut Packer<'_>,
        stretch: Stretch<'_>,
        part: &mut Self::Part,
    ) -> Result<ControlFlow<()>, Malformed>;

    /// Packs the list of `vertex`, which is completely in one page.
    ///
    /// # Errors
    /// Returns errors of the visitor; the inner result is an error if the bytes are not a list.
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

    /// Returns the pages with the positions `list`; an empty range for an empty list.
    #[inline]
    fn units(self, list: &Range<u64>) -> Range<u64> {
        if list.start >= list.end {
            return 0..0;
        }
        self.place(list.start).0..self.place(list.end - 1).0 + 1
    }
}

/// Part of a list in one page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch<'p> {
    /// Payload of the page.
    pub payload: &'p [u8],
    /// First position in the page, and number of positions.
    pub first: usize,
    pub count: usize,
    /// `true` if the list ends here.
    pub last: bool,
}
