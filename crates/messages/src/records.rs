//! Permanent records of programs, by key: one log per interval of keys, like the message logs.

use super::log::{Combine, GroupSpace, LogPlan, LogSetup, LogWriter, MessageLog, PAGE_BYTES, page_bytes_for};
use outcrop_engine::Plain;
use outcrop_engine::State;
use outcrop_io::SpillFolder;
use outcrop_store::access::Workers;
use outcrop_types::{MemoryBudget, Result, VertexRange, length_from};

/// Maximum number of key intervals.
const MOST_INTERVALS: u64 = 1024;
/// Minimum number of pages per interval and slot.
const PAGES_EACH: u64 = 4;

/// Setup of a record log.
#[derive(Clone, Copy, Debug)]
pub struct RecordSetup<'g> {
    /// Upper bound of the keys, exclusive.
    pub keys: u32,
    /// Memory for records on their way to disk, in bytes; see [`LogPlan::memory`].
    pub memory: u64,
    /// Expected number of records; there may be any number.
    pub records: u64,
    /// Folder for records that do not fit in memory.
    pub spill: &'g SpillFolder,
    /// Worker threads.
    pub workers: &'g Workers,
    /// Memory budget to reserve from.
    pub budget: &'g MemoryBudget,
}

impl RecordSetup<'_> {
    /// Returns the memory that the log reserves, in bytes; see [`LogPlan::bytes`].
    pub fn bytes<R>(&self) -> u64 {
        let (slots, intervals) = (self.workers.slots(), self.intervals().len());
        let page_bytes = page_bytes_for(self.memory, intervals, slots);
        let (memory, messages, message_bytes) = (self.memory, self.records, size_of::<R>());
        LogPlan { intervals, slots, message_bytes, page_bytes, memory, messages, combines: false }.bytes()
    }

    /// Splits the keys into as many intervals as memory allows.
    fn intervals(&self) -> Vec<VertexRange> {
        let slots = self.workers.slots();
        let each = PAGES_EACH * length_from(slots * PAGE_BYTES / 4);
        let number = (self.memory / each).clamp(1, MOST_INTERVALS);
        let length = u64::from(self.keys).div_ceil(number).max(1);
        let number = u64::from(self.keys).div_ceil(length).max(1);
        let bound = |number: u64| (number * length).min(u64::from(self.keys)) as u32;
        (0..number).map(|number| VertexRange::new(bound(number), bound(number + 1))).collect()
    }
}

/// Collects records while a program runs.
#[derive(Debug)]
pub struct RecordLog<R> {
    log: MessageLog<R>,
    page_bytes: usize,
    budget: MemoryBudget,
}

impl<R: Plain> RecordLog<R> {
    /// Creates an empty log.
    ///
    /// # Errors
    /// Returns an error if the budget is too small, on [`outcrop_types::Error::DiskFull`] or
    /// [`outcrop_types::Error::Io`].
    pub fn new(setup: RecordSetup<'_>) -> Result<Self> {
        let RecordSetup { memory, records: messages, spill, workers, budget, .. } = setup;
        let intervals = setup.intervals();
        let page_bytes = page_bytes_for(memory, intervals.len(), workers.slots());
        let setup = LogSetup { intervals: &intervals, page_bytes, memory, messages, spill, workers, budget };
        Ok(Self { log: MessageLog::new(setup, false)?, page_bytes, budget: budget.clone() })
    }

    /// Returns the writer of the worker with this slot.
    pub fn writer(&self, slot: usize) -> RecordWriter<'_, R> {
        RecordWriter(self.log.writer(slot))
    }

    /// Serializes the records so far.
    pub(super) fn visit(&self, state: &mut State<'_>) -> Result<()> {
        self.log.visit(state, &Keep)
    }

    /// Reports failures so far.
    ///
    /// # Errors
    /// Returns an error on [`outcrop_types::Error::DiskFull`] or [`outcrop_types::Error::Io`], or if a key is out of
    /// range.
    pub fn check(&self) -> Result<()> {
        self.log.check()
    }

    /// Returns the records. There must be no open writer.
    ///
    /// # Errors
    /// Returns the errors of [`RecordLog::check`].
    pub fn finish(self) -> Result<Records<R>> {
        self.check()?;
        Ok(Records { kept: self })
    }
}

/// Record writer of one worker.
pub struct RecordWriter<'l, R>(LogWriter<'l, R>);

impl<R: Plain> RecordWriter<'_, R> {
    /// Writes a record under `key`. [`RecordLog::check`] reports failures.
    #[inline]
    pub fn record(&mut self, key: u32, record: R) {
        self.0.send(&[key], record, &Keep);
    }
}

/// Records are not combined.
struct Keep;

impl<R: Plain> Combine<R> for Keep {
    const COMBINES: bool = false;

    fn combine(&self, one: R, _: R) -> R {
        one
    }
}

/// Records in a log with key intervals.
#[derive(Debug)]
pub struct Records<R> {
    kept: RecordLog<R>,
}

impl<R: Plain> Records<R> {
    /// Returns the number of records.
    pub fn len(&self) -> u64 {
        (0..self.kept.log.intervals()).map(|interval| self.kept.log.waiting(interval)).sum()
    }

    /// Returns true if there are no records.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the bytes written to disk and read from it so far.
    pub fn traffic(&self) -> (u64, u64) {
        let figures = self.kept.log.figures();
        (figures.bytes_written, figures.bytes_read)
    }

    /// Passes all records to `take` by ascending key, and discards them: blocks of consecutive keys, with the start of
    /// each key's records (and the end of the last), in no particular order within a key. A block uses `memory` bytes,
    /// or the rest of the budget.
    ///
    /// # Errors
    /// Returns an error if a read fails or is damaged, if `take` returns one, if the records of one key do not fit, or
    /// on interruption.
    pub fn for_each_block(
        self,
        memory: u64,
        mut take: impl FnMut(VertexRange, &[u32], &mut [R]) -> Result<()>,
    ) -> Result<()> {
        let RecordLog { log, page_bytes, budget } = self.kept;
        let mut space = GroupSpace::indexed(memory.min(budget.available()), page_bytes, &budget)?;
        for interval in 0..log.intervals() {
            let mut drained = [log.drain(interval, &Keep)?];
            let VertexRange { mut start, end } = drained[0].range();
            while start < end {
                start = log.load(&mut drained, start, &mut space, &Keep)?;
                let (keys, begins, records) = space.indexes();
                take(keys, begins, records)?;
            }
        }
        Ok(())
    }
}
