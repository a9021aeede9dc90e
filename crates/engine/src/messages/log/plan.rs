//! Memory that a log takes.

use super::entry::ID_BYTES;
use super::intervals::Intervals;
use super::page::{HEADER_BYTES, Page};
use super::pool::Pool;
use super::single;
use super::writer::Slot;
use crate::messages::LogKind;
use outcrop_types::{index_from, length_from};

/// Bytes of a page where there is memory for pages of this size (section V.A.3).
pub const PAGE_BYTES: usize = 16 << 10;
/// Pages are made no smaller than this.
const LEAST_PAGE_BYTES: usize = 512;
/// Entries of a page are numbered with 16 bits.
const MOST_PAGE_BYTES: usize = 256 << 10;
/// Pages beyond those that are being filled.
const SPARE_PAGES: u64 = 8;

/// The page size that suits so much memory: four pages or more for each interval and slot, or the smallest that there is.
pub fn page_bytes_for(memory: u64, intervals: usize, slots: usize) -> usize {
    let tops = length_from(intervals * slots);
    let fits = |bytes: &usize| tops.saturating_mul(4 * length_from(*bytes)) <= memory;
    page_sizes().find(fits).unwrap_or(LEAST_PAGE_BYTES)
}

/// The sizes that pages may have, in bytes, the largest first.
pub fn page_sizes() -> impl Iterator<Item = usize> {
    let smaller = |bytes: &usize| Some(bytes / 2).filter(|half| *half >= LEAST_PAGE_BYTES);
    std::iter::successors(Some(PAGE_BYTES), smaller)
}

/// Plan of a log: what it is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogPlan {
    /// Kind of log.
    pub kind: LogKind,
    /// Number of intervals.
    pub intervals: usize,
    /// Number of senders at the same time: [`outcrop_store::access::Workers::slots`].
    pub slots: usize,
    /// Bytes of a message.
    pub message_bytes: usize,
    /// Bytes of a page; what a message takes at least is used.
    pub page_bytes: usize,
    /// Memory for all of it, in bytes; if it is not enough, more is used: a page for each interval and slot, and some.
    pub memory: u64,
    /// Messages that wait at the same time, as far as that is known beforehand: the numbers of their pages take memory, too.
    pub messages: u64,
    /// True if messages are combined on their way.
    pub combines: bool,
}

impl LogPlan {
    /// Bytes that a log reserves: no more than [`LogPlan::memory`] where that is enough. If more messages wait than were expected, another
    /// 64 KiB come for each 13,000 pages on disk.
    pub fn bytes(&self) -> u64 {
        self.fixed_bytes() + length_from(self.pages()) * self.bytes_for_page()
    }

    /// Bytes that it takes besides pages.
    fn fixed_bytes(&self) -> u64 {
        let intervals = length_from(self.intervals);
        let slots = self.tops() * Slot::bytes(self.page_size(), self.entry_bytes(), self.combines);
        let sorter = match self.kind {
            LogKind::Multi => 0,
            LogKind::Single => single::memory_bytes(intervals, self.entry_bytes()),
        };
        let lists = self.lists() * Pool::LIST_BYTES + self.numbers() * Pool::NUMBER_BYTES;
        slots + sorter + lists + Intervals::bytes(intervals)
    }

    const fn entry_bytes(&self) -> usize {
        ID_BYTES + self.message_bytes
    }

    /// Bytes of a page that holds a message at least.
    pub(super) fn page_size(&self) -> usize {
        self.page_bytes.min(MOST_PAGE_BYTES).max(HEADER_BYTES + self.entry_bytes())
    }

    /// Number of pages.
    pub(super) fn pages(&self) -> usize {
        let memory = self.memory.saturating_sub(self.fixed_bytes());
        index_from((memory / self.bytes_for_page()).max(self.tops() + SPARE_PAGES))
    }

    /// Pages that the expected messages fill.
    pub(super) fn numbers(&self) -> u64 {
        match self.kind {
            LogKind::Multi => {
                let entries = length_from((self.page_size() - HEADER_BYTES) / self.entry_bytes());
                self.messages / entries + self.tops()
            }
            LogKind::Single => 0,
        }
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
    fn bytes_for_page(&self) -> u64 {
        let page = length_from(self.page_size());
        let sorting = match self.kind {
            LogKind::Multi => 0,
            LogKind::Single => single::page_memory_bytes(page, self.entry_bytes()).div_ceil(2),
        };
        // Where a page is, is known to what is free and to a list that may be half empty.
        page + 3 * length_from(size_of::<Page>()) + sorting
    }
}
