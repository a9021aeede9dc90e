//! Little-used pages (MultiLogVC section V.C): less than a tenth of the page belongs to active vertices. The prediction
//! assumes that a little-used page is little used in the next superstep too.

use super::batch::{Batch, Lists};
use outcrop_store::access::ListPage;
use outcrop_types::{BitSet, number_from};

/// A page is little used if less than one in this many entries is used.
const THIN: u64 = 10;

/// Use of the pages of a batch's lists, on one side.
#[derive(Debug, Default)]
pub(crate) struct PageUse {
    /// Number of pages with lists of members.
    pub pages: u64,
    /// Number of little-used pages with lists of members.
    pub thin: u64,
    /// Number of little-used pages whose lists all come from the edge log.
    pub predicted: u64,
    /// Positions of members with lists on little-used pages, ascending.
    pub members: Vec<u32>,
}

impl PageUse {
    /// Memory per member, in bytes.
    pub(crate) const MEMBER_BYTES: u64 = size_of::<(u64, u32, u32)>() as u64 + 4;

    /// Computes the page use of the lists of `batch` on one side; the lists of `logged` members come from the edge log.
    pub(crate) fn of(lists: &Lists<'_, '_>, batch: &Batch, side: usize, logged: Option<&BitSet>) -> Option<Self> {
        let direction = lists.sides[side]?;
        let place = |(position, vertex): (usize, &u32)| {
            let ListPage { number, entries } =
                lists.open.of(direction)?.list_page(*vertex).filter(|_| *vertex < lists.vertices)?;
            Some((number, position as u32, number_from(entries)))
        };
        let mut places: Vec<(u64, u32, u32)> = batch.members().iter().enumerate().filter_map(place).collect();
        places.sort_unstable();
        let mut used = Self::default();
        for page in places.chunk_by(|one, other| one.0 == other.0) {
            used.pages += 1;
            let entries: u64 =
                page.iter().map(|(_, position, _)| batch.places(side, *position as usize).len() as u64).sum();
            if entries * THIN < u64::from(page[0].2) {
                used.thin += 1;
                let member = |position: u32| batch.members()[position as usize];
                let all =
                    logged.is_some_and(|logged| page.iter().all(|(_, position, _)| logged.contains(member(*position))));
                used.predicted += u64::from(all);
                used.members.extend(page.iter().map(|(_, position, _)| *position));
            }
        }
        used.members.sort_unstable();
        Some(used)
    }
}
