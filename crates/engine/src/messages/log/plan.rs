//! What memory a log takes.

use super::entry::entry_bytes;
use super::intervals::Intervals;
use super::page::{HEADER_BYTES, Page};
use super::pool::Pool;
use super::single::Sorter;
use super::writer::Slot;
use crate::messages::LogKind;
use outcrop_types::{index_from, length_from};

/// Bytes of a page where there is memory for pages of this size (section V.A.3).
pub const PAGE_BYTES: usize = 16 << 10;
/// Pages are made no smaller than this.
const LEAST_PAGE_BYTES: usize = 4 << 10;
/// Entries of a page are numbered with 16 bits.
const MOST_PAGE_BYTES: usize = 256 << 10;
/// Pages beyond those that are being filled.
const SPARE_PAGES: u64 = 8;

/// The page size that suits so much memory: four pages or more for each interval and slot, or the smallest that there is.
pub fn page_bytes_for(memory: u64, intervals: usize, slots: usize) -> usize {
    let tops = length_from(intervals * slots);
    let fits = |bytes: &usize| tops.saturating_mul(4 * length_from(*bytes)) <= memory;
    [PAGE_BYTES, PAGE_BYTES / 2].into_iter().find(fits).unwrap_or(LEAST_PAGE_BYTES)
}

/// What a log is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogPlan {
    /// Which kind of log.
    pub kind: LogKind,
    /// Number of intervals.
    pub intervals: usize,
    /// Who sends at the same time: [`outcrop_store::access::Workers::slots`].
    pub slots: usize,
    /// Bytes of a page; what a message takes at least is used.
    pub page_bytes: usize,
    /// Memory for pages, in bytes; at least a page for each interval and slot, and some, are used.
    pub memory: u64,
    /// Whether messages are combined on their way.
    pub combines: bool,
}

impl LogPlan {
    /// What a log of messages of this type reserves, in bytes. As its pages go to disk, another 64 KiB come for each 7000 of them.
    pub fn bytes<M>(&self) -> u64 {
        let (intervals, tops) = (length_from(self.intervals), self.tops());
        let fixed = tops * Slot::bytes(self.combines) + Intervals::bytes(intervals) + self.lists() * Pool::LIST_BYTES;
        let sorter = match self.kind {
            LogKind::Multi => 0,
            LogKind::Single => Sorter::<M>::bytes(intervals),
        };
        fixed + sorter + length_from(self.pages::<M>()) * self.bytes_for_page::<M>()
    }

    /// Bytes of a page that holds a message at least.
    pub(super) fn page_size<M>(&self) -> usize {
        self.page_bytes.min(MOST_PAGE_BYTES).max(HEADER_BYTES + entry_bytes::<M>())
    }

    /// How many pages there are.
    pub(super) fn pages<M>(&self) -> usize {
        index_from((self.memory / self.bytes_for_page::<M>()).max(self.tops() + SPARE_PAGES))
    }

    /// Intervals for which pages are filled.
    pub(super) fn lists(&self) -> u64 {
        match self.kind {
            LogKind::Multi => length_from(self.intervals),
            LogKind::Single => 1,
        }
    }

    /// The most pages that are being filled.
    fn tops(&self) -> u64 {
        self.lists() * length_from(self.slots)
    }

    /// Memory of a page, and in a single log of sorting half as many, in bytes.
    fn bytes_for_page<M>(&self) -> u64 {
        let page = length_from(self.page_size::<M>());
        let sorting = match self.kind {
            LogKind::Multi => 0,
            LogKind::Single => Sorter::<M>::page_bytes(page).div_ceil(2),
        };
        page + length_from(size_of::<Page>()) + sorting
    }
}
