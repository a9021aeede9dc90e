//! The multi-log: pages of each interval in memory, or on disk if they do not fit (section V.A).

use super::drained::Drained;
use super::intervals::Intervals;
use super::pages::{Evictor, Pool};
use super::plan::{LogPlan, LogSetup};
use super::top::Slot;
use outcrop_io::PageFile;
use outcrop_types::Result;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Logs of all intervals, one per interval.
#[derive(Debug)]
pub(super) struct MultiLog {
    pub(super) pool: Arc<Pool>,
    slots: Vec<Mutex<Slot>>,
    /// Thread that writes pages to disk; it ends when this is dropped.
    _evictor: Evictor,
}

impl MultiLog {
    pub(super) fn new<M>(file: PageFile, setup: &LogSetup<'_>, plan: &LogPlan) -> Result<Self> {
        let (pages, intervals) = (plan.pages(), setup.intervals.len());
        let low = (pages / 8).max(1);
        let cancellation = setup.workers.cancellation();
        let pool = Arc::new(Pool::new(intervals, (pages, low, plan.numbers()), file, setup.budget, cancellation));
        let slot = |_| Mutex::new(Slot::new::<M>(intervals, plan.page_size(), plan.combines));
        Ok(Self { _evictor: Evictor::start(&pool)?, pool, slots: (0..plan.slots).map(slot).collect() })
    }

    pub(super) fn slot(&self, slot: usize) -> MutexGuard<'_, Slot> {
        self.slots[slot].lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn slots(&self) -> impl Iterator<Item = MutexGuard<'_, Slot>> {
        (0..self.slots.len()).map(|slot| self.slot(slot))
    }

    /// Takes the pending messages of an interval.
    pub(super) fn drain(&self, interval: usize, intervals: &Intervals) -> Drained {
        if self.pool.waiting(interval) == 0 {
            return Drained::nothing(intervals.range(interval));
        }
        let tops = self.slots().filter_map(|mut slot| slot.take(interval)).collect();
        let (list, count, bytes) = self.pool.take(interval, tops);
        Drained::of_pages(intervals.range(interval), count, bytes, &self.pool, list)
    }

    /// Returns the number of messages sent by finished workers.
    pub(super) fn sent(&self) -> u64 {
        self.slots().map(|slot| slot.sent).sum()
    }
}
