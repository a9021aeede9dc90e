//! Positions in the lists of an interval, while the values of all vertices stream by.

use crate::atomic_lists::as_atomics;
use crate::interval_lists::IntervalLists;
use outcrop_store::access::{Neighbors, Workers};
use outcrop_types::{VertexId, VertexRange};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Progress through each list of an interval.
pub(super) struct Cursors<'l> {
    lists: &'l IntervalLists,
    cursors: Vec<AtomicU32>,
    /// Neighbor at each cursor. Most vertices have no neighbor in most windows; they are skipped without reading their
    /// lists.
    next: Vec<AtomicU32>,
}

/// Next neighbor of an exhausted list: no vertex.
const NONE: u32 = u32::MAX;

impl<'l> Cursors<'l> {
    /// Memory per vertex for cursors, in bytes.
    pub(super) const BYTES: u64 = 8;

    /// Places a cursor at the beginning of each list.
    pub(super) fn new(lists: &'l IntervalLists, workers: &Workers) -> Self {
        let cursors = lists.offsets()[..lists.range().len()].to_vec();
        let mut next = vec![NONE; lists.range().len()];
        workers.for_each_value(&mut next, |position, next| {
            let list = lists.list(lists.range().start + position);
            *next = list.ids().first().copied().unwrap_or(NONE);
        });
        Self { lists, cursors: as_atomics(cursors), next: as_atomics(next) }
    }

    /// Returns the neighbors in `window` of the vertex at `position`, or `None` if there are none. Windows must ascend;
    /// some may be skipped. Only one thread at a time may call this for a vertex.
    #[inline(always)]
    pub(super) fn advance(&self, position: usize, window: VertexRange) -> Option<Neighbors<'l>> {
        let next = self.next[position].load(Relaxed);
        (next < window.end).then(|| self.within(position, next, window))
    }

    /// Inlined, because the result would otherwise be passed through memory.
    #[inline(always)]
    fn within(&self, position: usize, next: VertexId, window: VertexRange) -> Neighbors<'l> {
        let mut begin = self.cursors[position].load(Relaxed) as usize;
        let list_end = self.lists.offsets()[position + 1] as usize;
        let rest = self.lists.stretch(begin, list_end).ids();
        let end = begin + count_below(rest, window.end);
        if next < window.start {
            begin += rest.partition_point(|id| *id < window.start);
        }
        let after = if end < list_end { self.lists.stretch(end, list_end).ids()[0] } else { NONE };
        self.cursors[position].store(end as u32, Relaxed);
        self.next[position].store(after, Relaxed);
        self.lists.stretch(begin, end)
    }
}

/// Returns the number of the ascending `ids` below `limit`. Short slices are counted without branches, which would be
/// mispredicted.
#[inline(always)]
fn count_below(ids: &[VertexId], limit: VertexId) -> usize {
    const FEW: usize = 8;
    let Some((few, rest)) = ids.split_first_chunk::<FEW>() else {
        return ids.iter().map(|id| usize::from(*id < limit)).sum();
    };
    match few.iter().map(|id| usize::from(*id < limit)).sum() {
        FEW => FEW + rest.partition_point(|id| *id < limit),
        count => count,
    }
}
