//! Setup of a log, and the memory that it takes.

use super::entry::ID_BYTES;
use super::intervals::Intervals;
use super::pages::{HEADER_BYTES, Page, Pool};
use super::top::Slot;
use outcrop_io::SpillFolder;
use outcrop_store::access::Workers;
use outcrop_types::{MemoryBudget, VertexRange, index_from, length_from};

/// Bytes of a page where there is memory for pages of this size (section V.A.3).
pub const PAGE_BYTES: usize = 16 << 10;
/// Pages are made no smaller than this.
const LEAST_PAGE_BYTES: usize = 512;
/// Entries of a page are numbered with 16 bits.
const MOST_PAGE_BYTES: usize = 256 << 10;
/// Pages beyond those that are being filled.
const SPARE_PAGES: u64 = 8;

/// The page size that suits so much memory: four pages or more for each interval and slot, or the smallest that there
/// is.
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

/// Setup that a log works with.
#[derive(Clone, Copy, Debug)]
pub struct LogSetup<'g> {
    /// Destinations: consecutive intervals from 0 on.
    pub intervals: &'g [VertexRange],
    /// Bytes of a page; at least what a message takes is used.
    pub page_bytes: usize,
    /// Memory for all of it, in bytes; if it is not enough, more is used: a page for each interval and slot, and some.
    pub memory: u64,
    /// Messages that wait at the same time, as far as that is known beforehand; any number may.
    pub messages: u64,
    /// Folder for pages that do not fit memory.
    pub spill: &'g SpillFolder,
    /// The threads.
    pub workers: &'g Workers,
    /// Memory budget that pays for it all.
    pub budget: &'g MemoryBudget,
}

impl LogSetup<'_> {
    /// Plan of a log of such messages that works with this setup.
    pub fn plan<M>(&self, combines: bool) -> LogPlan {
        let (intervals, slots) = (self.intervals.len(), self.workers.slots());
        LogPlan {
            intervals,
            slots,
            message_bytes: size_of::<M>(),
            page_bytes: self.page_bytes,
            memory: self.memory,
            messages: self.messages,
            combines,
        }
    }
}

/// Plan of a log: what it is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogPlan {
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
    /// Messages that wait at the same time, as far as that is known beforehand: the numbers of their pages take memory,
    /// too.
    pub messages: u64,
    /// True if messages are combined on their way.
    pub combines: bool,
}

impl LogPlan {
    /// Bytes that a log reserves: no more than [`LogPlan::memory`] where that is enough. If more messages wait than
    /// were expected, another 64 KiB come for each 13,000 pages on disk.
    pub fn bytes(&self) -> u64 {
        self.fixed_bytes() + length_from(self.pages()) * self.bytes_for_page()
    }

    /// Bytes that it takes besides pages.
    fn fixed_bytes(&self) -> u64 {
        let intervals = length_from(self.intervals);
        let slots = self.tops() * Slot::bytes(self.page_size(), self.entry_bytes(), self.combines);
        let lists = intervals * Pool::LIST_BYTES + self.numbers() * Pool::NUMBER_BYTES;
        slots + lists + Intervals::bytes(intervals)
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
        let entries = length_from((self.page_size() - HEADER_BYTES) / self.entry_bytes());
        self.messages / entries + self.tops()
    }

    /// The most pages that are being filled.
    fn tops(&self) -> u64 {
        length_from(self.intervals * self.slots)
    }

    /// Memory of a page, in bytes.
    fn bytes_for_page(&self) -> u64 {
        // Where a page is, is known to what is free and to a list that may be half empty.
        length_from(self.page_size()) + 3 * length_from(size_of::<Page>())
    }
}
