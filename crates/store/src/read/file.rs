//! File of lists shared by the readers of all workers, with the lists in the static cache.

use super::task::WorkerReads;
use crate::access::{AccessStatistics, Packer, Workers};
use crate::component::Component;
use crate::selection::StaticLists;
use outcrop_io::{MergePolicy, Reader};
use outcrop_types::{Error, Reservation, Result, VertexId, length_from};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Maximum length of a merged request, and of a list read in one request; a larger chunk is a request of its own.
pub(crate) const LONGEST_REQUEST: u64 = 256 << 10;
/// Maximum number of members, and of list entries, of a sparse set that one thread reads alone. Waking the workers
/// takes longer, especially on a busy machine: road networks have thousands of such frontiers.
pub(crate) const SERIAL_MEMBERS: usize = 1 << 12;
pub(crate) const SERIAL_ENTRIES: u64 = 1 << 15;
/// Requests in flight per worker.
const DEPTH: usize = 128;

/// File with the lists of one direction, open for reading by all workers.
pub(crate) struct ListFile {
    /// The file.
    pub component: Component,
    /// Threads that read.
    pub workers: Workers,
    /// Rule for merging adjacent requests; the result is at most [`LONGEST_REQUEST`] long.
    pub merge: MergePolicy,
    /// Read counters.
    pub statistics: AccessStatistics,
    /// Lists in the static cache.
    pub statics: Option<StaticLists>,
    /// Size of the largest unit that is always read as a whole.
    largest_unit: usize,
    readers: Vec<Mutex<Option<Box<dyn Reader>>>>,
    /// Reservation of the buffers of all workers and of other memory used while the lists are open.
    buffers: Reservation,
    /// Part of the reservation that is released between two runs, in bytes, and the part released now.
    reading_bytes: u64,
    suspended: u64,
}

impl ListFile {
    /// Creates the reader of `component`, in which units of up to `largest_unit` are read as a whole. `reading_bytes`
    /// of `buffers` are released between two runs.
    pub(crate) fn new(
        component: Component,
        largest_unit: usize,
        merge: MergePolicy,
        workers: &Workers,
        buffers: Reservation,
        reading_bytes: u64,
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

    /// Releases the read buffers until [`ListFile::resume`].
    pub(crate) fn suspend(&mut self) {
        self.readers.iter_mut().for_each(|reader| *reader = Mutex::default());
        self.suspended = self.reading_bytes;
        self.buffers.shrink_to(self.buffers.bytes().saturating_sub(self.suspended));
    }

    /// Resumes with `workers`, which must be of the same number as before, and resets the read counters.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget is too small for the read buffers.
    pub(crate) fn resume(&mut self, workers: &Workers) -> Result<()> {
        self.buffers.grow_to(self.buffers.bytes() + std::mem::take(&mut self.suspended))?;
        self.workers = workers.with_buffers_of(&self.workers);
        self.statistics = AccessStatistics::default();
        Ok(())
    }

    /// Uses the static cache `statics` for the lists in it.
    pub(crate) fn use_static(&mut self, statics: StaticLists) {
        self.statistics.count_loading(statics.reads());
        self.statics = Some(statics);
    }

    /// Packs the list of `vertex` if it is in the static cache; returns true if it is.
    #[inline]
    pub(crate) fn pack_static(&self, vertex: VertexId, packer: &mut Packer<'_>) -> Result<bool> {
        match &self.statics {
            Some(statics) => statics.pack(vertex, packer),
            None => Ok(false),
        }
    }

    /// Returns the entries and bytes of the list of `vertex` if it is in the static cache.
    #[inline]
    pub(crate) fn static_size(&self, vertex: VertexId) -> Option<(u64, u64)> {
        self.statics.as_ref()?.size_of(vertex)
    }

    /// Runs the reads that `begin` creates on every worker, with many requests in flight, or only on the calling
    /// thread; calls `stop` if a worker fails.
    ///
    /// # Errors
    ///
    /// Returns the first error of a worker.
    pub(crate) fn read_all<R: WorkerReads>(
        &self,
        alone: bool,
        begin: &(dyn Fn() -> R + Sync),
        stop: &(dyn Fn() + Sync),
    ) -> Result<()> {
        self.workers.run(alone, &|slot| self.read(slot, DEPTH, begin()).inspect_err(|_| stop()))
    }

    /// Runs the reads that `begin` creates for each of `items`, one request at a time, distributed dynamically among
    /// the workers.
    ///
    /// # Errors
    ///
    /// Returns the first error of a worker.
    pub(crate) fn read_each<I: Sync, R: WorkerReads>(
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

/// Returns the slots of workers that have buffers.
pub(crate) fn buffered_slots(workers: &Workers) -> Range<usize> {
    if workers.threads() == 1 { 1..2 } else { 0..workers.slots() }
}

/// Returns the memory of the read buffers of all workers, with `more` bytes for each.
pub(crate) fn buffers_of(workers: &Workers, largest_unit: usize, more: u64) -> u64 {
    let buffers = buffered_slots(workers).map(|slot| length_from(buffer_bytes(workers, slot, largest_unit)) + more);
    buffers.sum()
}

/// Returns the buffer size of a worker: the largest unit, and room for smaller ones.
fn buffer_bytes(workers: &Workers, slot: usize, largest_unit: usize) -> usize {
    let share = workers.read_buffer_bytes(slot);
    (largest_unit + share / 4).max(share).next_multiple_of(4096)
}
