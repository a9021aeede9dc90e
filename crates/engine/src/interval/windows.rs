//! Values on disk, streamed in windows past the lists of an interval (LOSC section 3.5: values are read sequentially,
//! not paged at random).

use super::engine::IntervalEngine;
use crate::degrees::Degrees;
use crate::interval_lists::IntervalLists;
use crate::values::{Number, read};
use outcrop_io::ValueFile;
use outcrop_types::{Direction, Error, Result, VertexId, VertexRange, length_from};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Number of vertices per block of sums, independent of threads, windows and the location of values.
pub(super) const BLOCK: u32 = 1 << 13;

impl IntervalEngine<'_> {
    /// Returns the number of vertices per window of `T`: at least a block.
    pub(super) fn window_length<T>(&self) -> u32 {
        self.stretch_length(self.window_bytes, size_of::<T>())
    }

    /// Returns the number of vertices with `vertex_bytes` bytes each that fit in `memory`, in whole blocks.
    pub(super) fn stretch_length(&self, memory: u64, vertex_bytes: usize) -> u32 {
        let fitting = memory / length_from(vertex_bytes).max(1);
        (fitting.min(u64::from(u32::MAX)) as u32 / BLOCK * BLOCK).max(BLOCK)
    }

    /// Loads the lists of an interval in `direction` into the engine's memory.
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

    /// Rejects operations outside the engine's requirements: an interval must fit the lists of `directions`, and
    /// `copy_bytes` bytes per vertex.
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

    /// Passes the values of each `wanted` window to `take`, in order. Another thread reads the next window meanwhile.
    ///
    /// # Errors
    /// Returns an error if a read fails, if `take` returns one, or on interruption.
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
            // The channel has capacity for both, and a receiver.
            _ = empty.send(Vec::with_capacity(length as usize));
        }
        // The closure drops its channels when it returns, so that the reader stops waiting.
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

/// Fills buffers from `emptied`, until there are no more windows or the receiver is gone.
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
