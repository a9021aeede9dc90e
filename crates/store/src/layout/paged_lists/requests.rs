//! Pages that one request brings.

use crate::read::LONGEST_REQUEST;
use outcrop_io::ReadRequest;
use outcrop_types::{index_from, length_from};
use std::ops::Range;

/// Requests for the pages of a file of lists.
#[derive(Clone, Copy, Debug)]
pub(super) struct Requests {
    page_bytes: u64,
    /// The pages that the device reads at once at the least.
    grain: u64,
}

impl Requests {
    /// Requests to a device of this alignment, which is at most 4096: files have a multiple of that.
    pub(super) fn new(page_bytes: usize, alignment: u64) -> Self {
        let page_bytes = length_from(page_bytes);
        Self { page_bytes, grain: alignment.div_ceil(page_bytes).max(1) }
    }

    /// The most pages of a list that is read by a single request.
    pub(super) const fn longest(self) -> u64 {
        LONGEST_REQUEST / self.page_bytes
    }

    /// The pages that come where `pages` are read: as many before and behind as the device cannot leave out. They serve
    /// lists of the same request, and go to the page cache.
    pub(super) const fn covering(self, pages: &Range<u64>) -> Range<u64> {
        pages.start - pages.start % self.grain..pages.end.next_multiple_of(self.grain)
    }

    /// The bytes of `pages` in the file.
    pub(super) const fn bytes(self, pages: &Range<u64>) -> Range<u64> {
        pages.start * self.page_bytes..pages.end * self.page_bytes
    }

    /// The request for `pages`, which are [`Requests::covering`] some.
    pub(super) fn request(self, pages: &Range<u64>, token: u64) -> ReadRequest {
        let Range { start, end } = self.bytes(pages);
        ReadRequest { offset: start, length: index_from(end - start), token }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_rounded_outward_to_what_the_device_reads() {
        let fine = Requests::new(512, 512);
        assert_eq!((fine.covering(&(3..4)), fine.longest()), (3..4, 512));
        let coarse = Requests::new(512, 4096);
        assert_eq!((coarse.covering(&(3..4)), coarse.covering(&(7..9))), (0..8, 0..16));
        let request = coarse.request(&coarse.covering(&(13..14)), 5);
        assert_eq!((request.offset, request.length, request.token), (4096, 4096, 5));
        let large = Requests::new(65_536, 4096);
        assert_eq!((large.covering(&(3..5)), large.longest()), (3..5, 4));
    }
}
