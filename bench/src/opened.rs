//! Store opened without the library, for computing orders, selections and subgraphs.

use outcrop::{OpenOptions, Result};
use outcrop_io::{IoChoice, Utilization};
use outcrop_store::Store;
use outcrop_store::access::Workers;
use outcrop_store::layout::compact::IndexResidence;
use outcrop_store::layout::{ListOptions, StoredLists, degrees};
use outcrop_types::{Direction, MemoryBudget, VertexValues};
use std::path::Path;

/// Store with memory and threads for computations on its lists.
pub(crate) struct Opened {
    pub(crate) store: Store,
    pub(crate) workers: Workers,
    pub(crate) budget: MemoryBudget,
    pub(crate) io: IoChoice,
}

impl Opened {
    /// Opens the store in `folder` with the memory, threads and cancellation of `options`.
    ///
    /// # Errors
    /// Returns an error if the store is damaged or threads cannot be started.
    pub(crate) fn open(folder: &Path, options: &OpenOptions) -> Result<Self> {
        let threads = options.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, Into::into));
        Ok(Self {
            store: Store::open(folder)?,
            workers: Workers::start(threads, options.cancellation.clone())?,
            budget: MemoryBudget::new(options.memory.bytes()),
            io: options.io,
        })
    }

    pub(crate) fn vertices(&self) -> u32 {
        self.store.manifest().graph.vertices
    }

    /// Opens the lists of `direction`; the page cache gets the free memory except for `reserved` bytes.
    pub(crate) fn lists(&self, direction: Direction, reserved: u64) -> Result<StoredLists> {
        let direction = self.store.stored(direction);
        let all = StoredLists::cache_bytes_for_all(&self.store, direction, Utilization::Ignored);
        let rest = self.budget.available().saturating_sub(reserved.saturating_add(self.reading(direction)));
        let options = ListOptions { cache_bytes: rest.min(all), ..ListOptions::once(self.io) };
        StoredLists::open(&self.store, direction, &options, &self.budget, &self.workers)
    }

    /// Returns the memory for reading the lists of `direction` without a cache, in bytes.
    pub(crate) fn reading(&self, direction: Direction) -> u64 {
        StoredLists::memory(&self.store, direction, &self.workers, IndexResidence::Resident).total()
    }

    pub(crate) fn degrees(&self, direction: Direction) -> Result<VertexValues<u32>> {
        degrees(&self.store, direction, self.io, &self.budget, self.workers.cancellation())
    }
}
