//! A file of lists and the readers of all workers, with the lists that are held beside it.

use super::task::WorkerReads;
use crate::access::{AccessStatistics, Packer, Workers};
use crate::component::Component;
use crate::selection::StaticLists;
use outcrop_io::{MergePolicy, Reader};
use outcrop_types::{Error, Reservation, Result, VertexId, length_from};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// The longest merged request, and the longest list that comes in one; a larger chunk is a request by itself.
pub const LONGEST_REQUEST: u64 = 256 << 10;
/// Most members, and most list entries, of a sparse set that one thread reads by itself. Waking the workers takes
/// longer, and far longer on a machine that is busy with other things: road networks have thousands of such frontiers.
pub const SERIAL_MEMBERS: usize = 1 << 12;
pub const SERIAL_ENTRIES: u64 = 1 << 15;
/// Requests in flight of one worker.
const DEPTH: usize = 128;

/// The file with the lists of one direction, open for reading by all workers.
pub struct ListFile {
    /// The file.
    pub component: Component,
    /// The threads that read.
    pub workers: Workers,
    /// Rule for merging neighbouring requests; none becomes longer than [`LONGEST_REQUEST`].
    pub merge: MergePolicy,
    /// Counts of reads so far.
    pub statistics: AccessStatistics,
    /// Lists that come from the static cache.
    pub statics: Option<StaticLists>,
    /// The largest unit that is always read whole.
    largest_unit: usize,
    readers: Vec<Mutex<Option<Box<dyn Reader>>>>,
    /// The buffers of all workers, and what else is held as long as the lists are open.
    buffers: Reservation,
    /// Bytes of these that are free between two runs, and those that are free now.
    reading_bytes: u64,
    suspended: u64,
}

impl ListFile {
    /// The file `component`, of which units up to `largest_unit` are read whole. Of `buffers`, `reading_bytes` are free
    /// between two runs.
    pub fn new(
        component: Component,
        largest_unit: usize,
        merge: MergePolicy,
        workers: &Workers,
        (buffers, reading_bytes): (Reservation, u64),
    ) -> Self {
        Self {
            component,
            workers: workers.clone(),
            merge: MergePolicy { longest_bytes: merge.longest_bytes.min(LONGEST_REQUEST), ..merge },
            statistics: AccessStatistics::default(),
            statics: None,
            largest_unit,
            readers: (0..workers.slots()).map(|_| Mutex::new(None)).collect(),
            buffers,
            reading_bytes,
            suspended: 0,
        }
    }

    /// Gives back the read buffers until [`ListFile::resume`].
    pub fn suspend(&mut self) {
        self.readers.iter_mut().for_each(|reader| *reader = Mutex::default());
        self.suspended = self.reading_bytes;
        self.buffers.shrink_to(self.buffers.bytes().saturating_sub(self.suspended));
    }

    /// Goes on with `workers`, as many as before, and counts what is read from 0.
    ///
    /// # Errors
    /// The budget is too small for the read buffers.
    pub fn resume(&mut self, workers: &Workers) -> Result<()> {
        self.buffers.grow_to(self.buffers.bytes() + std::mem::take(&mut self.suspended))?;
        self.workers = workers.with_buffers_of(&self.workers);
        self.statistics = AccessStatistics::default();
        Ok(())
    }

    /// Takes the lists that are in `statics` from there from now on.
    pub fn use_static(&mut self, statics: StaticLists) {
        self.statistics.count_loading(statics.reads());
        self.statics = Some(statics);
    }

    /// Packs the list of `vertex` where it is in the static cache; whether it is.
    #[inline]
    pub fn pack_static(&self, vertex: VertexId, packer: &mut Packer<'_>) -> Result<bool> {
        match &self.statics {
            Some(statics) => statics.pack(vertex, packer),
            None => Ok(false),
        }
    }

    /// Entries and bytes of the list of `vertex`, where it is in the static cache.
    #[inline]
    pub fn static_size(&self, vertex: VertexId) -> Option<(u64, u64)> {
        self.statics.as_ref()?.size_of(vertex)
    }

    /// Runs the reads that `begin` makes on every worker, many requests in flight, or on the calling thread alone;
    /// `stop` is called where one fails.
    ///
    /// # Errors
    /// The first of them.
    pub fn read_all<R: WorkerReads>(
        &self,
        alone: bool,
        begin: &(dyn Fn() -> R + Sync),
        stop: &(dyn Fn() + Sync),
    ) -> Result<()> {
        self.workers.run(alone, &|slot| self.read(slot, DEPTH, begin()).inspect_err(|_| stop()))
    }

    /// Runs the reads that `begin` makes of each of `items`, one request at a time, as workers get to them.
    ///
    /// # Errors
    /// The first of them.
    pub fn read_each<I: Sync, R: WorkerReads>(
        &self,
        alone: bool,
        items: &[I],
        begin: &(dyn Fn(&I) -> R + Sync),
    ) -> Result<()> {
        let next = AtomicUsize::new(0);
        self.workers.run(alone || items.len() <= 1, &|slot| {
            while let Some(item) = items.get(next.fetch_add(1, Relaxed)) {
                self.read(slot, 1, begin(item)).inspect_err(|_| next.store(items.len(), Relaxed))?;
            }
            Ok(())
        })
    }

    fn read<R: WorkerReads>(&self, slot: usize, depth: usize, mut reads: R) -> Result<()> {
        let reader = self.readers.get(slot).ok_or_else(|| Error::internal(format!("worker {slot} has no reader")))?;
        let mut reader = reader.lock().unwrap_or_else(PoisonError::into_inner);
        let reader = match &mut *reader {
            Some(reader) => reader,
            vacant => {
                let bytes = buffer_bytes(&self.workers, slot, self.largest_unit);
                vacant.insert(self.component.device().reader(bytes)?)
            }
        };
        let waited = reader.read_many(depth, &mut reads)?;
        self.statistics.count_waiting(waited);
        reads.finish()
    }
}

/// The slots of workers that have buffers.
pub fn buffered_slots(workers: &Workers) -> Range<usize> {
    if workers.threads() == 1 { 1..2 } else { 0..workers.slots() }
}

/// Memory of the read buffers of all workers, with `more` bytes for each.
pub fn buffers_of(workers: &Workers, largest_unit: usize, more: u64) -> u64 {
    let buffers = buffered_slots(workers).map(|slot| length_from(buffer_bytes(workers, slot, largest_unit)) + more);
    buffers.sum()
}

/// Beside the largest unit there is room for smaller ones.
fn buffer_bytes(workers: &Workers, slot: usize, largest_unit: usize) -> usize {
    let share = workers.read_buffer_bytes(slot);
    (largest_unit + share / 4).max(share).next_multiple_of(4096)
}
