//! Messages sorted by destination.

use outcrop_io::SpillFile;
use outcrop_messages::log::DrainedEntries;
use outcrop_types::{Cancellation, Result, VertexRange, index_from, length_from};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Bytes read and written.
#[derive(Debug, Default)]
pub(super) struct Traffic {
    pub(super) read: AtomicU64,
    pub(super) written: AtomicU64,
}

/// Messages of all intervals, sorted by destination.
#[derive(Debug)]
pub(super) struct Sorted {
    pub(super) place: Place,
    pub(super) entry_bytes: usize,
    /// Number of the first entry of each interval, and of all entries.
    pub(super) firsts: Vec<u64>,
    pub(super) cancellation: Cancellation,
    pub(super) traffic: Arc<Traffic>,
}

#[derive(Debug)]
pub(super) enum Place {
    Memory(Vec<u8>),
    Disk(SpillFile),
}

impl Sorted {
    /// Returns the numbers of the entries to an interval.
    pub(super) fn of(&self, interval: usize) -> Range<u64> {
        self.firsts[interval]..self.firsts[interval + 1]
    }

    /// Returns the number of all entries.
    pub(super) fn len(&self) -> u64 {
        self.firsts.last().map_or(0, |entries| *entries)
    }
}

/// Range of entries, by number.
#[derive(Debug)]
pub(super) struct Slice {
    pub(super) sorted: Arc<Sorted>,
    pub(super) entries: Range<u64>,
}

impl DrainedEntries for Slice {
    fn scan(&self, staging: &mut [u8], take: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let Sorted { place, entry_bytes, cancellation, traffic, .. } = &*self.sorted;
        let bytes = self.entries.start * length_from(*entry_bytes)..self.entries.end * length_from(*entry_bytes);
        let file = match place {
            Place::Memory(all) => return take(&all[index_from(bytes.start)..index_from(bytes.end)]),
            Place::Disk(file) => file,
        };
        let mut reader = file.open()?.at(bytes.start);
        let whole = staging.len() / entry_bytes * entry_bytes;
        while reader.position() < bytes.end {
            cancellation.check()?;
            let left = index_from(bytes.end - reader.position());
            let piece = &mut staging[..whole.min(left)];
            reader.read_exact(piece)?;
            traffic.read.fetch_add(length_from(piece.len()), Relaxed);
            take(piece)?;
        }
        Ok(())
    }
}

/// Finds the starts of the intervals in ordered entries.
pub(super) struct Firsts<'r> {
    ranges: &'r [VertexRange],
    firsts: Vec<u64>,
}

impl<'r> Firsts<'r> {
    pub(super) fn new(ranges: &'r [VertexRange]) -> Self {
        Self { ranges, firsts: Vec::with_capacity(ranges.len() + 1) }
    }

    /// Records that the entry with this number has the destination `to`.
    #[inline]
    pub(super) fn note(&mut self, to: u32, number: u64) {
        while self.ranges.get(self.firsts.len()).is_some_and(|range| range.start <= to) {
            self.firsts.push(number);
        }
    }

    /// Completes the starts with the number of entries.
    pub(super) fn finish(mut self, entries: u64) -> Vec<u64> {
        self.firsts.resize(self.ranges.len() + 1, entries);
        self.firsts
    }
}
