//! Files of blocks; temporary ones.

use super::pieces::{PIECE_BYTES, Piece};
use super::writer::BlockSink;
use outcrop_io::{PageFile, SpillFolder};
use outcrop_types::{Cancellation, Error, Result, Stopwatch, index_from, length_from};
use std::path::Path;
use std::time::Duration;

/// Bytes that a thread asks for at once, and as many that have come before their turn.
pub(super) const WINDOW_BYTES: u64 = 1 << 20;
/// Pages of temporary files.
const PAGE_BYTES: usize = 4096;
/// Bytes that are written at once.
const WRITE_BYTES: usize = 256 << 10;

/// File that pieces are read from, by several threads at once.
pub trait BlockFile: Sync {
    /// Path of the file.
    fn path(&self) -> &Path;

    /// Alignment of offsets and lengths.
    fn alignment(&self) -> u64;

    /// Memory that a thread takes which reads, in bytes.
    fn buffer_bytes(&self) -> u64;

    /// Hands over the bytes of `pieces` in their order, several being read at once; returns the time that was spent
    /// waiting for them.
    ///
    /// # Errors
    /// A failed read; what `take` returns; interruption.
    fn read(
        &self,
        pieces: &[Piece],
        cancellation: &Cancellation,
        take: &mut dyn FnMut(&Piece, &[u8]) -> Result<()>,
    ) -> Result<Duration>;
}

/// A temporary file.
#[derive(Debug)]
pub struct TemporaryFile {
    pages: PageFile,
}

impl BlockFile for TemporaryFile {
    fn path(&self) -> &Path {
        self.pages.folder()
    }

    fn alignment(&self) -> u64 {
        length_from(PAGE_BYTES)
    }

    fn buffer_bytes(&self) -> u64 {
        PIECE_BYTES
    }

    fn read(
        &self,
        pieces: &[Piece],
        cancellation: &Cancellation,
        take: &mut dyn FnMut(&Piece, &[u8]) -> Result<()>,
    ) -> Result<Duration> {
        let (mut ahead, mut waiting) = (pieces.iter(), 0);
        let (mut buffer, mut waited) = (Vec::new(), Duration::ZERO);
        for piece in pieces {
            cancellation.check()?;
            while waiting < WINDOW_BYTES
                && let Some(next) = ahead.next()
            {
                self.pages.prefetch(next.offset / self.alignment(), next.length / self.alignment());
                waiting += next.length;
            }
            buffer.resize(index_from(piece.length), 0);
            let watch = Stopwatch::start();
            self.pages.read(piece.offset / self.alignment(), &mut buffer)?;
            waited += watch.elapsed();
            waiting = waiting.saturating_sub(piece.length);
            take(piece, &buffer)?;
        }
        Ok(waited)
    }
}

/// Writes a temporary file from front to back.
#[derive(Debug)]
pub(super) struct TemporarySink {
    pages: PageFile,
    waiting: Vec<u8>,
    /// Pages that are written.
    written: u64,
}

impl TemporarySink {
    /// Memory of a sink, in bytes.
    pub(super) const MEMORY_BYTES: u64 = length_from(WRITE_BYTES);

    /// An empty file in `folder`.
    pub(super) fn create(folder: &SpillFolder) -> Result<Self> {
        let pages = PageFile::create(folder, PAGE_BYTES)?;
        Ok(Self { pages, waiting: Vec::with_capacity(WRITE_BYTES), written: 0 })
    }

    fn flush(&mut self) -> Result<()> {
        self.pages.write(self.written, std::iter::once(self.waiting.as_slice()))?;
        self.written += length_from(self.waiting.len() / PAGE_BYTES);
        self.waiting.clear();
        Ok(())
    }

    /// The file, complete.
    pub(super) fn finish(mut self) -> Result<TemporaryFile> {
        self.waiting.resize(self.waiting.len().next_multiple_of(PAGE_BYTES), 0);
        self.flush()?;
        Ok(TemporaryFile { pages: self.pages })
    }
}

impl TemporaryFile {
    /// Bytes that were written.
    pub(crate) fn written(&self) -> u64 {
        self.pages.traffic().1
    }
}

impl BlockSink for TemporarySink {
    fn append(&mut self, mut bytes: &[u8]) -> Result<()> {
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(WRITE_BYTES - self.waiting.len()));
            self.waiting.extend_from_slice(now);
            bytes = later;
            if self.waiting.len() == WRITE_BYTES {
                self.flush()?;
            }
        }
        Ok(())
    }
}

/// The error of blocks that are not as they were written.
#[cold]
pub(super) fn malformed(path: &Path, position: u64) -> Error {
    Error::corrupt(path, format!("block {position} of its shards is malformed"))
}
