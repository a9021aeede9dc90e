//! Storage for block data, in memory if it fits, otherwise in a temporary file: edge values, dynamic shards, and
//! delayed changes.

use bytemuck::Pod;
use outcrop_engine::State;
use outcrop_io::{PageFile, SpillFolder};
use outcrop_types::{Error, Purpose, Reservation, Result, length_from};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use xxhash_rust::xxh3::xxh3_64;

/// Alignment of places in a file, in bytes.
const PAGE_BYTES: usize = 64;
/// Maximum bytes per block.
const MOST_BYTES: u64 = 1 << 40;

/// Memory for blocks, and counters of the blocks on disk. All stores of a run share it.
#[derive(Debug)]
pub(crate) struct SpillPool {
    left: AtomicU64,
    read: AtomicU64,
    written: AtomicU64,
    disk: AtomicU64,
    peak_disk: AtomicU64,
    /// Files of closed stores, for reuse: overwriting a file is faster than freeing its space.
    spare: Mutex<Vec<StoreFile>>,
    _held: Reservation,
}

/// Temporary file, and the number of its bytes in use so far.
#[derive(Debug)]
struct StoreFile {
    pages: PageFile,
    reached: AtomicU64,
}

impl SpillPool {
    /// Reserves `bytes` bytes of memory from the budget.
    pub(crate) fn new(bytes: u64, budget: &outcrop_types::MemoryBudget) -> Result<Self> {
        let [read, written, disk, peak_disk] = [0; 4].map(AtomicU64::new);
        let held = budget.reserve(bytes, Purpose::HeldLists)?;
        let (left, spare) = (AtomicU64::new(bytes), Mutex::default());
        Ok(Self { left, read, written, disk, peak_disk, spare, _held: held })
    }

    fn take(&self, bytes: u64) -> bool {
        self.left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(bytes)).is_ok()
    }

    /// Returns a file for a store.
    fn file(&self, spill: &SpillFolder) -> Result<StoreFile> {
        match lock(&self.spare).pop() {
            Some(file) => Ok(file),
            None => {
                let (pages, reached) = (PageFile::new(spill, PAGE_BYTES), AtomicU64::new(0));
                Ok(StoreFile { pages, reached })
            }
        }
    }

    fn grow_disk(&self, bytes: u64) {
        let before = self.disk.fetch_add(bytes, Relaxed);
        self.peak_disk.fetch_max(before + bytes, Relaxed);
    }

    /// Returns the bytes of temporary files read and written so far.
    pub(crate) fn traffic(&self) -> (u64, u64) {
        (self.read.load(Relaxed), self.written.load(Relaxed))
    }

    /// Starts a run; returns the bytes read and written before. The temporary files of earlier runs are deleted.
    pub(crate) fn begin_run(&self) -> (u64, u64) {
        let unused = lock(&self.spare).drain(..).map(|file| file.reached.into_inner()).sum::<u64>();
        self.disk.fetch_sub(unused, Relaxed);
        self.peak_disk.store(self.disk.load(Relaxed), Relaxed);
        self.traffic()
    }

    /// Returns the peak size of temporary files since the last run started, in bytes.
    pub(crate) fn peak_disk(&self) -> u64 {
        self.peak_disk.load(Relaxed)
    }
}

/// Block of a store.
#[derive(Debug, Default)]
pub(crate) struct Cell {
    /// Memory for the bytes; if they are longer, they are in the file.
    held: Box<[u8]>,
    /// Place in the file, which remains reserved while the bytes are in memory, and its capacity.
    first_page: u64,
    room: usize,
    length: usize,
    checksum: u64,
}

impl Cell {
    /// Returns the number of stored bytes.
    pub(crate) const fn length(&self) -> usize {
        self.length
    }
}

/// Cells of all blocks; one thread at a time uses each.
pub(crate) type Cells = Vec<Mutex<Cell>>;

/// Returns `count` empty cells.
pub(crate) fn empty_cells(count: usize) -> Cells {
    (0..count).map(|_| Mutex::default()).collect()
}

/// Memory per cell, in bytes.
pub(crate) const CELL_BYTES: u64 = size_of::<Mutex<Cell>>() as u64;

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Temporary file, created on first use, and the memory that avoids it.
#[derive(Debug)]
pub(crate) struct BlockStore<'g> {
    pool: &'g SpillPool,
    spill: &'g SpillFolder,
    file: OnceLock<Box<StoreFile>>,
    next_page: AtomicU64,
    held: AtomicU64,
}

impl<'g> BlockStore<'g> {
    pub(crate) fn new(pool: &'g SpillPool, spill: &'g SpillFolder) -> Self {
        Self { pool, spill, file: OnceLock::new(), next_page: AtomicU64::new(0), held: AtomicU64::new(0) }
    }

    fn file(&self) -> Result<&StoreFile> {
        if let Some(file) = self.file.get() {
            return Ok(file);
        }
        let file = Box::new(self.pool.file(self.spill)?);
        if let Err(other) = self.file.set(file) {
            lock(&self.pool.spare).push(*other);
        }
        self.file.get().map(|file| &**file).ok_or_else(|| Error::internal("a block store has no file"))
    }

    /// Frees the memory of a cell, whose bytes are no longer needed. Its place in the file is not reused.
    pub(crate) fn release(&self, cell: &mut Cell) {
        let freed = length_from(std::mem::take(&mut cell.held).len());
        self.held.fetch_sub(freed, Relaxed);
        self.pool.left.fetch_add(freed, Relaxed);
        cell.length = 0;
    }

    /// Replaces the bytes of a cell: in memory if there is room, also if they were in the file before.
    ///
    /// # Errors
    /// Returns an error if the disk is full or a write fails.
    pub(crate) fn put(&self, cell: &mut Cell, bytes: &[u8]) -> Result<()> {
        let (needed, grown) = (length_from(bytes.len()), cell.room > 0 || !cell.held.is_empty());
        if let Some(held) = cell.held.get_mut(..bytes.len()) {
            held.copy_from_slice(bytes);
            cell.length = bytes.len();
            return Ok(());
        }
        self.release(cell);
        cell.length = bytes.len();
        if self.pool.take(needed) {
            self.held.fetch_add(needed, Relaxed);
            cell.held = bytes.into();
            return Ok(());
        }
        if bytes.len() > cell.room {
            // A block that has grown is likely to grow again.
            cell.room = if grown { bytes.len().next_power_of_two() } else { bytes.len() };
            cell.first_page = self.place(length_from(cell.room))?;
        }
        cell.checksum = xxh3_64(bytes);
        self.file()?.pages.write(cell.first_page, std::iter::once(bytes))?;
        self.pool.written.fetch_add(needed, Relaxed);
        Ok(())
    }

    /// Returns the first page of a new place for `bytes` bytes in the file.
    fn place(&self, bytes: u64) -> Result<u64> {
        let (file, pages) = (self.file()?, bytes.div_ceil(length_from(PAGE_BYTES)));
        let first = self.next_page.fetch_add(pages, Relaxed);
        let end = (first + pages) * length_from(PAGE_BYTES);
        let reached = file.reached.fetch_max(end, Relaxed);
        self.pool.grow_disk(end.saturating_sub(reached));
        Ok(first)
    }

    /// Reads the bytes of a cell as numbers.
    ///
    /// # Errors
    /// Returns an error if a read fails or the bytes differ from the stored ones.
    pub(crate) fn get<T: Pod>(&self, cell: &Cell, into: &mut Vec<T>) -> Result<()> {
        into.resize(cell.length / size_of::<T>().max(1), T::zeroed());
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(into);
        if let Some(held) = cell.held.get(..bytes.len()) {
            bytes.copy_from_slice(held);
            return Ok(());
        }
        let file = &self.file()?.pages;
        file.read(cell.first_page, bytes)?;
        self.pool.read.fetch_add(length_from(bytes.len()), Relaxed);
        if xxh3_64(bytes) != cell.checksum {
            return Err(Error::corrupt(file.folder(), "a temporary file in this folder has a wrong checksum"));
        }
        Ok(())
    }

    /// Serializes the bytes of a cell through the buffer `bytes`.
    pub(crate) fn visit(&self, cell: &mut Cell, bytes: &mut Vec<u8>, state: &mut State<'_>) -> Result<()> {
        if state.restores() {
            state.list(bytes, MOST_BYTES)?;
            return self.put(cell, bytes);
        }
        self.get(cell, bytes)?;
        state.list(bytes, MOST_BYTES)
    }

    /// Prefetches the bytes of a cell.
    pub(crate) fn prefetch(&self, cell: &Cell) {
        if let (true, Some(file)) = (cell.length > cell.held.len(), self.file.get()) {
            file.pages.prefetch(cell.first_page, length_from(cell.length.div_ceil(PAGE_BYTES)));
        }
    }
}

impl Drop for BlockStore<'_> {
    fn drop(&mut self) {
        self.pool.left.fetch_add(self.held.load(Relaxed), Relaxed);
        lock(&self.pool.spare).extend(self.file.take().map(|file| *file));
    }
}
