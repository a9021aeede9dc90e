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

/// Location of a block's bytes.
#[derive(Debug, Default)]
enum Spot {
    #[default]
    Nowhere,
    Held(Vec<u8>),
    Page(u64),
}

/// Block of a store.
#[derive(Debug, Default)]
pub(crate) struct Cell {
    spot: Spot,
    capacity: usize,
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

    /// Returns a place for `bytes` bytes, and its capacity: exact in memory, and in the file for a block that has not
    /// `grown`, because one that has is likely to grow again.
    fn place(&self, bytes: usize, grown: bool) -> Result<(Spot, usize)> {
        let length = length_from(bytes);
        if self.pool.take(length) {
            self.held.fetch_add(length, Relaxed);
            return Ok((Spot::Held(Vec::with_capacity(bytes)), bytes));
        }
        let capacity = if grown { bytes.next_power_of_two() } else { bytes };
        let (file, pages) = (self.file()?, length_from(capacity).div_ceil(length_from(PAGE_BYTES)));
        let first = self.next_page.fetch_add(pages, Relaxed);
        let end = (first + pages) * length_from(PAGE_BYTES);
        let reached = file.reached.fetch_max(end, Relaxed);
        self.pool.grow_disk(end.saturating_sub(reached));
        Ok((Spot::Page(first), capacity))
    }

    /// Frees the memory of a cell. Its place in the file is not reused.
    fn release(&self, cell: &mut Cell) {
        if let Spot::Held(_) = std::mem::take(&mut cell.spot) {
            self.held.fetch_sub(length_from(cell.capacity), Relaxed);
            self.pool.left.fetch_add(length_from(cell.capacity), Relaxed);
        }
    }

    /// Replaces the bytes of a cell. A cell with enough capacity retains its place.
    ///
    /// # Errors
    /// Returns an error if the disk is full or a write fails.
    pub(crate) fn put(&self, cell: &mut Cell, bytes: &[u8]) -> Result<()> {
        if bytes.len() > cell.capacity {
            let grown = cell.capacity > 0;
            self.release(cell);
            (cell.spot, cell.capacity) = self.place(bytes.len(), grown)?;
        }
        cell.length = bytes.len();
        match &mut cell.spot {
            Spot::Nowhere => {}
            Spot::Held(held) => {
                held.clear();
                held.extend_from_slice(bytes);
            }
            Spot::Page(page) => {
                cell.checksum = xxh3_64(bytes);
                self.file()?.pages.write(*page, std::iter::once(bytes))?;
                self.pool.written.fetch_add(length_from(bytes.len()), Relaxed);
            }
        }
        Ok(())
    }

    /// Reads the bytes of a cell as numbers.
    ///
    /// # Errors
    /// Returns an error if a read fails or the bytes differ from the stored ones.
    pub(crate) fn get<T: Pod>(&self, cell: &Cell, into: &mut Vec<T>) -> Result<()> {
        into.resize(cell.length / size_of::<T>().max(1), T::zeroed());
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(into);
        match &cell.spot {
            Spot::Nowhere => {}
            Spot::Held(held) => bytes.copy_from_slice(held),
            Spot::Page(page) => {
                let file = &self.file()?.pages;
                file.read(*page, bytes)?;
                self.pool.read.fetch_add(length_from(bytes.len()), Relaxed);
                if xxh3_64(bytes) != cell.checksum {
                    return Err(Error::corrupt(file.folder(), "a temporary file in this folder has a wrong checksum"));
                }
            }
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
        if let (Spot::Page(page), Some(file)) = (&cell.spot, self.file.get()) {
            file.pages.prefetch(*page, length_from(cell.length.div_ceil(PAGE_BYTES)));
        }
    }
}

impl Drop for BlockStore<'_> {
    fn drop(&mut self) {
        self.pool.left.fetch_add(self.held.load(Relaxed), Relaxed);
        lock(&self.pool.spare).extend(self.file.take().map(|file| *file));
    }
}
