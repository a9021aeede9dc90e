//! Merges sorted runs.

use super::super::entry::{destination, message};
use crate::messages::Plain;
use outcrop_io::{SpillFile, SpillReader};
use outcrop_types::{Cancellation, Result, VertexId, index_from};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// A run that is read through a buffer of whole entries.
struct Run<'b> {
    reader: SpillReader,
    end: u64,
    buffer: &'b mut [u8],
    rest: Range<usize>,
}

impl Run<'_> {
    /// The next entry.
    fn next(&mut self, entry_bytes: usize) -> Result<Option<&[u8]>> {
        if self.rest.is_empty() {
            let left = index_from(self.end - self.reader.position());
            self.rest = 0..left.min(self.buffer.len());
            self.reader.read_exact(&mut self.buffer[self.rest.clone()])?;
        }
        let start = self.rest.start;
        self.rest.start = (start + entry_bytes).min(self.rest.end);
        Ok(Some(&self.buffer[start..self.rest.start]).filter(|entry| !entry.is_empty()))
    }
}

/// Hands over the entries of some runs in the order of their destinations, read through `memory`, which holds an entry for each run. Returns
/// how many bytes were read.
pub(super) fn merge<M: Plain>(
    file: &SpillFile,
    places: &[Range<u64>],
    (memory, entry_bytes): (&mut [u8], usize),
    cancellation: &Cancellation,
    mut take: impl FnMut(VertexId, M) -> Result<()>,
) -> Result<u64> {
    let each = memory.len() / places.len().max(1) / entry_bytes * entry_bytes;
    let mut runs = Vec::with_capacity(places.len());
    for (place, buffer) in places.iter().zip(memory.chunks_exact_mut(each.max(entry_bytes))) {
        runs.push(Run { reader: file.open()?.at(place.start), end: place.end, buffer, rest: 0..0 });
    }
    let mut heads = BinaryHeap::with_capacity(runs.len());
    let mut messages = Vec::with_capacity(runs.len());
    for (number, run) in runs.iter_mut().enumerate() {
        let entry = run.next(entry_bytes)?;
        messages.push(entry.map_or(M::zeroed(), message));
        entry.into_iter().for_each(|entry| heads.push(Reverse((destination(entry), number))));
    }
    let mut merged = 0_u32;
    while let Some(mut head) = heads.peek_mut() {
        let Reverse((to, number)) = *head;
        take(to, messages[number])?;
        match runs[number].next(entry_bytes)? {
            Some(entry) => {
                messages[number] = message(entry);
                *head = Reverse((destination(entry), number));
            }
            None => _ = std::collections::binary_heap::PeekMut::pop(head),
        }
        merged = merged.wrapping_add(1);
        if merged.is_multiple_of(1 << 16) {
            cancellation.check()?;
        }
    }
    Ok(places.iter().map(|place| place.end - place.start).sum())
}
