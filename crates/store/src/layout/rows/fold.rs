//! Folds lists from the pages that hold them: those of one request at once, longer ones page after page.

use super::adjacency::RowAdjacency;
use super::claims::Pass;
use super::format::{ListFold, RowFormat, Stretch};
use crate::access::Visit;
use crate::component::UNIT_HEADER_BYTES;
use outcrop_io::{ReadRequest, ReadSource};
use outcrop_types::{Result, VertexId, index_from, length_from};
use std::ops::{ControlFlow, Range};

/// Folds a whole list, unit by unit; `unit_at` gives the bytes of a unit.
#[inline]
pub(super) fn fold_list<'u, F: RowFormat, V: Visit>(
    pass: Pass<'_, F, V>,
    vertex: VertexId,
    list: &Range<u64>,
    part: &mut F::Part,
    unit_at: impl Fn(u64) -> &'u [u8],
) -> Result<()> {
    let mut fold = ListFold::begin(pass.visit, vertex);
    let mut position = list.start;
    while position < list.end {
        let (unit, _) = pass.rows.format.place(position);
        position = fold_piece(pass.rows, &mut fold, position..list.end, part, unit_at(unit))?;
    }
    fold.end();
    Ok(())
}

/// Folds what of the list lies in `unit` and begins at `rest.start`; where the rest begins, or the end of the list after a break.
#[inline]
fn fold_piece<F: RowFormat, V: Visit>(
    rows: &RowAdjacency<F>,
    fold: &mut ListFold<'_, V>,
    rest: Range<u64>,
    part: &mut F::Part,
    unit: &[u8],
) -> Result<u64> {
    let (page, first) = rows.format.place(rest.start);
    let count = (rows.format.capacity() - length_from(first)).min(rest.end - rest.start);
    rows.touch(page, first, index_from(count));
    let payload = unit.get(UNIT_HEADER_BYTES..).unwrap_or_default();
    let last = rest.start + count == rest.end;
    let stretch = Stretch { payload, first, count: index_from(count), last };
    match rows.format.fold(fold, stretch, part) {
        Ok(ControlFlow::Continue(())) => Ok(rest.start + count),
        Ok(ControlFlow::Break(())) => Ok(rest.end),
        Err(_) => Err(rows.damaged(fold.vertex())),
    }
}

/// Streams one list that is too long for a single request, piece after piece in order.
pub(super) struct LongList<'a, F: RowFormat, V: Visit> {
    pass: Pass<'a, F, V>,
    rest: Range<u64>,
    fold: ListFold<'a, V>,
    part: F::Part,
}

impl<'a, F: RowFormat, V: Visit> LongList<'a, F, V> {
    pub(super) fn new(pass: Pass<'a, F, V>, vertex: VertexId) -> Self {
        let fold = ListFold::begin(pass.visit, vertex);
        Self { pass, rest: pass.index.list(vertex), fold, part: F::Part::default() }
    }

    pub(super) fn finish(self) {
        self.fold.end();
    }

    fn fold_unit(&mut self, unit: &[u8]) -> Result<()> {
        let rest = self.rest.clone();
        self.rest.start = fold_piece(self.pass.rows, &mut self.fold, rest, &mut self.part, unit)?;
        Ok(())
    }
}

impl<F: RowFormat, V: Visit> ReadSource for LongList<'_, F, V> {
    /// One request at a time: it is asked again only after the one before has been folded.
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
            self.fold_unit(&guard)?;
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
                self.fold_unit(unit)?;
            }
        }
        Ok(())
    }
}
