//! Values of edges, block by block.

use super::block_store::{BlockStore, CELL_BYTES, Cells, empty_cells, lock};
use bytemuck::Pod;
use outcrop_engine::State;
use outcrop_store::access::BlockId;
use outcrop_types::Result;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// Values of edges. They have two sides, so that an iteration reads what the one before wrote while it writes: a block
/// that was written is turned when the iteration ends.
pub(crate) struct EdgeValues<'g> {
    intervals: usize,
    store: BlockStore<'g>,
    sides: [Cells; 2],
    current: Vec<AtomicU8>,
}

impl<'g> EdgeValues<'g> {
    /// Memory that the tables take for each block, in bytes.
    pub(crate) const BLOCK_BYTES: u64 = 2 * CELL_BYTES + 1;

    /// Nothing on any edge.
    pub(crate) fn new(intervals: usize, store: BlockStore<'g>) -> Self {
        let blocks = intervals * intervals;
        let current = (0..blocks).map(|_| AtomicU8::new(0)).collect();
        Self { intervals, store, sides: [empty_cells(blocks), empty_cells(blocks)], current }
    }

    /// Number of blocks.
    pub(crate) const fn blocks(&self) -> usize {
        self.intervals * self.intervals
    }

    /// The number of a block.
    pub(crate) const fn slot(&self, block: BlockId) -> usize {
        block.to as usize * self.intervals + block.from as usize
    }

    fn side(&self, slot: usize) -> usize {
        usize::from(self.current[slot].load(Relaxed))
    }

    /// Reads what the edges of a block hold now; empty where nothing was ever put on them.
    pub(crate) fn get<T: Pod>(&self, block: BlockId, into: &mut Vec<T>) -> Result<()> {
        let slot = self.slot(block);
        self.store.get(&lock(&self.sides[self.side(slot)][slot]), into)
    }

    /// Asks for what the edges of a block hold, which will be read soon.
    pub(crate) fn prefetch(&self, block: BlockId) {
        let slot = self.slot(block);
        self.store.prefetch(&lock(&self.sides[self.side(slot)][slot]));
    }

    /// Sets what the edges of a block will hold once it is [turned](Self::turn).
    pub(crate) fn put<T: Pod>(&self, block: BlockId, values: &[T]) -> Result<()> {
        let slot = self.slot(block);
        self.store.put(&mut lock(&self.sides[1 - self.side(slot)][slot]), bytemuck::cast_slice(values))
    }

    /// The same with pairs of a number and a value, such as those of a few edges by their positions in the block.
    /// `bytes` is room to do that in.
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

    /// Reads what all `count` edges of a block hold now, be it that all were put or pairs of few, when others hold
    /// zeros; empty where nothing was ever put on them. `bytes` is room to do that in.
    pub(crate) fn get_all<T: Pod>(
        &self,
        block: BlockId,
        count: usize,
        into: &mut Vec<T>,
        bytes: &mut Vec<u8>,
    ) -> Result<()> {
        let slot = self.slot(block);
        let cell = lock(&self.sides[self.side(slot)][slot]);
        if cell.length() == 0 || cell.length() >= count * size_of::<T>() {
            return self.store.get(&cell, into);
        }
        self.store.get(&cell, bytes)?;
        into.clear();
        into.resize(count, T::zeroed());
        for (position, value) in pairs(bytes) {
            if let Some(place) = into.get_mut(position as usize) {
                *place = value;
            }
        }
        Ok(())
    }

    /// Shows what all edges hold now.
    pub(crate) fn visit(&self, bytes: &mut Vec<u8>, state: &mut State<'_>) -> Result<()> {
        state.shared(&self.current)?;
        let slots = 0..self.blocks();
        slots
            .into_iter()
            .try_for_each(|slot| self.store.visit(&mut lock(&self.sides[self.side(slot)][slot]), bytes, state))
    }

    /// Makes what was put what the edges hold.
    pub(crate) fn turn(&self, block: BlockId) {
        self.current[self.slot(block)].fetch_xor(1, Relaxed);
    }
}

/// True if pairs of `few` of `all` edges are less than half of what all of them hold.
pub(crate) const fn are_few<T>(few: usize, all: usize) -> bool {
    2 * few * (size_of::<u32>() + size_of::<T>()) < all * size_of::<T>()
}

/// The pairs in a list: numbers, then values.
pub(crate) fn pairs<T: Pod>(bytes: &[u8]) -> impl Iterator<Item = (u32, T)> + '_ {
    let count = bytes.len() / (size_of::<u32>() + size_of::<T>());
    let (numbers, values) = bytes.split_at(count * size_of::<u32>());
    let numbers = numbers.chunks_exact(size_of::<u32>()).map(bytemuck::pod_read_unaligned);
    numbers.zip(values.chunks_exact(size_of::<T>().max(1)).map(bytemuck::pod_read_unaligned))
}
