//! Block files, and temporary ones.

use super::pieces::{PIECE_BYTES, Piece};
use super::writer::BlockSink;
use outcrop_io::{PageFile, SpillFolder};
use outcrop_types::{Cancellation, Error, Result, Stopwatch, index_from, length_from};
use std::path::Path;
use std::time::Duration;

/// Maximum number of requested bytes per thread, and of bytes that arrived out of order.
pub(super) const WINDOW_BYTES: u64 = 1 << 20;
/// Page size of temporary files.
const PAGE_BYTES: usize = 4096;
/// Size of writes, in bytes.
const WRITE_BYTES: usize = 256 << 10;

/// File with pieces that several threads read concurrently.
pub trait BlockFile: Sync {
    /// Returns the path of the file.
    fn path(&self) -> &Path;

    /// Returns the alignment of offsets and lengths.
    fn alignment(&self) -> u64;

    /// Returns the memory per reading thread, in bytes.
    fn buffer_bytes(&self) -> u64;

    /// Passes the bytes of `pieces` to `take` in order, with several reads in flight; returns the time spent waiting
    /// for them.
    ///
    /// # Errors
    /// Returns an error if a read or `take` fails, or on interruption.
    fn read(
        &self,
        pieces: &[Piece],
        cancellation: &Cancellation,
        take: &mut dyn FnMut(&Piece, &[u8]) -> Result<()>,
    ) -> Result<Duration>;
}

/// Temporary block file.
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

/// Sequential writer of a temporary file.
#[derive(Debug)]
pub(super) struct TemporarySink {
    pages: PageFile,
    waiting: Vec<u8>,
    /// Number of written pages.
    written: u64,
}

impl TemporarySink {
    /// Memory of a sink, in bytes.
    pub(super) const MEMORY_BYTES: u64 = length_from(WRITE_BYTES);

    /// Creates an empty file in `folder`.
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

    /// Completes and returns the file.
    pub(super) fn finish(mut self) -> Result<TemporaryFile> {
        self.waiting.resize(self.waiting.len().next_multiple_of(PAGE_BYTES), 0);
        self.flush()?;
        Ok(TemporaryFile { pages: self.pages })
    }
}

impl TemporaryFile {
    /// Returns the number of bytes written.
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

/// Returns the error for a malformed block.
#[cold]
pub(super) fn malformed(path: &Path, position: u64) -> Error {
    Error::corrupt(path, format!("block {position} of its shards is malformed"))
}
