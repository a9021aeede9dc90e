//! Resident blocks: the first ones read, as long as there is room.

use outcrop_types::{Error, MemoryBudget, Purpose, Reservation, Result, index_from, length_from};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Bytes of blocks, in encoded form.
#[derive(Debug, Default)]
pub(super) struct ResidentBlocks {
    slots: Vec<OnceLock<Box<[u8]>>>,
    left: AtomicU64,
    memory: Option<Reservation>,
}

impl ResidentBlocks {
    /// Creates `bytes` bytes of room for some of `blocks` blocks; no room if `bytes` does not exceed the fixed memory
    /// of all blocks.
    pub(super) fn new(blocks: u64, bytes: u64, budget: &MemoryBudget) -> Result<Self> {
        let Some(left) = bytes.checked_sub(Self::whole_bytes(blocks, 0)).filter(|left| *left > 0) else {
            return Ok(Self::default());
        };
        let memory = Some(budget.reserve(bytes, Purpose::PageCache)?);
        let slots = (0..index_from(blocks)).map(|_| OnceLock::new()).collect();
        Ok(Self { slots, left: AtomicU64::new(left), memory })
    }

    /// Returns the memory for all of `blocks` blocks, with `bytes` bytes in total.
    pub(super) const fn whole_bytes(blocks: u64, bytes: u64) -> u64 {
        blocks * length_from(size_of::<OnceLock<Box<[u8]>>>()) + bytes
    }

    /// Reserves `bytes`, regardless of the number of resident blocks.
    pub(super) fn charge_as(&mut self, blocks: u64, bytes: u64) -> Result<()> {
        match &mut self.memory {
            Some(memory) => {
                memory.shrink_to(bytes);
                memory.grow_to(bytes)
            }
            None if bytes <= Self::whole_bytes(blocks, 0) => Ok(()),
            None => Err(Error::internal("shards without blocks are charged for blocks")),
        }
    }

    /// Returns the reserved memory, in bytes.
    pub(super) fn reserved(&self) -> u64 {
        self.memory.as_ref().map_or(0, Reservation::bytes)
    }

    /// Returns the bytes of the block at `position`, if it is resident.
    pub(super) fn get(&self, position: u64) -> Option<&[u8]> {
        self.slots.get(index_from(position))?.get().map(|bytes| &**bytes)
    }

    /// Keeps the bytes of the block at `position` if there is room.
    pub(super) fn keep(&self, position: u64, bytes: &[u8]) {
        let Some(slot) = self.slots.get(index_from(position)) else { return };
        let length = length_from(bytes.len());
        let room = self.left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(length)).is_ok();
        if room && slot.set(bytes.into()).is_err() {
            self.left.fetch_add(length, Relaxed);
        }
    }
}
