//! Lists that a select or sweep visits, and the queue of their chunks for the workers.

use crate::layout::chunked::table::ChunkTable;
use crate::read::{MEMBERS_AT_ONCE, WorkQueue};
use outcrop_types::{BitSet, VertexId, VertexRange, VertexSet, length_from};
use std::ops::Range;

/// Bytes of chunks that a worker takes at once.
const BYTES_AT_ONCE: u64 = 512 << 10;

/// Requested list: its chunk, and its vertex.
pub(super) type RequestedList = (u32, VertexId);

/// Requested lists among the chunked lists.
pub(super) enum RequestedLists<'s> {
    /// Individual lists, sorted.
    Lists(Vec<RequestedList>),
    /// Lists of the members of the set, in the marked chunks.
    Members(&'s VertexSet, BitSet),
    /// Lists of the accepted vertices of the range (or of all), in the marked chunks (or in all).
    Range { range: VertexRange, filtered: Option<BitSet>, marks: Option<BitSet> },
}

impl RequestedLists<'_> {
    /// Returns true if chunk `number` may contain a requested list.
    #[inline]
    pub(super) fn chunk(&self, number: u32) -> bool {
        match self {
            Self::Lists(lists) => !lists_of(lists, number).is_empty(),
            Self::Members(_, marks) | Self::Range { marks: Some(marks), .. } => marks.contains(number),
            Self::Range { marks: None, .. } => true,
        }
    }

    /// Returns true if the list of `vertex` in chunk `number` is requested.
    #[inline]
    pub(super) fn list(&self, number: u32, vertex: VertexId) -> bool {
        match self {
            Self::Lists(lists) => lists.binary_search(&(number, vertex)).is_ok(),
            Self::Members(set, _) => set.contains(vertex),
            Self::Range { filtered: Some(filtered), .. } => filtered.contains(vertex),
            Self::Range { range, filtered: None, .. } => range.contains(vertex),
        }
    }

    /// Returns the requested lists of chunk `number`, if they are individual lists.
    pub(super) fn listed(&self, number: u32) -> Option<&[RequestedList]> {
        match self {
            Self::Lists(lists) => Some(lists_of(lists, number)),
            _ => None,
        }
    }
}

fn lists_of(lists: &[RequestedList], number: u32) -> &[RequestedList] {
    let start = lists.partition_point(|(chunk, _)| *chunk < number);
    let rest = &lists[start..];
    let count = rest.iter().take_while(|(chunk, _)| *chunk == number).count();
    &rest[..count]
}

/// Queue of chunks in file order.
pub(super) struct ChunkQueue<'s> {
    pub(super) wanted: &'s RequestedLists<'s>,
    table: &'s ChunkTable,
    queue: WorkQueue,
}

impl<'s> ChunkQueue<'s> {
    pub(super) fn new(wanted: &'s RequestedLists<'s>, table: &'s ChunkTable) -> Self {
        let (end, step) = match wanted {
            RequestedLists::Lists(lists) => (length_from(lists.len()), MEMBERS_AT_ONCE),
            _ => (table.file_bytes(), BYTES_AT_ONCE),
        };
        Self { wanted, table, queue: WorkQueue::new(0..end, step) }
    }

    /// Stops the queue.
    pub(super) fn stop(&self) {
        self.queue.stop();
    }

    /// Takes the next chunks with possible requests; `None` at the end.
    pub(super) fn take(&self) -> Option<Morsel<'s>> {
        let positions = self.queue.take()?;
        Some(match self.wanted {
            RequestedLists::Lists(lists) => Morsel::Lists(whole_chunks(lists, positions)),
            _ => Morsel::Chunks(self.table.beginning_in(positions)),
        })
    }
}

/// Unit of work for a worker.
pub(super) enum Morsel<'s> {
    /// The chunks of these lists.
    Lists(&'s [RequestedList]),
    /// Chunks by number.
    Chunks(Range<u32>),
}

impl Morsel<'_> {
    /// Calls `take` with the number of each requested chunk, ascending.
    pub(super) fn for_each_chunk(&self, wanted: &RequestedLists<'_>, mut take: impl FnMut(u32)) {
        match self {
            Self::Lists(lists) => lists.chunk_by(|a, b| a.0 == b.0).for_each(|lists| {
                if let Some((chunk, _)) = lists.first() {
                    take(*chunk);
                }
            }),
            Self::Chunks(numbers) => numbers.clone().filter(|number| wanted.chunk(*number)).for_each(take),
        }
    }
}

/// Returns the lists at these positions, adjusted so that no chunk is shared with adjacent morsels.
fn whole_chunks(lists: &[RequestedList], positions: Range<u64>) -> &[RequestedList] {
    let boundary = |position: u64| {
        let position = outcrop_types::index_from(position);
        match position.checked_sub(1).and_then(|before| lists.get(before)) {
            None => position,
            Some((chunk, _)) => {
                let rest = &lists[position..];
                position + rest.iter().take_while(|(other, _)| other == chunk).count()
            }
        }
    };
    &lists[boundary(positions.start)..boundary(positions.end)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn morsels_of_lists_share_no_chunk_and_miss_none() {
        let lists: Vec<RequestedList> = (0..1000_u32).map(|v| (v / 7 * (v % 2 + 1) / 3, v)).collect();
        let mut lists = lists;
        lists.sort_unstable();
        for step in [1, 3, 100, 2000] {
            let morsels = (0..1000).step_by(step).map(|s| whole_chunks(&lists, s..(s + step as u64).min(1000)));
            let morsels: Vec<_> = morsels.collect();
            assert_eq!(morsels.concat(), lists);
            let firsts = morsels.windows(2).filter(|pair| !pair[0].is_empty() && !pair[1].is_empty());
            assert!(firsts.into_iter().all(|pair| pair[0].last().map(|l| l.0) != pair[1].first().map(|l| l.0)));
        }
    }
}
