//! Setup of a log, and its memory.

use super::entry::ID_BYTES;
use super::intervals::Intervals;
use super::pages::{HEADER_BYTES, Page, Pool};
use super::top::Slot;
use outcrop_io::SpillFolder;
use outcrop_store::access::Workers;
use outcrop_types::{MemoryBudget, VertexRange, index_from, length_from};

/// Bytes per page if memory suffices (section V.A.3).
pub const PAGE_BYTES: usize = 16 << 10;
/// Minimum page size in bytes.
const LEAST_PAGE_BYTES: usize = 512;
/// Maximum page size in bytes: entries of a page have 16-bit numbers.
const MOST_PAGE_BYTES: usize = 256 << 10;
/// Number of pages beyond those being filled.
const SPARE_PAGES: u64 = 8;

/// Returns the page size for `memory` bytes: the largest with at least four pages per interval and slot, or else the
/// smallest.
pub fn page_bytes_for(memory: u64, intervals: usize, slots: usize) -> usize {
    let tops = length_from(intervals * slots);
    let fits = |bytes: &usize| tops.saturating_mul(4 * length_from(*bytes)) <= memory;
    page_sizes().find(fits).unwrap_or(LEAST_PAGE_BYTES)
}

/// Returns the valid page sizes in bytes, in descending order.
pub fn page_sizes() -> impl Iterator<Item = usize> {
    let smaller = |bytes: &usize| Some(bytes / 2).filter(|half| *half >= LEAST_PAGE_BYTES);
    std::iter::successors(Some(PAGE_BYTES), smaller)
}

/// Setup of a log.
#[derive(Clone, Copy, Debug)]
pub struct LogSetup<'g> {
    /// Destinations: consecutive intervals from 0 on.
    pub intervals: &'g [VertexRange],
    /// Bytes per page; rounded up to fit a message.
    pub page_bytes: usize,
    /// Total memory in bytes. If it is too small, the log uses more: a page per interval and slot, and a few spare
    /// pages.
    pub memory: u64,
    /// Expected number of messages pending at the same time; any number may be.
    pub messages: u64,
    /// Folder for pages that do not fit in memory.
    pub spill: &'g SpillFolder,
    /// Worker threads.
    pub workers: &'g Workers,
    /// Memory budget to reserve from.
    pub budget: &'g MemoryBudget,
}

impl LogSetup<'_> {
    /// Returns the plan of a log of `M` with this setup.
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

/// Dimensions of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogPlan {
    /// Number of intervals.
    pub intervals: usize,
    /// Number of concurrent senders: [`outcrop_store::access::Workers::slots`].
    pub slots: usize,
    /// Bytes per message.
    pub message_bytes: usize,
    /// Bytes per page; rounded up to fit a message.
    pub page_bytes: usize,
    /// Total memory in bytes. If it is too small, the log uses more: a page per interval and slot, and a few spare
    /// pages.
    pub memory: u64,
    /// Expected number of messages pending at the same time, because the numbers of their pages take memory too.
    pub messages: u64,
    /// `true` if messages are combined while sending.
    pub combines: bool,
}

impl LogPlan {
    /// Returns the bytes that a log reserves: at most [`LogPlan::memory`] if that is enough. If more messages are
    /// pending than expected, the log reserves another 64 KiB per 13,000 pages on disk.
    pub fn bytes(&self) -> u64 {
        self.fixed_bytes() + length_from(self.pages()) * self.bytes_for_page()
    }

    /// Returns the memory without pages, in bytes.
    fn fixed_bytes(&self) -> u64 {
        let intervals = length_from(self.intervals);
        let slots = self.tops() * Slot::bytes(self.page_size(), self.entry_bytes(), self.combines);
        let lists = intervals * Pool::LIST_BYTES + self.numbers() * Pool::NUMBER_BYTES;
        slots + lists + Intervals::bytes(intervals)
    }

    const fn entry_bytes(&self) -> usize {
        ID_BYTES + self.message_bytes
    }

    /// Returns the bytes per page, enough for a message.
    pub(super) fn page_size(&self) -> usize {
        self.page_bytes.min(MOST_PAGE_BYTES).max(HEADER_BYTES + self.entry_bytes())
    }

    /// Returns the number of pages.
    pub(super) fn pages(&self) -> usize {
        let memory = self.memory.saturating_sub(self.fixed_bytes());
        index_from((memory / self.bytes_for_page()).max(self.tops() + SPARE_PAGES))
    }

    /// Returns the number of pages for the expected messages.
    pub(super) fn numbers(&self) -> u64 {
        let entries = length_from((self.page_size() - HEADER_BYTES) / self.entry_bytes());
        self.messages / entries + self.tops()
    }

    /// Returns the maximum number of pages being filled.
    fn tops(&self) -> u64 {
        length_from(self.intervals * self.slots)
    }

    /// Returns the memory per page, in bytes.
    fn bytes_for_page(&self) -> u64 {
        // The pool of free pages and a possibly half-empty list both have an entry per page.
        length_from(self.page_size()) + 3 * length_from(size_of::<Page>())
    }
}
