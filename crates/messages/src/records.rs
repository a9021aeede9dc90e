//! Records that programs write down for good, by key: a log for each interval of keys, like that of messages.

use super::log::{Combine, GroupSpace, LogPlan, LogSetup, LogWriter, MessageLog, PAGE_BYTES, page_bytes_for};
use outcrop_engine::Plain;
use outcrop_engine::State;
use outcrop_io::SpillFolder;
use outcrop_store::access::Workers;
use outcrop_types::{MemoryBudget, Result, VertexRange, length_from};

/// The most intervals of keys.
const MOST_INTERVALS: u64 = 1024;
/// The least pages for each interval and slot.
const PAGES_EACH: u64 = 4;

/// Setup that a log of records works with.
#[derive(Clone, Copy, Debug)]
pub struct RecordSetup<'g> {
    /// Keys are below this.
    pub keys: u32,
    /// Memory for records on their way to disk, in bytes: see [`LogPlan::memory`].
    pub memory: u64,
    /// Expected number of records, as far as that is known beforehand; there may be any number.
    pub records: u64,
    /// Folder for records that do not fit memory.
    pub spill: &'g SpillFolder,
    /// The threads.
    pub workers: &'g Workers,
    /// Memory budget that pays for it all.
    pub budget: &'g MemoryBudget,
}

impl RecordSetup<'_> {
    /// Memory that the log reserves, in bytes: see [`LogPlan::bytes`].
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

/// Takes records while a program runs.
#[derive(Debug)]
pub struct RecordLog<R> {
    log: MessageLog<R>,
    page_bytes: usize,
    budget: MemoryBudget,
}

impl<R: Plain> RecordLog<R> {
    /// A log without records.
    ///
    /// # Errors
    /// The budget is too small; [`outcrop_types::Error::DiskFull`]; [`outcrop_types::Error::Io`].
    pub fn new(setup: RecordSetup<'_>) -> Result<Self> {
        let RecordSetup { memory, records: messages, spill, workers, budget, .. } = setup;
        let intervals = setup.intervals();
        let page_bytes = page_bytes_for(memory, intervals.len(), workers.slots());
        let setup = LogSetup { intervals: &intervals, page_bytes, memory, messages, spill, workers, budget };
        Ok(Self { log: MessageLog::new(setup, false)?, page_bytes, budget: budget.clone() })
    }

    /// Takes what the worker with this slot writes down, until it is dropped.
    pub fn writer(&self, slot: usize) -> RecordWriter<'_, R> {
        RecordWriter(self.log.writer(slot))
    }

    /// Shows the records so far.
    pub(super) fn visit(&self, state: &mut State<'_>) -> Result<()> {
        self.log.visit(state, &Keep)
    }

    /// Reports what went wrong so far.
    ///
    /// # Errors
    /// [`outcrop_types::Error::DiskFull`], [`outcrop_types::Error::Io`]; a key that there cannot be.
    pub fn check(&self) -> Result<()> {
        self.log.check()
    }

    /// Returns what was written down; nothing is being written any more.
    ///
    /// # Errors
    /// As for [`RecordLog::check`].
    pub fn finish(self) -> Result<Records<R>> {
        self.check()?;
        Ok(Records { kept: self })
    }
}

/// Takes the records of one worker.
pub struct RecordWriter<'l, R>(LogWriter<'l, R>);

impl<R: Plain> RecordWriter<'_, R> {
    /// Writes a record down under `key`. What goes wrong is kept for [`RecordLog::check`].
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

/// Records in a log of intervals of keys.
#[derive(Debug)]
pub struct Records<R> {
    kept: RecordLog<R>,
}

impl<R: Plain> Records<R> {
    /// Number of records.
    pub fn len(&self) -> u64 {
        (0..self.kept.log.intervals()).map(|interval| self.kept.log.waiting(interval)).sum()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes that were written to disk and read from it so far.
    pub fn traffic(&self) -> (u64, u64) {
        let figures = self.kept.log.figures();
        (figures.bytes_written, figures.bytes_read)
    }

    /// Hands over all records, keys ascending: some consecutive keys at a time, with where the records of each begin
    /// (and the end of the last) among the records, those of one key in no particular order. What was handed over is
    /// forgotten. Takes `memory` bytes for a block, or what the budget has left.
    ///
    /// # Errors
    /// A failed or damaged read; what `take` returns; interruption; records of one key that do not fit.
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
