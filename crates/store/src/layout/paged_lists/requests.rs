//! Pages covered by one request.

use crate::read::LONGEST_REQUEST;
use outcrop_io::ReadRequest;
use outcrop_types::{index_from, length_from};
use std::ops::Range;

/// Requests for the pages of a file of lists.
#[derive(Clone, Copy, Debug)]
pub(super) struct Requests {
    page_bytes: u64,
    /// Minimum number of pages per read of the device.
    grain: u64,
}

impl Requests {
    /// Creates requests for a device with an alignment of at most 4096 bytes; file sizes are multiples of that.
    pub(super) fn new(page_bytes: usize, alignment: u64) -> Self {
        let page_bytes = length_from(page_bytes);
        Self { page_bytes, grain: alignment.div_ceil(page_bytes).max(1) }
    }

    /// Returns the maximum number of pages of a list in a single request.
    pub(super) const fn longest(self) -> u64 {
        LONGEST_REQUEST / self.page_bytes
    }

    /// Returns the pages read for `pages`, rounded outward to the granularity of the device. The additional pages
    /// serve other lists of the request, and go to the page cache.
    pub(super) const fn covering(self, pages: &Range<u64>) -> Range<u64> {
        pages.start - pages.start % self.grain..pages.end.next_multiple_of(self.grain)
    }

    /// Returns the byte range of `pages` in the file.
    pub(super) const fn bytes(self, pages: &Range<u64>) -> Range<u64> {
        pages.start * self.page_bytes..pages.end * self.page_bytes
    }

    /// Returns the request for `pages`, which are already rounded by [`Requests::covering`].
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
