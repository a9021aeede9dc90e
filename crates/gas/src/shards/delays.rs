//! The delay buffer: changes of vertices whose out-edges are not in memory (section 4.1).

use super::block_store::{BlockStore, Cell, lock};
use outcrop_engine::Plain;
use outcrop_engine::State;
use outcrop_types::{Result, VertexId, length_from};
use std::marker::PhantomData;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Pairs of a vertex and a change, per interval, in the order of the delays. A vertex may have several pairs.
pub(crate) struct DelayBuffer<'g, C> {
    intervals: Vec<Mutex<Vec<Cell>>>,
    store: BlockStore<'g>,
    entries: AtomicU64,
    changes: PhantomData<fn() -> C>,
}

/// Changes that an interval delays in an iteration.
#[derive(Default)]
pub(crate) struct Delayed<C> {
    pub(crate) vertices: Vec<VertexId>,
    pub(crate) changes: Vec<C>,
    bytes: Vec<u8>,
}

impl<C> Delayed<C> {
    pub(crate) const fn new() -> Self {
        Self { vertices: Vec::new(), changes: Vec::new(), bytes: Vec::new() }
    }
}

impl<C> DelayBuffer<'_, C> {
    /// Bytes per pair.
    pub(crate) const ENTRY_BYTES: u64 = length_from(size_of::<VertexId>() + size_of::<C>());
}

impl<'g, C: Plain> DelayBuffer<'g, C> {
    pub(crate) fn new(intervals: usize, store: BlockStore<'g>) -> Self {
        let intervals = (0..intervals).map(|_| Mutex::default()).collect();
        Self { intervals, store, entries: AtomicU64::new(0), changes: PhantomData }
    }

    /// Returns the number of pairs.
    pub(crate) fn len(&self) -> u64 {
        self.entries.load(Relaxed)
    }

    /// Returns the bytes of all pairs.
    pub(crate) fn bytes(&self) -> u64 {
        self.len() * Self::ENTRY_BYTES
    }

    /// Appends the delayed changes of an interval, and clears `delayed`.
    pub(crate) fn append(&self, interval: usize, delayed: &mut Delayed<C>) -> Result<()> {
        if delayed.vertices.is_empty() {
            return Ok(());
        }
        self.entries.fetch_add(length_from(delayed.vertices.len()), Relaxed);
        delayed.bytes.clear();
        delayed.bytes.extend_from_slice(bytemuck::cast_slice(&delayed.vertices));
        delayed.bytes.extend_from_slice(bytemuck::cast_slice(&delayed.changes));
        let mut cell = Cell::default();
        self.store.put(&mut cell, &delayed.bytes)?;
        lock(&self.intervals[interval]).push(cell);
        delayed.vertices.clear();
        delayed.changes.clear();
        Ok(())
    }

    /// Serializes all pairs.
    pub(crate) fn visit(&self, bytes: &mut Vec<u8>, state: &mut State<'_>) -> Result<()> {
        state.shared(std::slice::from_ref(&self.entries))?;
        self.intervals.iter().try_for_each(|cells| {
            let mut cells = lock(cells);
            let mut count = cells.len() as u32;
            state.number(&mut count)?;
            cells.resize_with(count as usize, Cell::default);
            cells.iter_mut().try_for_each(|cell| self.store.visit(cell, bytes, state))
        })
    }

    /// Calls `take` with every pair of an interval, in the order of the delays.
    pub(crate) fn for_each(
        &self,
        interval: usize,
        bytes: &mut Vec<u8>,
        mut take: impl FnMut(VertexId, C),
    ) -> Result<()> {
        for cell in &*lock(&self.intervals[interval]) {
            self.store.get(cell, bytes)?;
            let count = bytes.len() / (size_of::<VertexId>() + size_of::<C>());
            let (vertices, changes) = bytes.split_at(count * size_of::<VertexId>());
            let vertices = vertices.chunks_exact(size_of::<VertexId>()).map(bytemuck::pod_read_unaligned);
            let changes = changes.chunks_exact(size_of::<C>().max(1)).map(bytemuck::pod_read_unaligned);
            vertices.zip(changes).for_each(|(vertex, change)| take(vertex, change));
        }
        Ok(())
    }

    /// Returns true if an interval has delayed changes.
    pub(crate) fn has(&self, interval: usize) -> bool {
        !lock(&self.intervals[interval]).is_empty()
    }
}
