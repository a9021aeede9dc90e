//! Values of edges, block by block.

use super::block_store::{BlockStore, CELL_BYTES, Cells, empty_cells, lock};
use bytemuck::Pod;
use outcrop_engine::State;
use outcrop_store::access::BlockId;
use outcrop_types::Result;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// Edge values with two sides: an iteration reads the values of the previous one while it writes its own. A written
/// block switches sides at the end of the iteration.
pub(crate) struct EdgeValues<'g> {
    intervals: usize,
    store: BlockStore<'g>,
    sides: [Cells; 2],
    current: Vec<AtomicU8>,
}

impl<'g> EdgeValues<'g> {
    /// Memory per block for tables, in bytes.
    pub(crate) const BLOCK_BYTES: u64 = 2 * CELL_BYTES + 1;

    /// Creates edge values without any value.
    pub(crate) fn new(intervals: usize, store: BlockStore<'g>) -> Self {
        let blocks = intervals * intervals;
        let current = (0..blocks).map(|_| AtomicU8::new(0)).collect();
        Self { intervals, store, sides: [empty_cells(blocks), empty_cells(blocks)], current }
    }

    /// Returns the number of blocks.
    pub(crate) const fn blocks(&self) -> usize {
        self.intervals * self.intervals
    }

    /// Returns the number of a block.
    pub(crate) const fn slot(&self, block: BlockId) -> usize {
        block.to as usize * self.intervals + block.from as usize
    }

    fn side(&self, slot: usize) -> usize {
        usize::from(self.current[slot].load(Relaxed))
    }

    /// Reads the current edge values of a block; empty if none were ever written.
    pub(crate) fn get<T: Pod>(&self, block: BlockId, into: &mut Vec<T>) -> Result<()> {
        let slot = self.slot(block);
        self.store.get(&lock(&self.sides[self.side(slot)][slot]), into)
    }

    /// Prefetches the current edge values of a block.
    pub(crate) fn prefetch(&self, block: BlockId) {
        let slot = self.slot(block);
        self.store.prefetch(&lock(&self.sides[self.side(slot)][slot]));
    }

    /// Writes the edge values of a block, effective after its [turn](Self::turn).
    pub(crate) fn put<T: Pod>(&self, block: BlockId, values: &[T]) -> Result<()> {
        let slot = self.slot(block);
        self.store.put(&mut lock(&self.sides[1 - self.side(slot)][slot]), bytemuck::cast_slice(values))
    }

    /// Like [`Self::put`], with pairs of a number and a value, such as a few edges by position in the block. `bytes` is
    /// a buffer.
    pub(crate) fn put_pairs<T: Pod>(
        &self,
        block: BlockId,
        (numbers, values): (&[u32], &[T]),
        bytes: &mut Vec<u8>,
    ) -> Result<()> {
        bytes.clear();
        bytes.extend_from_slice(bytemuck::cast_slice(numbers));
        bytes.extend_from_slice(bytemuck::cast_slice(values));
        self.put(block, bytes)
    }

    /// Reads the current values of a block of `count` edges as they are stored: into `values`, which is empty if none
    /// were ever written, or into `bytes` as [`pairs`] of a position and a value. Returns true for pairs.
    pub(crate) fn get_stored<T: Pod>(
        &self,
        block: BlockId,
        count: usize,
        values: &mut Vec<T>,
        bytes: &mut Vec<u8>,
    ) -> Result<bool> {
        let slot = self.slot(block);
        let cell = lock(&self.sides[self.side(slot)][slot]);
        let few = cell.length() > 0 && cell.length() < count * size_of::<T>();
        if few { self.store.get(&cell, bytes) } else { self.store.get(&cell, values) }?;
        Ok(few)
    }

    /// Like [`Self::get_stored`], with zeros for edges that are not in pairs.
    pub(crate) fn get_all<T: Pod>(
        &self,
        block: BlockId,
        count: usize,
        into: &mut Vec<T>,
        bytes: &mut Vec<u8>,
    ) -> Result<()> {
        if !self.get_stored(block, count, into, bytes)? {
            return Ok(());
        }
        into.clear();
        into.resize(count, T::zeroed());
        for (position, value) in pairs(bytes) {
            if let Some(place) = into.get_mut(position as usize) {
                *place = value;
            }
        }
        Ok(())
    }

    /// Frees the memory of a block's values, which are no longer needed.
    pub(crate) fn release(&self, block: BlockId) {
        let slot = self.slot(block);
        self.sides.iter().for_each(|side| self.store.release(&mut lock(&side[slot])));
    }

    /// Serializes all current edge values.
    pub(crate) fn visit(&self, bytes: &mut Vec<u8>, state: &mut State<'_>) -> Result<()> {
        state.shared(&self.current)?;
        let slots = 0..self.blocks();
        slots
            .into_iter()
            .try_for_each(|slot| self.store.visit(&mut lock(&self.sides[self.side(slot)][slot]), bytes, state))
    }

    /// Makes the written values of a block current.
    pub(crate) fn turn(&self, block: BlockId) {
        self.current[self.slot(block)].fetch_xor(1, Relaxed);
    }
}

/// Returns true if pairs for `few` edges are less than half as large as the values of `all`.
pub(crate) const fn are_few<T>(few: usize, all: usize) -> bool {
    2 * few * (size_of::<u32>() + size_of::<T>()) < all * size_of::<T>()
}

/// Returns the pairs in a list: first numbers, then values.
pub(crate) fn pairs<T: Pod>(bytes: &[u8]) -> impl Iterator<Item = (u32, T)> + '_ {
    let count = bytes.len() / (size_of::<u32>() + size_of::<T>());
    let (numbers, values) = bytes.split_at(count * size_of::<u32>());
    let numbers = numbers.chunks_exact(size_of::<u32>()).map(bytemuck::pod_read_unaligned);
    numbers.zip(values.chunks_exact(size_of::<T>().max(1)).map(bytemuck::pod_read_unaligned))
}
