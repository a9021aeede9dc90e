//! Verifies every block of a store, and the checksum of the file listed in the manifest.

use super::format::BLOCKS_NAME;
use super::stored::{StoredShards, entry_of, reading_of};
use crate::access::{BlockId, Shards, Workers};
use crate::component::Component;
use crate::layout::sliding::entry::SlidingEntry;
use crate::store::Store;
use outcrop_io::{IoChoice, ReadRequest, ReadSource};
use outcrop_types::{Error, MemoryBudget, MemoryPlan, Purpose, Result, length_from};
use xxhash_rust::xxh3::Xxh3;

/// Returns the memory for verifying the blocks.
pub(crate) fn blocks_memory(entry: &SlidingEntry, weighted: bool) -> MemoryPlan {
    MemoryPlan::new()
        .with(Purpose::Index, StoredShards::bytes(entry))
        .with(Purpose::IoBuffers, reading_of(entry, weighted).bytes() + Component::READER_BYTES)
}

/// Verifies every block, the order of its arcs, and the checksum of the whole file; calls `done` with the number of
/// verified bytes.
///
/// # Errors
/// Returns an error on any difference from the written data, if the budget is too small, or on interruption.
pub(crate) fn verify_blocks(
    store: &Store,
    io: IoChoice,
    budget: &MemoryBudget,
    workers: &Workers,
    done: &mut dyn FnMut(u64),
) -> Result<()> {
    let shards = StoredShards::open(store, io, 1, budget, workers.cancellation())?;
    let (weighted, entry) = (store.manifest().graph.weighted, entry_of(store)?);
    let _buffers = budget.reserve(reading_of(entry, weighted).bytes(), Purpose::IoBuffers)?;
    let mut digest = Xxh3::new();
    for to in 0..entry.intervals {
        let blocks: Vec<BlockId> = (0..entry.intervals).map(|from| BlockId { from, to }).collect();
        shards.read_with_checksums(&blocks, &mut |place, arcs, checksum| {
            checksum.iter().for_each(|checksum| digest.update(&checksum.to_le_bytes()));
            done(blocks.get(place).map_or(0, |block| shards.bytes(*block)));
            if arcs.sources.iter().zip(&arcs.targets).is_sorted() {
                return Ok(());
            }
            Err(Error::corrupt(shards.path(), format!("the arcs into interval {to} are not sorted")))
        })?;
    }
    verify_end(&shards, store, io)?;
    match store.manifest().file(BLOCKS_NAME) {
        Some(file) if file.checksum == format!("{:016x}", digest.digest()) => Ok(()),
        _ => Err(Error::corrupt(shards.path(), "its blocks have valid checksums, but differ from the manifest")),
    }
}

/// Checks that zeros fill the file from the last block to a multiple of 4096 bytes.
fn verify_end(shards: &StoredShards, store: &Store, io: IoChoice) -> Result<()> {
    let blocks = store.component(BLOCKS_NAME, io)?;
    let (end, length) = (shards.total_bytes(), blocks.device().len());
    if end.next_multiple_of(length_from(outcrop_io::ALIGNMENT)) != length {
        return Err(Error::corrupt(blocks.path(), "its length differs from that of its blocks"));
    }
    if end == length {
        return Ok(());
    }
    let mut tail = Tail { begin: end, length, read: false, zeros: true };
    blocks.device().reader(outcrop_io::ALIGNMENT)?.read_many(1, &mut tail)?;
    if tail.zeros { Ok(()) } else { Err(Error::corrupt(blocks.path(), "there is data after its blocks")) }
}

/// Reader of the last page of the file.
struct Tail {
    begin: u64,
    length: u64,
    read: bool,
    zeros: bool,
}

impl ReadSource for Tail {
    fn next(&mut self) -> Result<Option<ReadRequest>> {
        let offset = self.length.saturating_sub(length_from(outcrop_io::ALIGNMENT));
        let request = ReadRequest { offset, length: outcrop_io::ALIGNMENT, token: offset };
        Ok((!std::mem::replace(&mut self.read, true)).then_some(request))
    }

    fn ready(&mut self, offset: u64, bytes: &[u8]) -> Result<()> {
        let behind = (offset..).zip(bytes).filter(|(place, _)| *place >= self.begin);
        self.zeros = behind.fold(true, |zeros, (_, byte)| zeros && *byte == 0);
        Ok(())
    }
}
