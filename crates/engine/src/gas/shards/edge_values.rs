//! What edges hold, block by block.

use super::block_store::{BlockStore, CELL_BYTES, Cells, empty_cells, lock};
use bytemuck::Pod;
use outcrop_store::access::BlockId;
use outcrop_types::Result;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// Values of edges. They have two sides, so that an iteration reads what the one before wrote while it writes: a block that was written
/// is turned when the iteration ends.
pub(in crate::gas) struct EdgeValues<'g> {
    intervals: usize,
    store: BlockStore<'g>,
    sides: [Cells; 2],
    current: Vec<AtomicU8>,
}

impl<'g> EdgeValues<'g> {
    /// Memory that the tables take for each block, in bytes.
    pub(in crate::gas) const BLOCK_BYTES: u64 = 2 * CELL_BYTES + 1;

    /// Nothing on any edge.
    pub(in crate::gas) fn new(intervals: usize, store: BlockStore<'g>) -> Self {
        let blocks = intervals * intervals;
        let current = (0..blocks).map(|_| AtomicU8::new(0)).collect();
        Self { intervals, store, sides: [empty_cells(blocks), empty_cells(blocks)], current }
    }

    /// How many blocks there are.
    pub(in crate::gas) const fn blocks(&self) -> usize {
        self.intervals * self.intervals
    }

    /// The number of a block.
    pub(in crate::gas) const fn slot(&self, block: BlockId) -> usize {
        block.to as usize * self.intervals + block.from as usize
    }

    fn side(&self, slot: usize) -> usize {
        usize::from(self.current[slot].load(Relaxed))
    }

    /// What the edges of a block hold now; empty where nothing was ever put on them.
    pub(in crate::gas) fn get<T: Pod>(&self, block: BlockId, into: &mut Vec<T>) -> Result<()> {
        let slot = self.slot(block);
        self.store.get(&lock(&self.sides[self.side(slot)][slot]), into)
    }

    /// Asks for what the edges of a block hold, which will be read soon.
    pub(in crate::gas) fn prefetch(&self, block: BlockId) {
        let slot = self.slot(block);
        self.store.prefetch(&lock(&self.sides[self.side(slot)][slot]));
    }

    /// What the edges of a block will hold once it is [turned](Self::turn).
    pub(in crate::gas) fn put<T: Pod>(&self, block: BlockId, values: &[T]) -> Result<()> {
        let slot = self.slot(block);
        self.store.put(&mut lock(&self.sides[1 - self.side(slot)][slot]), bytemuck::cast_slice(values))
    }

    /// Makes what was put what the edges hold.
    pub(in crate::gas) fn turn(&self, block: BlockId) {
        self.current[self.slot(block)].fetch_xor(1, Relaxed);
    }
}
