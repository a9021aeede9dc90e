//! Packs lists from their pages: lists within one request at once, longer ones page by page.

use super::format::{PageFormat, Stretch};
use super::lists::PagedLists;
use super::morsels::Scan;
use crate::access::Packer;
use crate::component::UNIT_HEADER_BYTES;
use crate::read::WorkerReads;
use outcrop_io::{ReadRequest, ReadSource};
use outcrop_types::{Result, VertexId, index_from, length_from};
use std::ops::{ControlFlow, Range};

/// Packs a whole, nonempty list unit by unit; `unit_at` returns the bytes of a unit.
#[inline]
pub(super) fn pack_list<'u, F: PageFormat>(
    lists: &PagedLists<F>,
    vertex: VertexId,
    list: &Range<u64>,
    part: &mut F::Part,
    packer: &mut Packer<'_>,
    unit_at: impl Fn(u64) -> &'u [u8],
) -> Result<()> {
    let (unit, first) = lists.format.place(list.start);
    if length_from(first) + (list.end - list.start) <= lists.format.capacity() {
        let stretch = stretch(lists, list, unit_at(unit));
        return lists.format.pack_whole(vertex, packer, stretch, part)?.map_err(|_| lists.damaged(vertex));
    }
    packer.begin(vertex);
    let mut position = list.start;
    while position < list.end {
        let (unit, _) = lists.format.place(position);
        position = pack_piece(lists, vertex, position..list.end, part, packer, unit_at(unit))?;
    }
    packer.end()
}

/// Returns the stretch of the list in `unit` that starts at `rest.start`.
#[inline]
fn stretch<'u, F: PageFormat>(lists: &PagedLists<F>, rest: &Range<u64>, unit: &'u [u8]) -> Stretch<'u> {
    let (page, first) = lists.format.place(rest.start);
    let left = rest.end - rest.start;
    let count = (lists.format.capacity() - length_from(first)).min(left);
    lists.touch(page, first, index_from(count));
    // Default: bytes without a complete checksum have no payload.
    let payload = unit.get(UNIT_HEADER_BYTES..).unwrap_or_default();
    Stretch { payload, first, count: index_from(count), last: count == left }
}

/// Packs the part of the list in `unit` that starts at `rest.start`. Returns the start of the rest, or the end of the
/// list after a break.
#[inline]
fn pack_piece<F: PageFormat>(
    lists: &PagedLists<F>,
    vertex: VertexId,
    rest: Range<u64>,
    part: &mut F::Part,
    packer: &mut Packer<'_>,
    unit: &[u8],
) -> Result<u64> {
    let stretch = stretch(lists, &rest, unit);
    let count = length_from(stretch.count);
    match lists.format.pack(packer, stretch, part) {
        Ok(ControlFlow::Continue(())) => Ok(rest.start + count),
        Ok(ControlFlow::Break(())) => Ok(rest.end),
        Err(_) => Err(lists.damaged(vertex)),
    }
}

/// Reader of a list that is too long for a single request, piece by piece in order.
pub(super) struct LongList<'a, F: PageFormat> {
    scan: Scan<'a, F>,
    vertex: VertexId,
    rest: Range<u64>,
    part: F::Part,
    packer: Packer<'a>,
}

impl<'a, F: PageFormat> LongList<'a, F> {
    pub(super) fn new(scan: Scan<'a, F>, vertex: VertexId) -> Self {
        let mut packer = Packer::new(scan.visit);
        packer.begin(vertex);
        Self { scan, vertex, rest: scan.index.list(vertex), part: F::Part::default(), packer }
    }

    fn pack_unit(&mut self, unit: &[u8]) -> Result<()> {
        let rest = self.rest.clone();
        self.rest.start = pack_piece(self.scan.lists, self.vertex, rest, &mut self.part, &mut self.packer, unit)?;
        Ok(())
    }
}

impl<F: PageFormat> ReadSource for LongList<'_, F> {
    /// Returns one request at a time: the next call follows only after the previous request was packed.
    fn next(&mut self) -> Result<Option<ReadRequest>> {
        let lists = self.scan.lists;
        lists.file.workers.cancellation().check()?;
        while !self.rest.is_empty() {
            let units = lists.format.units(&self.rest);
            let Some(guard) = lists.cache.as_ref().and_then(|cache| cache.get(units.start)) else {
                let (requests, start) = (lists.requests, units.start);
                let pages = requests.covering(&(start..units.end.min(start + requests.longest())));
                return Ok(Some(requests.request(&pages, pages.start)));
            };
            lists.file.statistics.count_hits(1);
            self.pack_unit(&guard)?;
        }
        Ok(None)
    }

    fn ready(&mut self, first: u64, bytes: &[u8]) -> Result<()> {
        let (lists, list) = (self.scan.lists, self.scan.lists.format.units(&self.rest));
        lists.admit(first, bytes, self.scan.admission, |page| list.contains(&page))?;
        for (number, unit) in (first..).zip(bytes.chunks(lists.format.page_bytes())) {
            // The request may include pages before and after the list.
            if !self.rest.is_empty() && lists.format.place(self.rest.start).0 == number {
                lists.file.statistics.count_misses(1);
                self.pack_unit(unit)?;
            }
        }
        Ok(())
    }
}

impl<F: PageFormat> WorkerReads for LongList<'_, F> {
    fn finish(mut self) -> Result<()> {
        self.packer.end()?;
        self.packer.finish(&self.scan.lists.file.statistics)
    }
}
