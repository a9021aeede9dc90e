//! Values on disk, streamed window by window past the lists of an interval (LOSC section 3.5: values are read in sequence, not paged at
//! random).

use super::engine::IntervalEngine;
use super::subgraph::IntervalLists;
use super::value::IntervalValue;
use crate::cells::in_cells;
use outcrop_io::ValueFile;
use outcrop_store::access::{Neighbours, Workers};
use outcrop_types::{Error, Result, VertexId, VertexRange};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Progress through each list of an interval.
pub(super) struct Cursors<'l> {
    lists: &'l IntervalLists,
    cursors: Vec<AtomicU32>,
    /// The neighbour at each cursor: most vertices have none in most windows, and are passed over without a look at their lists.
    next: Vec<AtomicU32>,
}

/// Next neighbour in a list that was gone through: no vertex.
const NONE: u32 = u32::MAX;

impl<'l> Cursors<'l> {
    /// Memory of the cursors of a vertex, in bytes.
    pub(super) const BYTES: u64 = 8;

    /// At the beginnings.
    pub(super) fn new(lists: &'l IntervalLists, workers: &Workers) -> Self {
        let cursors = lists.offsets()[..lists.range().len()].to_vec();
        let mut next = vec![NONE; lists.range().len()];
        workers.for_each_value(&mut next, |position, next| {
            let list = lists.list(lists.range().start + position);
            *next = list.ids().first().copied().unwrap_or(NONE);
        });
        Self { lists, cursors: in_cells(cursors), next: in_cells(next) }
    }

    /// The neighbours in `window` of the vertex at `position`, and where they begin; `None` where there are none. Windows come in
    /// ascending order, of which some may be left out; to be called by one thread at a time for each vertex.
    #[inline(always)]
    pub(super) fn advance(&self, position: usize, window: VertexRange) -> Option<(usize, Neighbours<'l>)> {
        let next = self.next[position].load(Relaxed);
        (next < window.end).then(|| self.within(position, next, window))
    }

    /// Inline, as what is given back would go through memory.
    #[inline(always)]
    fn within(&self, position: usize, next: VertexId, window: VertexRange) -> (usize, Neighbours<'l>) {
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
        (begin, self.lists.stretch(begin, end))
    }
}

/// Number of `ids`, which ascend, below `limit`: of few without branches, as they would be guessed wrong.
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

/// Splits the vertices of `range` into stretches of at most `length`.
pub(super) fn stretches(range: VertexRange, length: u32) -> impl Iterator<Item = VertexRange> + Clone {
    let stretch = move |start: VertexId| VertexRange::new(start, start.saturating_add(length).min(range.end));
    range.iter().step_by(length.max(1) as usize).map(stretch)
}

impl IntervalEngine<'_> {
    /// Hands over the values of each window that is `wanted`, in order; the next is read by another thread while one is used.
    ///
    /// # Errors
    /// A failed read; what `take` returns; interruption.
    pub(super) fn stream<T: IntervalValue>(
        &self,
        file: &ValueFile<T>,
        wanted: impl Fn(&VertexRange) -> bool + Send,
        mut take: impl FnMut(VertexRange, &[T]) -> Result<()>,
    ) -> Result<()> {
        let length = self.window_length::<T>().min(self.vertices());
        let windows = stretches(self.everything(), length).filter(wanted);
        let cancellation = self.workers().cancellation();
        let (full, filled) = sync_channel(1);
        let (empty, emptied) = sync_channel(2);
        for _ in 0..2 {
            // There is room for both, and a receiver.
            _ = empty.send(Vec::with_capacity(length as usize));
        }
        // What the closure owns is dropped when it returns, so that the reader stops waiting for it.
        std::thread::scope(move |scope| {
            let (empty, filled) = (empty, filled);
            let reader = std::thread::Builder::new()
                .name("outcrop-values".to_owned())
                .spawn_scoped(scope, move || read_windows(file, windows, &emptied, &full))
                .map_err(|error| Error::io("start", "a reading thread", error))?;
            for window in filled {
                cancellation.check()?;
                let (range, values): (VertexRange, Vec<T>) = window?;
                take(range, &values)?;
                // The reader may have ended.
                _ = empty.send(values);
            }
            drop(empty);
            reader.join().map_err(|payload| Error::panicked("the thread that reads values", &*payload))
        })
    }
}

/// Fills buffers that come from `emptied`, until there are no more windows or nobody wants them.
fn read_windows<T: IntervalValue>(
    file: &ValueFile<T>,
    windows: impl Iterator<Item = VertexRange>,
    emptied: &Receiver<Vec<T>>,
    full: &SyncSender<Result<(VertexRange, Vec<T>)>>,
) {
    for range in windows {
        let Ok(mut values) = emptied.recv() else { return };
        let outcome = read(file, range, &mut values).map(|()| (range, values));
        let failed = outcome.is_err();
        if full.send(outcome).is_err() || failed {
            return;
        }
    }
}

/// Replaces `values` by those of the vertices of `range`.
pub(super) fn read<T: IntervalValue>(file: &ValueFile<T>, range: VertexRange, values: &mut Vec<T>) -> Result<()> {
    values.clear();
    values.resize(range.len(), T::zeroed());
    file.read(u64::from(range.start), values)
}
