//! Logs of messages: the multi-log update unit (MultiLogVC sections IV.B and V.A) and the sort and group unit (section V.B).
//!
//! Messages are appended to a log for each interval of destinations, page by page, in memory as long as there is room, then in one
//! temporary file. What waits for an interval is taken, loaded and grouped by vertex in a [`GroupSpace`], which the next interval's
//! messages may fill in another space while it is used.

mod blocks;
mod combine;
mod entry;
mod evict;
mod group;
mod intervals;
mod load;
mod page;
mod places;
mod pool;
mod single;
mod space;
mod taken;
mod writer;

pub use blocks::BlockMessages;
pub use combine::Combine;
pub use space::{GroupSpace, space_bytes};
pub use taken::Taken;
pub use writer::LogWriter;

use super::{LogKind, Plain};
use entry::entry_bytes;
use evict::Evictor;
use intervals::Intervals;
use outcrop_io::{PageFile, SpillFolder};
use outcrop_store::access::Workers;
use outcrop_types::{MemoryBudget, Purpose, Reservation, Result, VertexRange, index_from, length_from};
use page::{HEADER_BYTES, Page};
use pool::Pool;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use taken::Kept;
use writer::Slot;

/// Bytes of a page where there is memory for pages of this size (section V.A.3).
pub const PAGE_BYTES: usize = 16 << 10;
/// Pages are made no smaller than this.
const LEAST_PAGE_BYTES: usize = 4 << 10;
/// Pages beyond those that are being filled.
const SPARE_PAGES: u64 = 8;

/// What a log works with.
#[derive(Clone, Copy, Debug)]
pub struct LogSetup<'g> {
    /// Destinations: consecutive intervals from 0 on.
    pub intervals: &'g [VertexRange],
    /// Bytes of a page; at least what a message takes is used.
    pub page_bytes: usize,
    /// Memory for pages, in bytes; at least a page for each interval and worker, and some, are used.
    pub memory: u64,
    /// Where pages go that do not fit memory.
    pub spill: &'g SpillFolder,
    /// The threads.
    pub workers: &'g Workers,
    /// What pays for it all.
    pub budget: &'g MemoryBudget,
}

/// The page size that suits so much memory: four pages or more for each interval and slot, or the smallest that there is.
pub fn page_bytes_for(memory: u64, intervals: usize, slots: usize) -> usize {
    let tops = length_from(intervals * slots);
    let fits = |bytes: &usize| tops.saturating_mul(4 * length_from(*bytes)) <= memory;
    [PAGE_BYTES, PAGE_BYTES / 2].into_iter().find(fits).unwrap_or(LEAST_PAGE_BYTES)
}

/// Keeps messages until they are taken.
#[derive(Debug)]
pub struct MessageLog<M> {
    /// Ends before the pool does.
    _evictor: Evictor,
    pool: Arc<Pool>,
    slots: Vec<Mutex<Slot>>,
    intervals: Intervals,
    delivered: AtomicU64,
    message: PhantomData<fn() -> M>,
    _held: Reservation,
}

/// What a log did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogFigures {
    /// Messages that were sent.
    pub sent: u64,
    /// Messages that were grouped, after they were combined.
    pub delivered: u64,
    /// Bytes that were written to disk.
    pub bytes_written: u64,
    /// Bytes that were read from disk.
    pub bytes_read: u64,
}

impl<M: Plain> MessageLog<M> {
    /// What a log reserves that is given so much `memory`, in bytes. As pages go to disk, another 64 KiB come for each 7000 of them.
    pub fn memory(intervals: usize, slots: usize, page_bytes: usize, memory: u64, combines: bool) -> u64 {
        let (intervals, tops) = (length_from(intervals), length_from(intervals * slots));
        let page = length_from(page_size::<M>(page_bytes) + size_of::<Page>());
        let pages = number_of_pages::<M>(tops, page_bytes, memory);
        pages * page + tops * Slot::bytes(combines) + intervals * Pool::INTERVAL_BYTES + Intervals::bytes(intervals)
    }

    /// An empty log, whose messages are combined on their way if it `combines`.
    ///
    /// # Errors
    /// The budget does not hold [`MessageLog::memory`]; [`outcrop_types::Error::Io`]; [`outcrop_types::Error::DiskFull`].
    pub fn new(setup: LogSetup<'_>, kind: LogKind, combines: bool) -> Result<Self> {
        _ = kind;
        let (intervals, slots) = (setup.intervals.len(), setup.workers.slots());
        let bytes = Self::memory(intervals, slots, setup.page_bytes, setup.memory, combines);
        let held = setup.budget.reserve(bytes, Purpose::IoBuffers)?;
        let pages = number_of_pages::<M>(length_from(intervals * slots), setup.page_bytes, setup.memory);
        let file = PageFile::create(setup.spill, page_size::<M>(setup.page_bytes))?;
        let cancellation = setup.workers.cancellation();
        let pool = Arc::new(Pool::new(intervals, index_from(pages), file, setup.budget, cancellation));
        Ok(Self {
            _evictor: Evictor::start(&pool)?,
            pool,
            slots: (0..slots).map(|_| Mutex::new(Slot::new(intervals, combines))).collect(),
            intervals: Intervals::new(setup.intervals)?,
            delivered: AtomicU64::new(0),
            message: PhantomData,
            _held: held,
        })
    }

    /// Takes what the worker with this slot ([`Workers::run`]) sends, until it is dropped. One at a time for each slot.
    pub fn writer(&self, slot: usize) -> LogWriter<'_, M> {
        LogWriter::new(self.slot(slot), &self.intervals, &self.pool)
    }

    fn slot(&self, slot: usize) -> MutexGuard<'_, Slot> {
        self.slots[slot].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What went wrong while messages were sent, or written to disk.
    ///
    /// # Errors
    /// [`outcrop_types::Error::DiskFull`], [`outcrop_types::Error::Io`]; a message to a vertex in no interval.
    pub fn check(&self) -> Result<()> {
        self.pool.check()
    }

    /// The intervals of destinations.
    pub fn intervals(&self) -> usize {
        self.intervals.len()
    }

    /// How many messages wait for an interval; those that are being sent are not counted yet.
    pub fn waiting(&self, interval: usize) -> u64 {
        self.pool.waiting(interval)
    }

    /// Takes what waits for an interval; what is sent from now on is not in it. Nothing is being sent at the time.
    ///
    /// # Errors
    /// As [`MessageLog::check`] says; of a single log also failed reads and writes, and interruption.
    pub fn take<C: Combine<M>>(&self, interval: usize, combine: &C) -> Result<Taken> {
        _ = combine;
        self.check()?;
        let range = self.intervals.range(interval);
        if self.pool.waiting(interval) == 0 {
            return Ok(Taken { range, count: 0, kept: Kept::Nothing });
        }
        let tops = (0..self.slots.len()).filter_map(|slot| self.slot(slot).take(interval)).collect();
        let (list, count) = self.pool.take(interval, tops);
        Ok(Taken { range, count, kept: Kept::Pages { pool: Arc::clone(&self.pool), list } })
    }

    /// What was done so far; what is being sent is not counted yet.
    pub fn figures(&self) -> LogFigures {
        let (bytes_read, bytes_written) = self.pool.file.traffic();
        let sent = (0..self.slots.len()).map(|slot| self.slot(slot).sent()).sum();
        LogFigures { sent, delivered: self.delivered.load(Relaxed), bytes_written, bytes_read }
    }
}

/// Bytes of a page that holds a message at least.
fn page_size<M>(page_bytes: usize) -> usize {
    page_bytes.max(HEADER_BYTES + entry_bytes::<M>())
}

/// How many pages there are in so much memory.
fn number_of_pages<M>(tops: u64, page_bytes: usize, memory: u64) -> u64 {
    (memory / length_from(page_size::<M>(page_bytes))).max(tops + SPARE_PAGES)
}
