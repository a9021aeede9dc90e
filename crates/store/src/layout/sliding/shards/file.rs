//! Block files, and temporary ones.

use super::pieces::{PIECE_BYTES, Piece};
use super::writer::BlockSink;
use outcrop_io::{PageFile, SpillFolder};
use outcrop_types::{
    Cancellation, Error, MemoryBudget, Purpose, Reservation, Result, Stopwatch, index_from, length_from,
};
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
    /// The bytes, if the folder may only be read.
    held: Option<Box<Held>>,
}

/// Bytes in place of a file, and their memory.
#[derive(Debug)]
struct Held {
    bytes: Vec<u8>,
    memory: Vec<Reservation>,
    /// Error for creating the file.
    reason: Option<Error>,
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
        if let Some(held) = &self.held {
            return pieces
                .iter()
                .try_for_each(|piece| {
                    cancellation.check()?;
                    let start = index_from(piece.offset);
                    let beyond = || malformed(self.path(), piece.offset);
                    let found = held.bytes.get(start..start + index_from(piece.length)).ok_or_else(beyond)?;
                    take(piece, found)
                })
                .map(|()| Duration::ZERO);
        }
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
    /// The bytes so far, if the folder may only be read, and the budget that they take memory from.
    held: Option<Box<Held>>,
    budget: MemoryBudget,
}

impl TemporarySink {
    /// Memory of a sink, in bytes.
    pub(super) const MEMORY_BYTES: u64 = length_from(WRITE_BYTES);

    /// Creates an empty file in `folder`.
    pub(super) fn new(folder: &SpillFolder, budget: &MemoryBudget) -> Self {
        let pages = PageFile::new(folder, PAGE_BYTES);
        Self { pages, waiting: Vec::with_capacity(WRITE_BYTES), written: 0, held: None, budget: budget.clone() }
    }

    fn flush(&mut self) -> Result<()> {
        let outcome = match &self.held {
            Some(_) => Ok(()),
            None => self.pages.write(self.written, std::iter::once(self.waiting.as_slice())),
        };
        match outcome {
            Err(error) if error.is_read_only() && self.written == 0 => {
                self.held = Some(Box::new(Held { bytes: Vec::new(), memory: Vec::new(), reason: Some(error) }));
            }
            outcome => outcome?,
        }
        self.hold()?;
        self.written += length_from(self.waiting.len() / PAGE_BYTES);
        self.waiting.clear();
        Ok(())
    }

    /// Keeps the waiting bytes in memory if no file can be created; returns that error if the budget has no room.
    fn hold(&mut self) -> Result<()> {
        let Some(held) = &mut self.held else { return Ok(()) };
        // Vectors grow by doubling.
        match self.budget.reserve(2 * length_from(self.waiting.len()), Purpose::HeldLists) {
            Ok(memory) => held.memory.push(memory),
            Err(error) => return Err(held.reason.take().unwrap_or(error)),
        }
        held.bytes.extend_from_slice(&self.waiting);
        Ok(())
    }

    /// Completes and returns the file.
    pub(super) fn finish(mut self) -> Result<TemporaryFile> {
        self.waiting.resize(self.waiting.len().next_multiple_of(PAGE_BYTES), 0);
        self.flush()?;
        Ok(TemporaryFile { pages: self.pages, held: self.held })
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
