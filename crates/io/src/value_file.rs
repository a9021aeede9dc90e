//! Fixed-size values in a temporary file with random access: vertex values that exceed memory.
//!
//! Like a spill file it has no name, so no file remains however the process ends. Pages are dropped from the system's
//! page cache after reads and writes, so that the file uses no memory except the caller's buffers.

use crate::storage::{StretchWriteback, drop_pages};
use crate::unnamed_temporary_files::{SpillFolder, UnnamedFile};
use bytemuck::Pod;
use outcrop_types::{Error, Result, index_from, length_from};
use std::fs::File;
use std::io;
use std::marker::PhantomData;
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// Number of values written at once when a file is created.
const FILL: usize = 1 << 15;
/// Writes smaller than this are left to the system: their pages are limited by the number of scattered changes.
const SENT_AT_ONCE: u64 = 64 << 10;
/// Bytes per checksum: a system page, which is read as a whole even if only a part is requested or replaced.
const BLOCK: usize = 4096;

/// File of `length` values of `T`. Clones refer to the same file.
#[derive(Clone, Debug)]
pub struct ValueFile<T> {
    blocks: Arc<Blocks>,
    length: u64,
    traffic: Arc<Traffic>,
    writeback: Arc<Mutex<StretchWriteback>>,
    values: PhantomData<fn() -> T>,
}

#[derive(Debug, Default)]
struct Traffic {
    read: AtomicU64,
    written: AtomicU64,
}

/// File in blocks of 4 KiB whose checksums are in memory, so that lost writes are detected, too.
#[derive(Debug)]
struct Blocks {
    file: UnnamedFile,
    bytes: u64,
    /// Checksums; 0 if nothing was written, when all bits of the block are 0.
    sums: Vec<AtomicU64>,
    /// Held in shared mode by writers, and exclusively by a reader that retries after a concurrent write.
    writing: RwLock<()>,
    /// Held while replacing a part of a block.
    partly: Mutex<()>,
}

impl Blocks {
    fn create(folder: &SpillFolder, bytes: u64) -> Result<Self> {
        let sums = (0..bytes.div_ceil(length_from(BLOCK))).map(|_| AtomicU64::new(0)).collect();
        let file = UnnamedFile::create(folder);
        file.opened()?;
        Ok(Self { file, bytes, sums, writing: RwLock::default(), partly: Mutex::default() })
    }

    /// Splits a range into a partial block, whole blocks, and a partial block; each may be empty.
    fn parts(&self, offset: u64, length: usize) -> [usize; 2] {
        let to_boundary = index_from(offset.next_multiple_of(length_from(BLOCK)) - offset);
        let head = to_boundary.min(length);
        let end = offset + length_from(length);
        let whole = if end == self.bytes { length - head } else { (length - head) / BLOCK * BLOCK };
        [head, head + whole]
    }

    fn sum(&self, bytes: &[u8], block: usize) -> u64 {
        self.file.checksum(bytes, length_from(block)).max(1)
    }

    fn is_right(&self, bytes: &[u8], block: usize) -> bool {
        match self.sums.get(block).map_or(0, |sum| sum.load(Relaxed)) {
            0 => bytes.iter().all(|byte| *byte == 0),
            sum => sum == self.sum(bytes, block),
        }
    }

    /// Fills `into` with the bytes starting at `offset`.
    fn read(&self, into: &mut [u8], offset: u64) -> Result<()> {
        let [head, tail] = self.parts(offset, into.len());
        let end = offset + length_from(tail);
        let (front, rest) = into.split_at_mut(head);
        let (whole, back) = rest.split_at_mut(tail - head);
        self.read_part(front, offset)?;
        self.read_whole(whole, offset + length_from(head))?;
        self.read_part(back, end)
    }

    fn read_whole(&self, into: &mut [u8], offset: u64) -> Result<()> {
        if into.is_empty() {
            return Ok(());
        }
        self.file.read_at(into, offset)?;
        let first = index_from(offset) / BLOCK;
        for (block, bytes) in (first..).zip(into.chunks_mut(BLOCK)) {
            if !self.is_right(bytes, block) {
                self.read_again(bytes, block)?;
            }
        }
        Ok(())
    }

    /// Reads a block while there are no writers: other values of it may have been replaced during the first read.
    #[cold]
    fn read_again(&self, into: &mut [u8], block: usize) -> Result<()> {
        let _alone = self.writing.write().unwrap_or_else(PoisonError::into_inner);
        let offset = length_from(block) * length_from(BLOCK);
        self.file.read_at(into, offset)?;
        if self.is_right(into, block) { Ok(()) } else { Err(self.file.altered(offset, length_from(into.len()))) }
    }

    /// Fills `into` with a part of a block.
    fn read_part(&self, into: &mut [u8], offset: u64) -> Result<()> {
        if into.is_empty() {
            return Ok(());
        }
        let (block, inside) = (index_from(offset) / BLOCK, index_from(offset) % BLOCK);
        let mut bytes = [0; BLOCK];
        let bytes = &mut bytes[..self.block_bytes(block)];
        self.read_whole(bytes, length_from(block * BLOCK))?;
        into.copy_from_slice(&bytes[inside..inside + into.len()]);
        Ok(())
    }

    fn block_bytes(&self, block: usize) -> usize {
        BLOCK.min(index_from(self.bytes) - block * BLOCK)
    }

    /// Replaces the bytes starting at `offset`.
    fn write(&self, bytes: &[u8], offset: u64) -> Result<()> {
        let [head, tail] = self.parts(offset, bytes.len());
        let (front, rest) = bytes.split_at(head);
        let (whole, back) = rest.split_at(tail - head);
        let _shared = self.writing.read().unwrap_or_else(PoisonError::into_inner);
        self.write_part(front, offset)?;
        if !whole.is_empty() {
            let start = offset + length_from(head);
            self.file.write_at(whole, start)?;
            let first = index_from(start) / BLOCK;
            for ((block, sum), bytes) in (first..).zip(&self.sums[first..]).zip(whole.chunks(BLOCK)) {
                sum.store(self.sum(bytes, block), Relaxed);
            }
        }
        self.write_part(back, offset + length_from(tail))
    }

    /// Replaces a part of a block.
    fn write_part(&self, bytes: &[u8], offset: u64) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let (block, inside) = (index_from(offset) / BLOCK, index_from(offset) % BLOCK);
        let _partly = self.partly.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = [0; BLOCK];
        let all = &mut all[..self.block_bytes(block)];
        let start = length_from(block * BLOCK);
        if self.sums.get(block).is_some_and(|sum| sum.load(Relaxed) != 0) {
            self.file.read_at(all, start)?;
            if !self.is_right(all, block) {
                return Err(self.file.altered(start, length_from(all.len())));
            }
        }
        all[inside..inside + bytes.len()].copy_from_slice(bytes);
        self.file.write_at(bytes, offset)?;
        if let Some(sum) = self.sums.get(block) {
            sum.store(self.sum(all, block), Relaxed);
        }
        Ok(())
    }
}

impl<T: Pod> ValueFile<T> {
    /// Memory for creating a file, in bytes: the values written at once, and their source.
    pub const FILL_BYTES: u64 = length_from(2 * FILL * size_of::<T>());

    /// Returns the memory of the checksums of a file of `bytes` bytes, in use as long as the file exists.
    pub const fn checksum_bytes(bytes: u64) -> u64 {
        bytes.div_ceil(length_from(BLOCK)) * 8
    }

    /// Creates a file of `length` copies of `value`.
    ///
    /// # Errors
    ///
    /// Returns [`Error::DiskFull`] or [`Error::Io`].
    pub fn filled(folder: &SpillFolder, length: u64, value: T) -> Result<Self> {
        Self::made_of(folder, length, |_| Ok(value))
    }

    /// Creates a file of `length` values, with `value(i)` at position `i`.
    ///
    /// # Errors
    ///
    /// Returns the error of `value`, [`Error::DiskFull`] or [`Error::Io`].
    pub fn made_of(folder: &SpillFolder, length: u64, mut value: impl FnMut(u64) -> Result<T>) -> Result<Self> {
        let file = Self::new(folder, length)?;
        let step = length_from(FILL).min(length);
        let mut piece = Vec::with_capacity(usize::try_from(step).unwrap_or(FILL));
        let mut first = 0;
        while first < length {
            let end = (first + step).min(length);
            piece.clear();
            for position in first..end {
                piece.push(value(position)?);
            }
            file.write(first, &piece)?;
            first = end;
        }
        Ok(file)
    }

    /// Creates a file of `length` values, all of their bits 0.
    ///
    /// # Errors
    ///
    /// Returns [`Error::DiskFull`] or [`Error::Io`].
    pub fn zeroed(folder: &SpillFolder, length: u64) -> Result<Self> {
        let zeroed = Self::new(folder, length)?;
        let file = &zeroed.blocks.file;
        file.opened()?.set_len(zeroed.blocks.bytes).map_err(|error| file.unwritten(error))?;
        Ok(zeroed)
    }

    /// Creates a file in the same folder with the same number of values, all of their bits 0.
    ///
    /// # Errors
    ///
    /// Returns [`Error::DiskFull`] or [`Error::Io`].
    pub fn zeroed_beside(&self) -> Result<Self> {
        Self::zeroed(self.blocks.file.folder(), self.length)
    }

    fn new(folder: &SpillFolder, length: u64) -> Result<Self> {
        Ok(Self {
            blocks: Arc::new(Blocks::create(folder, length * length_from(size_of::<T>()))?),
            length,
            traffic: Arc::default(),
            writeback: Arc::default(),
            values: PhantomData,
        })
    }

    /// Returns the byte offset of `count` values starting at position `first`.
    fn place(&self, first: u64, count: usize) -> Result<u64> {
        if first.checked_add(length_from(count)).is_some_and(|end| end <= self.length) {
            return Ok(first * length_from(size_of::<T>()));
        }
        let folder = self.blocks.file.folder().path();
        let message = format!(
            "a temporary file in this folder has {} values instead of {count} at position {first}",
            self.length
        );
        Err(Error::corrupt(folder, message))
    }

    /// Returns the number of values.
    pub const fn length(&self) -> u64 {
        self.length
    }

    /// Fills `into` with the values starting at position `first`.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Io`], or [`Error::Corrupt`] if there are fewer values or they are damaged.
    pub fn read(&self, first: u64, into: &mut [T]) -> Result<()> {
        let offset = self.place(first, into.len())?;
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(into);
        self.blocks.read(bytes, offset)?;
        let length = length_from(bytes.len());
        drop_pages(self.blocks.file.opened()?, offset, NonZeroU64::new(length.max(1)));
        self.traffic.read.fetch_add(length, Relaxed);
        Ok(())
    }

    /// Replaces the values starting at position `first`. Disjoint ranges may be written concurrently.
    ///
    /// # Errors
    ///
    /// Returns [`Error::DiskFull`], [`Error::Io`], or [`Error::Corrupt`] if adjacent values are damaged.
    pub fn write(&self, first: u64, values: &[T]) -> Result<()> {
        let offset = self.place(first, values.len())?;
        let bytes: &[u8] = bytemuck::cast_slice(values);
        let length = length_from(bytes.len());
        self.blocks.write(bytes, offset)?;
        let file = self.blocks.file.opened()?;
        self.send(file, offset, length).map_err(|error| self.blocks.file.unwritten(error))?;
        self.traffic.written.fetch_add(length, Relaxed);
        Ok(())
    }

    /// Sends a long range to the disk, so that dirty pages do not fill memory.
    fn send(&self, file: &File, offset: u64, length: u64) -> io::Result<()> {
        if length < SENT_AT_ONCE {
            return Ok(());
        }
        self.writeback.lock().unwrap_or_else(PoisonError::into_inner).written(file, offset, length)
    }

    /// Returns the numbers of bytes read and written so far.
    pub fn traffic(&self) -> (u64, u64) {
        (self.traffic.read.load(Relaxed), self.traffic.written.load(Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bit_flip::BitFlip;

    #[test]
    #[cfg_attr(miri, ignore = "writes 40 MiB")]
    fn long_files_are_written_whole() {
        let dir = tempfile::tempdir().unwrap();
        let file = ValueFile::made_of(&SpillFolder::new(dir.path()).unwrap(), 5 << 20, Ok).unwrap();
        let mut values = vec![0; 1 << 20];
        for first in [0, 1 << 20, (4 << 20) - 7] {
            file.read(first, &mut values).unwrap();
            assert!(values.iter().copied().eq(first..first + (1 << 20)));
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let folder = SpillFolder::new(dir.path()).unwrap();
        let mut file = ValueFile::<u64>::new(&folder, 100_000).unwrap();
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        Arc::get_mut(&mut file.blocks).unwrap().file = UnnamedFile::over(full, folder);
        assert!(matches!(file.write(0, &[1]), Err(Error::DiskFull { .. })));
        assert!(matches!(file.write(0, &[1; 100_000]), Err(Error::DiskFull { .. })));
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes minutes")]
    fn stretches_are_read_and_replaced_and_nothing_has_a_name() {
        let dir = tempfile::tempdir().unwrap();
        let folder = SpillFolder::new(dir.path()).unwrap();
        let file = ValueFile::filled(&folder, 100_000, 7_u32).unwrap();
        file.write(65_530, &[1, 2, 3]).unwrap();
        let mut values = [0; 5];
        file.clone().read(65_529, &mut values).unwrap();
        assert_eq!(values, [7, 1, 2, 3, 7]);
        assert_eq!(file.traffic(), (20, 400_012));
        assert!(matches!(file.read(99_998, &mut values), Err(Error::Corrupt { .. })));
        file.zeroed_beside().unwrap().read(99_995, &mut values).unwrap();
        assert_eq!(values, [0; 5]);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes minutes")]
    fn a_bit_that_has_changed_and_a_write_that_was_lost_are_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let folder = SpillFolder::new(dir.path()).unwrap();
        for draw in 0..200_u64 {
            let flip = Arc::new(BitFlip::before(0, draw.wrapping_mul(0x9E37_79B9_7F4A_7C15)));
            let file = ValueFile::made_of(&folder.clone().flipping(Arc::clone(&flip)), 5000, Ok).unwrap();
            let (first, count) = (draw * 13, 1 + index_from(draw * 11));
            let error = match draw % 2 {
                0 => file.read(first, &mut vec![0; count]).unwrap_err(),
                // Other values of the same block are read before one is replaced.
                _ => file.write(first | 1, &[0]).unwrap_err(),
            };
            assert!(flip.happened() && error.to_string().contains("temporary file"), "{error}");
        }
        let file = ValueFile::filled(&folder, 5000, 1_u64).unwrap();
        let mut before = [0; BLOCK];
        file.blocks.file.read_at(&mut before, 4096).unwrap();
        file.write(600, &[2]).unwrap();
        file.blocks.file.write_at(&before, 4096).unwrap();
        assert!(matches!(file.read(700, &mut [0]), Err(Error::Corrupt { .. })));
        file.read(0, &mut [0; 512]).unwrap();
        let zeros = file.zeroed_beside().unwrap();
        zeros.blocks.file.write_at(&[1], 9000).unwrap();
        assert!(matches!(zeros.read(0, &mut [0; 5000]), Err(Error::Corrupt { .. })));
    }

    #[test]
    fn values_of_one_block_are_read_while_others_of_it_are_written() {
        let dir = tempfile::tempdir().unwrap();
        let file = ValueFile::filled(&SpillFolder::new(dir.path()).unwrap(), 3000, 0_u64).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..3_u64 {
                let file = &file;
                scope.spawn(move || {
                    let first = thread * 700 + 100;
                    for round in 0..if cfg!(miri) { 3 } else { 2000 } {
                        file.write(first, &[round; 700]).unwrap();
                        let mut values = [0; 700];
                        file.read(first, &mut values).unwrap();
                        assert!(values == [round; 700]);
                    }
                });
            }
        });
    }
}
