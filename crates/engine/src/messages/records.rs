//! What programs wrote down, by key.

use super::log::{GroupSpace, MessageLog, PAGE_BYTES};
use super::program::Plain;
use super::worker::Apart;
use outcrop_types::{MemoryBudget, Result, VertexRange};

/// Records in a log of intervals of keys.
#[derive(Debug)]
pub struct Records<R> {
    log: MessageLog<R>,
    space: GroupSpace<R>,
}

/// Intervals of keys: as many as let a log of few pages hold them all.
const INTERVALS: u32 = 16;

impl<R: Plain> Records<R> {
    /// The intervals of the log that is to hold records with `keys` keys.
    pub(super) fn intervals(keys: u32) -> Vec<VertexRange> {
        let length = keys.div_ceil(INTERVALS).max(1);
        let starts = (0..keys.max(1)).step_by(length as usize);
        starts.map(|start| VertexRange::new(start, keys.max(1).min(start.saturating_add(length)))).collect()
    }

    /// Records that are in `log`, and so many bytes of memory to sort them in.
    ///
    /// # Errors
    /// The budget is too small.
    pub(super) fn new(log: MessageLog<R>, memory: u64, budget: &MemoryBudget) -> Result<Self> {
        let space = GroupSpace::new(memory, PAGE_BYTES, false, budget)?;
        Ok(Self { log, space })
    }

    /// How many records there are.
    pub fn len(&self) -> u64 {
        (0..self.log.intervals()).map(|interval| self.log.waiting(interval)).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Hands over all records, keys ascending: those of some consecutive keys at a time, as `(key, records)`, the records of a key in no
    /// particular order. What was handed over is forgotten.
    ///
    /// # Errors
    /// A failed or damaged read; what `take` returns; interruption; records of one key that do not fit the memory.
    pub fn for_each_key(mut self, mut take: impl FnMut(u32, &mut [R]) -> Result<()>) -> Result<()> {
        for interval in 0..self.log.intervals() {
            let mut taken = [self.log.take(interval, &Apart)?];
            let range = taken[0].range();
            let mut from = range.start;
            while from < range.end && taken[0].count() > 0 {
                from = self.log.load(&mut taken, from, &mut self.space, &Apart)?;
                let mut grouped = self.space.all();
                let keys: Vec<u32> = grouped.vertices().collect();
                keys.into_iter().try_for_each(|key| take(key, grouped.of(key)))?;
            }
        }
        Ok(())
    }
}
