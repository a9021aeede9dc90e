//! Block files of a store.

use super::file::{BlockFile, WINDOW_BYTES};
use super::pieces::Piece;
use outcrop_io::{Device, ReadRequest, ReadSource, Reader};
use outcrop_types::{Cancellation, Result, index_from, length_from};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Requests in flight per thread: windows are short.
const DEPTH: usize = 64;

/// Block file of a store.
pub struct StoredFile {
    device: Arc<dyn Device>,
    /// Readers, one per thread of a pool, and one for all other threads.
    readers: Vec<Mutex<Option<Box<dyn Reader>>>>,
}

impl StoredFile {
    /// Memory per reading thread, in bytes.
    pub(crate) const BUFFER_BYTES: u64 = 2 * WINDOW_BYTES;

    /// Creates a file for up to `threads` reading threads.
    pub(crate) fn new(device: Arc<dyn Device>, threads: usize) -> Self {
        Self { device, readers: (0..=threads).map(|_| Mutex::default()).collect() }
    }

    /// Releases the buffers; the next read creates new ones.
    pub(crate) fn suspend(&mut self) {
        self.readers.iter_mut().for_each(|reader| *reader = Mutex::default());
    }

    /// Returns the underlying device.
    pub(crate) fn device(&self) -> &Arc<dyn Device> {
        &self.device
    }

    fn reader(&self) -> Result<Box<dyn Reader>> {
        let window = self.device.len().next_multiple_of(length_from(outcrop_io::ALIGNMENT)).clamp(1, WINDOW_BYTES);
        self.device.reader(index_from(window))
    }

    /// Returns the slot of this thread's reader.
    fn slot(&self) -> Option<MutexGuard<'_, Option<Box<dyn Reader>>>> {
        let others = self.readers.len().saturating_sub(1);
        let number = rayon::current_thread_index().map_or(others, |index| index.min(others));
        match self.readers.get(number)?.try_lock() {
            Ok(guard) => Some(guard),
            Err(std::sync::TryLockError::Poisoned(poisoned)) => Some(PoisonError::into_inner(poisoned)),
            Err(std::sync::TryLockError::WouldBlock) => None,
        }
    }
}

impl BlockFile for StoredFile {
    fn path(&self) -> &Path {
        self.device.path()
    }

    fn alignment(&self) -> u64 {
        self.device.alignment()
    }

    fn buffer_bytes(&self) -> u64 {
        Self::BUFFER_BYTES
    }

    fn read(
        &self,
        pieces: &[Piece],
        cancellation: &Cancellation,
        take: &mut dyn FnMut(&Piece, &[u8]) -> Result<()>,
    ) -> Result<Duration> {
        let mut source = InOrder { pieces, asked: 0, taken: 0, early: BTreeMap::new(), waiting: 0, cancellation, take };
        let Some(mut slot) = self.slot() else { return self.reader()?.read_many(DEPTH, &mut source) };
        if slot.is_none() {
            *slot = Some(self.reader()?);
        }
        slot.as_mut().map_or(Ok(Duration::ZERO), |reader| reader.read_many(DEPTH, &mut source))
    }
}

/// Delivers pieces in order, regardless of the order of arrival.
struct InOrder<'p> {
    pieces: &'p [Piece],
    asked: usize,
    taken: usize,
    early: BTreeMap<usize, Vec<u8>>,
    /// Bytes requested but not yet delivered.
    waiting: u64,
    cancellation: &'p Cancellation,
    take: &'p mut dyn FnMut(&Piece, &[u8]) -> Result<()>,
}

impl InOrder<'_> {
    fn hand_over(&mut self, bytes: &[u8]) -> Result<()> {
        let Some(piece) = self.pieces.get(self.taken) else { return Ok(()) };
        self.taken += 1;
        self.waiting = self.waiting.saturating_sub(piece.length);
        (self.take)(piece, bytes)
    }
}

impl ReadSource for InOrder<'_> {
    fn next(&mut self) -> Result<Option<ReadRequest>> {
        self.cancellation.check()?;
        let Some(piece) = self.pieces.get(self.asked).filter(|_| self.waiting < WINDOW_BYTES) else { return Ok(None) };
        let token = length_from(self.asked);
        self.asked += 1;
        self.waiting += piece.length;
        Ok(Some(ReadRequest { offset: piece.offset, length: index_from(piece.length), token }))
    }

    fn ready(&mut self, token: u64, bytes: &[u8]) -> Result<()> {
        let number = index_from(token);
        if number != self.taken {
            self.early.insert(number, bytes.to_vec());
            return Ok(());
        }
        self.hand_over(bytes)?;
        while let Some(bytes) = self.early.remove(&self.taken) {
            self.hand_over(&bytes)?;
        }
        Ok(())
    }
}
