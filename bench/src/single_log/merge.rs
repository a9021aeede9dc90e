//! Merges sorted runs.

use super::entry::destination;
use outcrop_io::SpillReader;
use outcrop_types::{Cancellation, Result, index_from};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::ops::Range;

/// Number of entries between checks for cancellation.
const CHECK: u32 = 1 << 16;

/// Cursor in a sorted run.
pub(super) enum RunCursor<'r> {
    Memory {
        entries: &'r [u8],
        place: usize,
    },
    /// Read through a buffer of whole entries.
    Disk {
        reader: SpillReader,
        end: u64,
        buffer: Vec<u8>,
        rest: Range<usize>,
    },
}

impl<'r> RunCursor<'r> {
    pub(super) const fn in_memory(entries: &'r [u8]) -> Self {
        Self::Memory { entries, place: 0 }
    }

    /// Creates a cursor from the position of `reader` to `end`.
    pub(super) fn on_disk(reader: SpillReader, end: u64, buffer_bytes: usize) -> Self {
        Self::Disk { reader, end, buffer: vec![0; buffer_bytes], rest: 0..0 }
    }

    /// Returns the current entry.
    fn head(&mut self, entry_bytes: usize) -> Result<Option<&[u8]>> {
        let rest = match self {
            Self::Memory { entries, place } => entries.get(*place..),
            Self::Disk { reader, end, buffer, rest } => {
                if rest.start == rest.end {
                    *rest = 0..index_from(*end - reader.position()).min(buffer.len());
                    reader.read_exact(&mut buffer[rest.clone()])?;
                }
                buffer.get(rest.clone())
            }
        };
        Ok(rest.and_then(|rest| rest.get(..entry_bytes)))
    }

    /// Moves to the next entry.
    const fn advance(&mut self, entry_bytes: usize) {
        match self {
            Self::Memory { place, .. } => *place += entry_bytes,
            Self::Disk { rest, .. } => rest.start += entry_bytes,
        }
    }
}

/// Passes the entries of some runs to `take`, ordered by destination.
pub(super) fn merge(
    runs: &mut [RunCursor<'_>],
    entry_bytes: usize,
    cancellation: &Cancellation,
    take: &mut dyn FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    let mut heads = BinaryHeap::with_capacity(runs.len());
    for (number, run) in runs.iter_mut().enumerate() {
        heads.extend(run.head(entry_bytes)?.map(|entry| Reverse((destination(entry), number))));
    }
    let mut merged = 0_u32;
    while let Some(mut head) = heads.peek_mut() {
        let Reverse((_, number)) = *head;
        let run = &mut runs[number];
        run.head(entry_bytes)?.map_or(Ok(()), &mut *take)?;
        run.advance(entry_bytes);
        match run.head(entry_bytes)? {
            Some(entry) => *head = Reverse((destination(entry), number)),
            None => _ = PeekMut::pop(head),
        }
        merged = merged.wrapping_add(1);
        if merged.is_multiple_of(CHECK) {
            cancellation.check()?;
        }
    }
    Ok(())
}
