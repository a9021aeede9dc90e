//! Values on disk, streamed window by window past the lists of an interval (LOSC section 3.5: values are read in
//! sequence, not paged at random).

use super::engine::IntervalEngine;
use crate::degrees::Degrees;
use crate::interval_lists::IntervalLists;
use crate::values::{Number, read};
use outcrop_io::ValueFile;
use outcrop_types::{Direction, Error, Result, VertexId, VertexRange, length_from};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Vertices whose sums of a pass are taken together, whatever the threads, the windows or the place of values.
pub(super) const BLOCK: u32 = 1 << 13;

impl IntervalEngine<'_> {
    /// Vertices whose values of `T` fill a window: at least a block.
    pub(super) fn window_length<T>(&self) -> u32 {
        self.stretch_length(self.window_bytes, size_of::<T>())
    }

    /// Vertices of which so many bytes each take `memory`, in whole blocks.
    pub(super) fn stretch_length(&self, memory: u64, vertex_bytes: usize) -> u32 {
        let fitting = memory / length_from(vertex_bytes).max(1);
        (fitting.min(u64::from(u32::MAX)) as u32 / BLOCK * BLOCK).max(BLOCK)
    }

    /// Loads the lists of an interval in `direction` into memory that the engine holds.
    pub(super) fn construct(
        &self,
        direction: Direction,
        interval: VertexRange,
        wants: impl Fn(VertexId) -> bool + Sync,
    ) -> Result<IntervalLists> {
        let (lists, undirected) = (self.lists(direction)?, self.undirected());
        let construct = |degrees: &mut dyn Degrees| {
            IntervalLists::construct(lists, degrees, interval, self.requirements.weighted, &wants)
        };
        self.note_values(interval.len() as u64 * 4, 0);
        self.degrees.with_reader(direction, undirected, construct)
    }

    /// Refuses what the engine was not made for: an interval must hold the lists of `directions`, and of each vertex
    /// `copy_bytes`.
    pub(super) fn prepared(&self, directions: &[Direction], copy_bytes: usize) -> Result<()> {
        let held = |direction| match self.undirected() {
            true => !self.constructed.is_empty(),
            false => self.constructed.contains(direction),
        };
        if directions.iter().all(held) && copy_bytes as u64 <= self.requirements.copy_bytes {
            return Ok(());
        }
        Err(Error::internal("the engine was created with less memory per interval than needed"))
    }

    /// Hands over the values of each window that is `wanted`, in order; the next is read by another thread while one is
    /// used.
    ///
    /// # Errors
    /// A failed read; what `take` returns; interruption.
    pub(super) fn stream<T: Number>(
        &self,
        file: &ValueFile<T>,
        wanted: impl Fn(&VertexRange) -> bool + Send,
        mut take: impl FnMut(VertexRange, &[T]) -> Result<()>,
    ) -> Result<()> {
        let length = self.window_length::<T>().min(self.vertices());
        let windows = self.everything().split(length).filter(wanted);
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
fn read_windows<T: Number>(
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
