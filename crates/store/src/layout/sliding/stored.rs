//! Shards of a store of this layout.

use super::format::{BLOCKS_NAME, largest_of, load_table};
use super::shards::{BlockShards, Reading, ShardTable, StoredFile};
use crate::component::Component;
use crate::layout::sliding::entry::SlidingEntry;
use crate::store::Store;
use outcrop_io::{Backend, Device, IoChoice};
use outcrop_types::{Cancellation, Error, MemoryBudget, Purpose, Result};
use std::sync::Arc;

/// Shards of a store of the `sliding` layout, without its updates.
pub type StoredShards = BlockShards<StoredFile>;

impl StoredShards {
    /// Returns the memory of the open table, in bytes. Loading takes another [`Component::READER_BYTES`].
    pub const fn bytes(entry: &SlidingEntry) -> u64 {
        ShardTable::bytes(entry.intervals)
    }

    /// Opens the shards of a store, for up to `threads` threads.
    ///
    /// # Errors
    /// Returns an error if the store has no shards, if they are damaged, or if the budget is too small.
    pub fn open(
        store: &Store,
        io: IoChoice,
        threads: usize,
        budget: &MemoryBudget,
        cancellation: &Cancellation,
    ) -> Result<Self> {
        Self::open_through(store, io, threads, (budget, cancellation), |device| device)
    }

    /// Calls [`StoredShards::open`] with a wrapper around the device of the shards, for tests of failing or counting
    /// devices.
    ///
    /// # Errors
    /// See [`StoredShards::open`].
    #[doc(hidden)]
    pub fn open_through(
        store: &Store,
        io: IoChoice,
        threads: usize,
        (budget, cancellation): (&MemoryBudget, &Cancellation),
        wrap: impl FnOnce(Arc<dyn Device>) -> Arc<dyn Device>,
    ) -> Result<Self> {
        let entry = entry_of(store)?;
        let _reader = budget.reserve(Component::READER_BYTES, Purpose::IoBuffers)?;
        let table = load_table(store, entry, io, budget)?;
        let blocks = store.component(BLOCKS_NAME, io)?.through(wrap);
        if blocks.device().len() < table.end() {
            return Err(Error::corrupt(blocks.path(), "it is shorter than its blocks"));
        }
        let file = StoredFile::new(Arc::clone(blocks.device()), threads);
        Ok(Self::new(file, table, blocks.seal(), cancellation))
    }

    /// Returns the memory of a thread while it reads, in bytes.
    pub const fn reading_bytes_of(entry: &SlidingEntry, weighted: bool) -> u64 {
        reading_of(entry, weighted).bytes()
    }

    /// Returns the I/O backend for reading blocks.
    pub fn backend(&self) -> Backend {
        self.file().device().backend()
    }
}

/// Returns the manifest entry of the shards.
///
/// # Errors
/// Returns an error if the store has no shards.
pub(super) fn entry_of(store: &Store) -> Result<&SlidingEntry> {
    let none = || Error::corrupt(store.folder(), "it has no shards");
    store.manifest().lists.sliding.as_ref().ok_or_else(none)
}

/// Returns the memory figures of a reading thread for the shards of a manifest entry.
pub(super) const fn reading_of(entry: &SlidingEntry, weighted: bool) -> Reading {
    let (intervals, bytes) = (entry.intervals, entry.block_bytes);
    Reading { intervals, bytes, largest: largest_of(entry), weighted, buffers: StoredFile::BUFFER_BYTES }
}

/// Returns the error for pinned lists, which this layout does not support.
#[cold]
pub fn no_static_cache() -> Error {
    let message = "the layout sliding does not support pinned lists, because it reads whole shards; use `outcrop convert` to change the layout";
    Error::Usage(message.to_owned())
}
