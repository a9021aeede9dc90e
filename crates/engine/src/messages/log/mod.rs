//! Logs of messages: the multi-log update unit (MultiLogVC sections IV.B and V.A) and the sort and group unit (section V.B).
//!
//! Messages are appended to a log for each interval of destinations, page by page, in memory as long as there is room, then in one
//! temporary file. What waits for an interval is taken, loaded and grouped by vertex in a [`GroupSpace`], which the next interval's
//! messages may fill in another space while it is used.

mod blocks;
mod combine;
mod entry;
mod evict;
mod failure;
mod group;
mod intervals;
mod list;
mod load;
mod page;
mod places;
mod plan;
mod pool;
mod single;
mod space;
mod taken;
mod writer;

pub use blocks::BlockMessages;
pub use combine::Combine;
pub use plan::{LogPlan, PAGE_BYTES, page_bytes_for, page_sizes};
pub use space::{GroupSpace, fused_bytes, space_bytes};
pub use taken::Taken;
pub use writer::LogWriter;

use super::{LogKind, Plain};
use evict::Evictor;
use intervals::Intervals;
use outcrop_io::{PageFile, SpillFolder};
use outcrop_store::access::Workers;
use outcrop_types::{MemoryBudget, Purpose, Reservation, Result, VertexRange, index_from};
use pool::Pool;
use single::Sorter;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use taken::Kept;
use writer::Slot;

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
    pub fn plan<M>(&self, kind: LogKind, combines: bool) -> LogPlan {
        let (intervals, slots) = (self.intervals.len(), self.workers.slots());
        LogPlan {
            kind,
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

/// Keeps messages until they are taken.
#[derive(Debug)]
pub struct MessageLog<M> {
    way: Way<M>,
    pool: Arc<Pool>,
    slots: Vec<Mutex<Slot>>,
    intervals: Intervals,
    delivered: AtomicU64,
    _held: Reservation,
}

/// Way in which a log makes room where it has no more memory.
#[derive(Debug)]
enum Way<M> {
    /// Pages go to disk as they are.
    Multi(#[allow(dead_code, reason = "it ends when it is dropped")] Evictor),
    /// Pages are sorted; all intervals are one.
    Single(Box<Sorter<M>>, Intervals),
}

/// Figures of a log.
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
    /// An empty log, whose messages are combined on their way if it `combines`.
    ///
    /// # Errors
    /// The budget does not hold [`LogPlan::bytes`]; [`outcrop_types::Error::Io`]; [`outcrop_types::Error::DiskFull`].
    pub fn new(setup: LogSetup<'_>, kind: LogKind, combines: bool) -> Result<Self> {
        let file = PageFile::create(setup.spill, setup.plan::<M>(kind, combines).page_size())?;
        Self::over(file, setup, kind, combines)
    }

    fn over(file: PageFile, setup: LogSetup<'_>, kind: LogKind, combines: bool) -> Result<Self> {
        let plan = setup.plan::<M>(kind, combines);
        let held = setup.budget.reserve(plan.bytes(), Purpose::IoBuffers)?;
        let (pages, lists) = (plan.pages(), index_from(plan.lists()));
        let intervals = Intervals::new(setup.intervals)?;
        let pool = |low| {
            Arc::new(Pool::new(lists, (pages, low, plan.numbers()), file, setup.budget, setup.workers.cancellation()))
        };
        let (pool, writing) = match kind {
            LogKind::Multi => {
                let pool = pool((pages / 8).max(1));
                (Arc::clone(&pool), Way::Multi(Evictor::start(&pool)?))
            }
            LogKind::Single => {
                let sorter = Sorter::new(setup.intervals, setup.spill, pages, plan.page_size())?;
                (pool(pages / 2), Way::Single(Box::new(sorter), intervals.together()?))
            }
        };
        let slots = (0..plan.slots).map(|_| Mutex::new(Slot::new::<M>(lists, plan.page_size(), combines))).collect();
        Ok(Self { way: writing, pool, slots, intervals, delivered: AtomicU64::new(0), _held: held })
    }

    /// Takes what the worker with this slot ([`Workers::run`]) sends, until it is dropped. One at a time for each slot.
    pub fn writer(&self, slot: usize) -> LogWriter<'_, M> {
        let (intervals, sorter) = match &self.way {
            Way::Multi(_) => (&self.intervals, None),
            Way::Single(sorter, all) => (all, Some(&**sorter)),
        };
        LogWriter::new(self.slot(slot), intervals, &self.pool, sorter)
    }

    fn slot(&self, slot: usize) -> MutexGuard<'_, Slot> {
        self.slots[slot].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reports what went wrong while messages were sent, or written to disk.
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

    /// Number of messages that wait for an interval, however they were combined: it does not depend on the number of threads. Those that
    /// are being sent are not counted yet. In a single log messages that were not sorted yet, which may be to any interval, count for each.
    pub fn waiting(&self, interval: usize) -> u64 {
        match &self.way {
            Way::Multi(_) => self.pool.waiting(interval),
            Way::Single(sorter, _) => sorter.waiting(interval, &self.pool),
        }
    }

    /// Takes what waits for an interval; what is sent from now on is not in it. Nothing is being sent at the time. A single log sorts what was
    /// sent when all that it sorted before was taken: until then that is all there is to take.
    ///
    /// # Errors
    /// As [`MessageLog::check`] says; of a single log also failed reads and writes, and interruption.
    pub fn take<C: Combine<M>>(&self, interval: usize, combine: &C) -> Result<Taken> {
        self.check()?;
        if let Way::Single(sorter, _) = &self.way {
            let tops = (0..self.slots.len()).filter_map(|slot| self.slot(slot).take(0));
            return sorter.take(interval, &self.pool, tops, combine);
        }
        let range = self.intervals.range(interval);
        if self.pool.waiting(interval) == 0 {
            return Ok(Taken { range, count: 0, bytes: 0, kept: Kept::Nothing });
        }
        let tops = (0..self.slots.len()).filter_map(|slot| self.slot(slot).take(interval)).collect();
        let (list, count, bytes) = self.pool.take(interval, tops);
        Ok(Taken { range, count, bytes, kept: Kept::Pages { pool: Arc::clone(&self.pool), list } })
    }

    /// Figures of what was done so far; what is being sent is not counted yet.
    pub fn figures(&self) -> LogFigures {
        let (bytes_read, bytes_written) = match &self.way {
            Way::Multi(_) => self.pool.file.traffic(),
            Way::Single(sorter, _) => sorter.traffic(),
        };
        let sent = (0..self.slots.len()).map(|slot| self.slot(slot).sent()).sum();
        LogFigures { sent, delivered: self.delivered.load(Relaxed), bytes_written, bytes_read }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use outcrop_types::{Cancellation, Error};

    struct Keep;

    impl Combine<u32> for Keep {
        const COMBINES: bool = false;

        fn combine(&self, one: u32, _: u32) -> u32 {
            one
        }
    }

    #[test]
    fn a_full_disk_is_told_to_all_and_stops_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let setup = LogSetup {
            intervals: &[VertexRange::new(0, 1000)],
            page_bytes: 4096,
            memory: 0,
            messages: 0,
            spill: &SpillFolder::new(folder.path()).unwrap(),
            workers: &Workers::start(2, Cancellation::new()).unwrap(),
            budget: &MemoryBudget::new(1 << 20),
        };
        let full = std::fs::File::options().read(true).write(true).open("/dev/full").unwrap();
        let log = MessageLog::over(PageFile::over(full, folder.path(), 4096), setup, LogKind::Multi, false).unwrap();
        let send = |slot: usize| {
            let mut writer = log.writer(slot);
            (0..1_000_000).for_each(|message| writer.send(&[message % 1000], message, &Keep));
            Ok(())
        };
        setup.workers.run(false, &send).unwrap();
        for _ in 0..2 {
            let error = log.check().unwrap_err();
            assert!(matches!(&error, Error::DiskFull { path, .. } if path == folder.path()), "{error}");
            assert_eq!(log.take(0, &Keep).unwrap_err().exit_code(), 5);
        }
    }
}
