//! Packs lists from the pages that hold them: those of one request at once, longer ones page after page.

use super::adjacency::RowAdjacency;
use super::claims::Pass;
use super::format::{RowFormat, Stretch};
use crate::access::Packer;
use crate::component::UNIT_HEADER_BYTES;
use outcrop_io::{ReadRequest, ReadSource};
use outcrop_types::{Result, VertexId, index_from, length_from};
use std::ops::{ControlFlow, Range};

/// Packs a whole list that is not empty, unit by unit; `unit_at` gives the bytes of a unit.
#[inline]
pub(super) fn pack_list<'u, F: RowFormat>(
    rows: &RowAdjacency<F>,
    vertex: VertexId,
    list: &Range<u64>,
    part: &mut F::Part,
    packer: &mut Packer<'_>,
    unit_at: impl Fn(u64) -> &'u [u8],
) -> Result<()> {
    let (unit, first) = rows.format.place(list.start);
    if length_from(first) + (list.end - list.start) <= rows.format.capacity() {
        let stretch = stretch(rows, list, unit_at(unit));
        return rows.format.pack_whole(vertex, packer, stretch, part)?.map_err(|_| rows.damaged(vertex));
    }
    packer.begin(vertex);
    let mut position = list.start;
    while position < list.end {
        let (unit, _) = rows.format.place(position);
        position = pack_piece(rows, vertex, position..list.end, part, packer, unit_at(unit))?;
    }
    packer.end()
}

/// The stretch of the list that lies in `unit` and begins at `rest.start`.
#[inline]
fn stretch<'u, F: RowFormat>(rows: &RowAdjacency<F>, rest: &Range<u64>, unit: &'u [u8]) -> Stretch<'u> {
    let (page, first) = rows.format.place(rest.start);
    let left = rest.end - rest.start;
    let count = (rows.format.capacity() - length_from(first)).min(left);
    rows.touch(page, first, index_from(count));
    let payload = unit.get(UNIT_HEADER_BYTES..).unwrap_or_default();
    Stretch { payload, first, count: index_from(count), last: count == left }
}

/// Packs what of the list lies in `unit` and begins at `rest.start`; where the rest begins, or the end of the list after a break.
#[inline]
fn pack_piece<F: RowFormat>(
    rows: &RowAdjacency<F>,
    vertex: VertexId,
    rest: Range<u64>,
    part: &mut F::Part,
    packer: &mut Packer<'_>,
    unit: &[u8],
) -> Result<u64> {
    let stretch = stretch(rows, &rest, unit);
    let count = length_from(stretch.count);
    match rows.format.pack(packer, stretch, part) {
        Ok(ControlFlow::Continue(())) => Ok(rest.start + count),
        Ok(ControlFlow::Break(())) => Ok(rest.end),
        Err(_) => Err(rows.damaged(vertex)),
    }
}

/// Streams one list that is too long for a single request, piece after piece in order.
pub(super) struct LongList<'a, F: RowFormat> {
    pass: Pass<'a, F>,
    vertex: VertexId,
    rest: Range<u64>,
    part: F::Part,
    packer: Packer<'a>,
}

impl<'a, F: RowFormat> LongList<'a, F> {
    pub(super) fn new(pass: Pass<'a, F>, vertex: VertexId) -> Self {
        let mut packer = Packer::new(pass.visit);
        packer.begin(vertex);
        Self { pass, vertex, rest: pass.index.list(vertex), part: F::Part::default(), packer }
    }

    pub(super) fn finish(mut self) -> Result<()> {
        self.packer.end()?;
        self.packer.finish(&self.pass.rows.statistics)
    }

    fn pack_unit(&mut self, unit: &[u8]) -> Result<()> {
        let rest = self.rest.clone();
        self.rest.start = pack_piece(self.pass.rows, self.vertex, rest, &mut self.part, &mut self.packer, unit)?;
        Ok(())
    }
}

impl<F: RowFormat> ReadSource for LongList<'_, F> {
    /// One request at a time: it is asked again only after the one before has been packed.
    fn next(&mut self) -> Result<Option<ReadRequest>> {
        let rows = self.pass.rows;
        rows.workers.cancellation().check()?;
        while !self.rest.is_empty() {
            let units = rows.format.units(&self.rest);
            let Some(guard) = rows.cache.as_ref().and_then(|cache| cache.get(units.start)) else {
                let (requests, start) = (rows.requests, units.start);
                let pages = requests.covering(&(start..units.end.min(start + requests.longest())));
                return Ok(Some(requests.request(&pages, pages.start)));
            };
            rows.statistics.count_hits(1);
            self.pack_unit(&guard)?;
        }
        Ok(None)
    }

    fn ready(&mut self, first: u64, bytes: &[u8]) -> Result<()> {
        let (rows, list) = (self.pass.rows, self.pass.rows.format.units(&self.rest));
        rows.admit(first, bytes, self.pass.admission, |page| list.contains(&page))?;
        for (number, unit) in (first..).zip(bytes.chunks(rows.format.page_bytes())) {
            // The request may bring what lies before and behind the list.
            if !self.rest.is_empty() && rows.format.place(self.rest.start).0 == number {
                rows.statistics.count_misses(1);
                self.pack_unit(unit)?;
            }
        }
        Ok(())
    }
}
