//! Spill files: temporary files that are written once and read back, as for external sorting.
//!
//! A spill file has no name (or loses it at once), so no file remains however the process ends. In a folder that keeps
//! files it has a name, and a checkpoint may list it ([`DurableFile`]). Each [`SpillFile`] holds a descriptor, and so
//! does each [`SpillReader`] with its own read-ahead.
//!
//! All data is verified before it reaches the caller. Each block of 16 KiB has a checksum, XXH3-64, seeded with the
//! file and the block's number. The checksums of 512 blocks fill a page after these blocks, and those after the last
//! such page stay in memory:
//!
//! ```text
//! 8 MiB of blocks | their 512 checksums | 8 MiB of blocks | their 512 checksums | ... | rest
//! ```

use crate::storage::{FileAdvice, Writeback, advise, drop_pages};
use crate::unnamed_temporary_files::{SpillFolder, UnnamedFile};
use outcrop_types::{Error, Result, index_from, length_from};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::num::NonZeroU64;
use std::sync::Arc;
use xxhash_rust::xxh3::Xxh3;

/// Distance in bytes after which pages behind a reader are dropped.
const READ_WINDOW: u64 = 8 << 20;
/// Distance in bytes after which the space behind a freeing reader is returned to the file system.
const FREE_WINDOW: u64 = 1 << 20;
/// Bytes per checksum.
const BLOCK: u64 = 16 << 10;
/// Number of blocks whose checksums are stored together after them.
const GROUP_BLOCKS: u64 = 512;
/// Bytes of these blocks.
const GROUP: u64 = GROUP_BLOCKS * BLOCK;
/// Bytes of the checksums of a group.
const SUMS: u64 = GROUP_BLOCKS * 8;

/// Bytes written or read at once: their checksums are computed while they are in the processor's cache.
const PIECE: u64 = 256 << 10;

/// Returns the offset in the file of the byte at `position`.
const fn offset(position: u64) -> u64 {
    position + position / GROUP * SUMS
}

impl SpillFolder {
    /// Creates a spill file.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Io`] or [`Error::DiskFull`].
    pub fn create(&self) -> Result<SpillWriter> {
        Ok(SpillWriter {
            file: UnnamedFile::create(self),
            length: 0,
            open: None,
            sums: Vec::new(),
            writeback: Writeback::default(),
        })
    }

    /// Reopens a durable spill file.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Corrupt`] if it is missing or has another length, or [`Error::Io`].
    pub fn reopen(&self, kept: &DurableFile) -> Result<SpillFile> {
        let DurableFile { name, length, serial, last_sums } = kept;
        let file = UnnamedFile::reopen(self, name, *serial, offset(*length))?;
        Ok(SpillFile { file: Arc::new(file), length: *length, last_sums: last_sums.clone().into() })
    }
}

/// Description of a durable spill file, for reopening it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DurableFile {
    name: String,
    length: u64,
    serial: u64,
    last_sums: Vec<u64>,
}

/// Sequential writer of a spill file. Each `write` is a system call, so pass large pieces.
pub struct SpillWriter {
    file: UnnamedFile,
    length: u64,
    /// Checksum of the last block, if it is incomplete.
    open: Option<Box<Xxh3>>,
    /// Checksums of the blocks of the last group.
    sums: Vec<u64>,
    writeback: Writeback,
}

impl std::fmt::Debug for SpillWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SpillWriter").field("file", &self.file).field("length", &self.length).finish_non_exhaustive()
    }
}

impl SpillWriter {
    /// Appends all of `bytes`.
    ///
    /// # Errors
    ///
    /// Returns [`Error::DiskFull`] or [`Error::Io`].
    pub fn write(&mut self, mut bytes: &[u8]) -> Result<()> {
        while !bytes.is_empty() {
            let (now, later) = split(bytes, PIECE - self.length % PIECE);
            self.file.write_at(now, offset(self.length))?;
            self.sum(now);
            if self.length.is_multiple_of(GROUP) {
                self.file.write_at(bytemuck::cast_slice(&self.sums), offset(self.length) - SUMS)?;
                self.sums.clear();
            }
            bytes = later;
        }
        let sent = self.file.file().map(|file| self.writeback.written(file, offset(self.length)));
        sent.transpose().map_err(|error| self.file.unwritten(error)).map(drop)
    }

    /// Adds `bytes` to the length and the checksums.
    fn sum(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let (block, left) = (self.length / BLOCK, BLOCK - self.length % BLOCK);
            let (now, later) = split(bytes, left);
            self.length += length_from(now.len());
            bytes = later;
            if length_from(now.len()) == BLOCK {
                self.sums.push(self.file.checksum(now, block));
                continue;
            }
            let seed = self.file.seed(block);
            let open = self.open.get_or_insert_with(|| Box::new(Xxh3::with_seed(seed)));
            open.update(now);
            if length_from(now.len()) == left {
                self.sums.extend(self.open.take().map(|whole| whole.digest()));
            }
        }
    }

    /// Returns the number of bytes written so far.
    pub const fn length(&self) -> u64 {
        self.length
    }

    /// Finishes writing. Nothing is synced: spill files need not survive a crash, and checksums detect failed writes.
    ///
    /// # Errors
    ///
    /// Never fails at present; a file system may report a late failure here.
    pub fn finish(mut self) -> Result<SpillFile> {
        self.sums.extend(self.open.take().map(|rest| rest.digest()));
        Ok(SpillFile { file: Arc::new(self.file), length: self.length, last_sums: self.sums.into() })
    }
}

/// Splits off at most the first `most` bytes.
fn split(bytes: &[u8], most: u64) -> (&[u8], &[u8]) {
    bytes.split_at(bytes.len().min(index_from(most)))
}

/// Written spill file; removed when it and its readers are dropped, unless it is kept.
#[derive(Clone, Debug)]
pub struct SpillFile {
    file: Arc<UnnamedFile>,
    length: u64,
    /// Checksums of the blocks of the last group.
    last_sums: Arc<[u64]>,
}

impl SpillFile {
    /// Returns the length in bytes.
    pub const fn length(&self) -> u64 {
        self.length
    }

    /// Makes it durable, and one of the files that the next [`SpillFolder::keep`] keeps.
    ///
    /// # Errors
    ///
    /// Returns [`Error::DiskFull`] or [`Error::Io`].
    pub fn keep(&self) -> Result<DurableFile> {
        let (name, serial) = self.file.keep()?;
        Ok(DurableFile { name, length: self.length, serial, last_sums: self.last_sums.to_vec() })
    }

    /// Creates an independent reader at the start, with its own read-ahead and descriptor.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Io`] if the file cannot be reopened.
    pub fn open(&self) -> Result<SpillReader> {
        let own = self.file.file().and_then(reopen);
        if let Some(file) = own.as_ref().or(self.file.file()) {
            advise(file, 0, None, FileAdvice::Sequential);
        }
        Ok(self.reader(own))
    }

    /// Creates a reader without its own descriptor, for large numbers of readers.
    pub fn share(&self) -> SpillReader {
        self.reader(None)
    }

    fn reader(&self, own: Option<File>) -> SpillReader {
        SpillReader {
            file: Arc::clone(&self.file),
            own,
            length: self.length,
            position: 0,
            dropped: 0,
            frees: false,
            last_sums: Arc::clone(&self.last_sums),
            sums: (None, Vec::new()),
            block: (None, Vec::new()),
        }
    }
}

/// Returns another file description of the same file, with its own read-ahead.
#[cfg(target_os = "linux")]
fn reopen(file: &File) -> Option<File> {
    use std::os::fd::AsRawFd;
    File::open(format!("/proc/self/fd/{}", file.as_raw_fd())).ok()
}

#[cfg(not(target_os = "linux"))]
fn reopen(_file: &File) -> Option<File> {
    None
}

/// Forward reader of a spill file. Pages behind it are dropped from the system's page cache.
#[derive(Debug)]
pub struct SpillReader {
    file: Arc<UnnamedFile>,
    own: Option<File>,
    length: u64,
    position: u64,
    dropped: u64,
    /// True if the space of blocks is freed once they are read.
    frees: bool,
    last_sums: Arc<[u64]>,
    /// Group other than the last, and its checksums.
    sums: (Option<u64>, Vec<u64>),
    /// Block of which only a part was requested, and its bytes.
    block: (Option<u64>, Vec<u8>),
}

impl SpillReader {
    /// Bytes that are read and verified together.
    pub const BLOCK_BYTES: u64 = BLOCK;
    /// Memory of a reader, in bytes.
    pub const MEMORY_BYTES: u64 = BLOCK + SUMS;

    /// Moves the reader to `offset`.
    #[must_use]
    pub fn at(mut self, offset: u64) -> Self {
        self.position = offset.min(self.length);
        self.dropped = self.position;
        self
    }

    /// Frees the space of whole blocks behind the reader, from its present position on, so that no other reader may
    /// read them later. Has no effect on files that a checkpoint may keep, and where the file system cannot free a part
    /// of a file.
    #[must_use]
    pub fn freeing(self) -> Self {
        Self { frees: true, dropped: self.position.next_multiple_of(BLOCK), ..self }
    }

    /// Returns the offset of the next byte.
    pub const fn position(&self) -> u64 {
        self.position
    }

    /// Fills `buffer` as far as possible; returns the number of bytes, which is less than requested only at the end.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Io`], or [`Error::Corrupt`] if the file is shorter than written or contains other bytes.
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let wanted = buffer.len().min(index_from(self.length - self.position));
        let mut rest = &mut buffer[..wanted];
        while !rest.is_empty() {
            let whole = self.whole_blocks(length_from(rest.len()));
            let count = if whole > 0 { self.read_blocks(&mut rest[..whole])? } else { self.copy_from_block(rest)? };
            self.position += length_from(count);
            rest = &mut rest[count..];
        }
        if self.own.is_none() {
            self.prefetch(length_from(wanted));
        }
        self.drop_behind();
        Ok(wanted)
    }

    /// Starts to read the next `length` bytes: readers that share a descriptor have no read-ahead.
    fn prefetch(&self, length: u64) {
        if let Some(file) = self.file.file() {
            advise(file, offset(self.position), NonZeroU64::new(length.max(1)), FileAdvice::WillNeed);
        }
    }

    /// Returns the number of bytes of the next whole blocks, within the next `most` bytes and a piece.
    fn whole_blocks(&self, most: u64) -> usize {
        if !self.position.is_multiple_of(BLOCK) {
            return 0;
        }
        let most = most.min(PIECE - self.position % PIECE);
        index_from(if self.position + most == self.length { most } else { most / BLOCK * BLOCK })
    }

    /// Fills `into` with the next whole blocks.
    fn read_blocks(&mut self, into: &mut [u8]) -> Result<usize> {
        self.load(into, self.position)?;
        Ok(into.len())
    }

    /// Copies the next bytes of a block that is read as a whole.
    fn copy_from_block(&mut self, into: &mut [u8]) -> Result<usize> {
        let block = self.position / BLOCK;
        let (known, mut bytes) = std::mem::take(&mut self.block);
        if known != Some(block) {
            bytes.resize(index_from(BLOCK.min(self.length - block * BLOCK)), 0);
            self.load(&mut bytes, block * BLOCK)?;
        }
        let from = &bytes[index_from(self.position % BLOCK)..];
        let count = from.len().min(into.len());
        into[..count].copy_from_slice(&from[..count]);
        self.block = (Some(block), bytes);
        Ok(count)
    }

    /// Fills `into` with the whole blocks starting at `position`, all of one group, and verifies their checksums.
    fn load(&mut self, into: &mut [u8], position: u64) -> Result<()> {
        let descriptor = self.own.as_ref().map_or_else(|| self.file.opened(), Ok)?;
        self.file.read_through(descriptor, into, offset(position))?;
        let group = position / GROUP;
        if self.length / GROUP > group && self.sums.0 != Some(group) {
            self.sums.1.resize(index_from(GROUP_BLOCKS), 0);
            let end = offset(group * GROUP) + GROUP;
            self.file.read_through(descriptor, bytemuck::cast_slice_mut(&mut self.sums.1), end)?;
            self.sums.0 = Some(group);
        }
        let sums = if self.length / GROUP > group { &self.sums.1 } else { &*self.last_sums };
        for (number, bytes) in (position / BLOCK..).zip(into.chunks(index_from(BLOCK))) {
            if sums.get(index_from(number % GROUP_BLOCKS)) != Some(&self.file.checksum(bytes, number)) {
                return Err(self.file.altered(offset(number * BLOCK), length_from(bytes.len())));
            }
        }
        Ok(())
    }

    /// Fills `buffer`.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`SpillReader::read`], or [`Error::Corrupt`] if fewer bytes are
    /// left.
    pub fn read_exact(&mut self, buffer: &mut [u8]) -> Result<()> {
        if self.read(buffer)? == buffer.len() {
            return Ok(());
        }
        Err(Error::corrupt(self.file.folder().path(), "a temporary file in this folder ends within a record"))
    }

    fn drop_behind(&mut self) {
        if self.frees {
            return self.free_behind();
        }
        let behind = self.position - self.dropped;
        if behind >= READ_WINDOW || self.position == self.length {
            let length = NonZeroU64::new(behind.max(1));
            self.file.file().into_iter().for_each(|file| drop_pages(file, offset(self.dropped), length));
            self.dropped = self.position;
        }
    }

    /// Frees whole blocks, but not the checksums behind each group, which other readers of the group need.
    fn free_behind(&mut self) {
        let end = if self.position == self.length { self.length } else { self.position / BLOCK * BLOCK };
        if end < self.dropped + FREE_WINDOW && end < self.length {
            return;
        }
        while self.dropped < end {
            let until = end.min((self.dropped / GROUP + 1) * GROUP);
            self.file.free(offset(self.dropped), until - self.dropped);
            self.dropped = until;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bit_flip::BitFlip;

    #[test]
    #[cfg_attr(miri, ignore = "writes 20 MiB")]
    fn what_is_written_is_read_back_and_nothing_stays() {
        let dir = tempfile::tempdir().unwrap();
        let folder = SpillFolder::new(dir.path()).unwrap();
        let contents: Vec<u8> = (0..20u32 << 20).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        let mut writer = folder.create().unwrap();
        contents.chunks(777_777).for_each(|chunk| writer.write(chunk).unwrap());
        let file = writer.finish().unwrap();
        assert_eq!(file.length(), length_from(contents.len()));
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);

        let (mut whole, mut late) = (file.open().unwrap(), file.open().unwrap().at(12_345_678));
        let mut buffer = vec![0; contents.len() + 1];
        assert_eq!(whole.read(&mut buffer).unwrap(), contents.len());
        assert!(buffer[..contents.len()] == contents);
        assert_eq!(whole.read(&mut buffer).unwrap(), 0);
        drop(file);
        late.read_exact(&mut buffer[..1000]).unwrap();
        assert!(buffer[..1000] == contents[12_345_678..][..1000]);
        assert!(matches!(late.at(length_from(contents.len()) - 1).read_exact(&mut buffer), Err(Error::Corrupt { .. })));

        assert!(folder.free_bytes().unwrap().unwrap() > 0);
    }

    #[test]
    #[cfg(target_os = "linux")]
    #[cfg_attr(miri, ignore = "Miri cannot free a part of a file")]
    fn what_is_read_once_takes_no_space_and_others_still_read_the_rest() {
        use std::os::unix::fs::MetadataExt;
        let dir = tempfile::tempdir().unwrap();
        let folder = SpillFolder::new(dir.path()).unwrap();
        let contents: Vec<u8> =
            (0..GROUP * 2 + 5000).map(|place| (place.wrapping_mul(0x9E37_79B9) >> 11) as u8).collect();
        let mut writer = folder.create().unwrap();
        contents.chunks(100_000).for_each(|piece| writer.write(piece).unwrap());
        let file = writer.finish().unwrap();
        let taken = || file.file.file().unwrap().metadata().unwrap().blocks() * 512;
        let (before, middle) = (taken(), index_from(GROUP) + 12_345);
        let (mut first, mut second) =
            (file.open().unwrap().freeing(), file.open().unwrap().at(length_from(middle)).freeing());
        let mut buffer = vec![0; contents.len()];
        // Either order: what one frees, the other does not need.
        second.read_exact(&mut buffer[..1_000_000]).unwrap();
        assert!(buffer[..1_000_000] == contents[middle..][..1_000_000]);
        buffer.iter_mut().for_each(|byte| *byte = 0);
        for piece in buffer[..middle].chunks_mut(77_777) {
            first.read_exact(piece).unwrap();
        }
        assert!(buffer[..middle] == contents[..middle]);
        let rest = contents.len() - middle - 1_000_000;
        second.read_exact(&mut buffer[..rest]).unwrap();
        assert!(buffer[..rest] == contents[middle + 1_000_000..]);
        assert!(taken() <= 2 * FREE_WINDOW && before > 2 * GROUP, "{before} bytes, then {}", taken());
    }

    #[test]
    #[cfg_attr(miri, ignore = "writes 1 GiB")]
    fn a_bit_that_has_changed_is_noticed_wherever_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let length = 2 * GROUP + 5 * BLOCK + 777;
        let (mut reads, mut flipped) = (0, 0);
        for round in 0..60 {
            let draw = (round + 1_u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let flip = Arc::new(BitFlip::before((draw >> 33) % reads.max(1), draw.rotate_left(7)));
            let folder = SpillFolder::new(dir.path()).unwrap().flipping(Arc::clone(&flip));
            let mut writer = folder.create().unwrap();
            let contents: Vec<u8> = (0..length).map(|place| place.wrapping_mul(draw).to_le_bytes()[5]).collect();
            contents.chunks(300_001).for_each(|piece| writer.write(piece).unwrap());
            let file = writer.finish().unwrap();
            let (mut reader, mut buffer) = (file.open().unwrap().at(round * 1000), vec![0; 200_000 + round as usize]);
            let outcome = loop {
                let at = index_from(reader.position());
                match reader.read(&mut buffer) {
                    Ok(0) => break Ok(()),
                    Ok(count) => assert!(buffer[..count] == contents[at..at + count]),
                    Err(error) => break Err(error),
                }
            };
            reads = reads.max(flip.reads());
            flipped += u64::from(flip.happened());
            match outcome {
                Ok(()) => assert!(!flip.happened()),
                Err(error) => {
                    assert!(flip.happened() && error.to_string().contains("temporary file"), "{error}");
                    assert!(matches!(error, Error::Corrupt { .. }));
                }
            }
        }
        assert!(flipped > 40, "{flipped} of {reads}");
    }

    #[test]
    fn a_folder_that_cannot_be_written_to_is_refused_at_once() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(SpillFolder::new(&dir.path().join("absent")).unwrap_err().exit_code(), 9);
    }

    #[test]
    #[ignore = "measures, with 2 GiB of disk"]
    fn spilling_is_fast() {
        let dir = tempfile::tempdir().unwrap();
        let folder = SpillFolder::new(dir.path()).unwrap();
        let mut piece = vec![7; 1 << 20];
        let watch = outcrop_types::Stopwatch::start();
        let mut writer = folder.create().unwrap();
        (0..2048).for_each(|_| writer.write(&piece).unwrap());
        let file = writer.finish().unwrap();
        let written = watch.seconds();
        let mut reader = file.open().unwrap();
        while reader.read(&mut piece).unwrap() > 0 {}
        let read = watch.seconds() - written;
        println!("{:.2} GB/s written, {:.2} GB/s read", 2.147 / written, 2.147 / read);
    }
}
