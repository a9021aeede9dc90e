//! Verification of a whole chunk file: every chunk, and the checksum in the manifest.

use crate::component::{Component, UnitSeal};
use crate::layout::chunked::entry::ChunkedEntry;
use crate::layout::chunked::format::{CHECKSUM_BYTES, chunks_name};
use crate::layout::chunked::table::ChunkTable;
use crate::store::Store;
use outcrop_io::{IoChoice, ReadRequest, ReadSource};
use outcrop_types::{
    Cancellation, Error, MemoryBudget, MemoryPlan, Purpose, Result, VertexValues, index_from, length_from, number_from,
};
use xxhash_rust::xxh3::Xxh3;

/// Minimum bytes per request; a larger chunk is a request of its own.
const REQUEST_BYTES: u64 = 256 << 10;
const DEPTH: usize = 4;

/// Returns the memory that verifying the chunks of a direction reserves from the budget.
pub(crate) fn chunks_memory(entry: &ChunkedEntry) -> MemoryPlan {
    MemoryPlan::new()
        .with(Purpose::Index, ChunkTable::bytes(entry) + VertexValues::<u64>::bytes(u64::from(entry.chunks())))
        .with(Purpose::IoBuffers, length_from(buffer_bytes(entry)) + Component::READER_BYTES)
}

fn buffer_bytes(entry: &ChunkedEntry) -> usize {
    2 * (entry.settings.largest_chunk() + index_from(REQUEST_BYTES))
}

/// Verifies every chunk of a direction, and the checksum of the whole file; reports bytes to `done`.
///
/// # Errors
/// Returns an error if anything is damaged, if the budget is too small, or on interruption.
pub(crate) fn verify_chunks(
    store: &Store,
    entry: &ChunkedEntry,
    io: IoChoice,
    budget: &MemoryBudget,
    cancellation: &Cancellation,
    done: &mut dyn FnMut(u64),
) -> Result<()> {
    let name = chunks_name(entry.direction);
    let chunks = store.component(&name, io)?;
    let table = ChunkTable::load(store, entry, chunks.device().len(), io, budget, cancellation)?;
    let _buffers = budget.reserve(length_from(buffer_bytes(entry)), Purpose::IoBuffers)?;
    let checksums = VertexValues::new(budget, Purpose::Index, index_from(u64::from(table.len())), |_| 0_u64)?;
    let (path, seal) = (chunks.path().to_owned(), chunks.seal());
    let mut stream = Stream { table: &table, seal, path: &path, next: 0, checksums, cancellation, done };
    chunks.device().reader(buffer_bytes(entry))?.read_many(DEPTH, &mut stream)?;
    let mut digest = Xxh3::new();
    stream.checksums.iter().for_each(|checksum| digest.update(&checksum.to_le_bytes()));
    match store.manifest().file(&name) {
        Some(file) if file.checksum == format!("{:016x}", digest.digest()) => Ok(()),
        _ => Err(Error::corrupt(path, "its chunks have valid checksums, but differ from the manifest")),
    }
}

struct Stream<'s> {
    table: &'s ChunkTable,
    seal: UnitSeal,
    path: &'s std::path::Path,
    next: u32,
    checksums: VertexValues<u64>,
    cancellation: &'s Cancellation,
    done: &'s mut dyn FnMut(u64),
}

impl ReadSource for Stream<'_> {
    fn next(&mut self) -> Result<Option<ReadRequest>> {
        self.cancellation.check()?;
        let first = self.next;
        if first >= self.table.len() {
            return Ok(None);
        }
        let begin = self.table.bytes_of(first).start;
        let mut end = begin;
        while self.next < self.table.len()
            && (end == begin || self.table.bytes_of(self.next).end - begin <= REQUEST_BYTES)
        {
            end = self.table.bytes_of(self.next).end;
            self.next += 1;
        }
        Ok(Some(ReadRequest { offset: begin, length: index_from(end - begin), token: u64::from(first) }))
    }

    fn ready(&mut self, first: u64, bytes: &[u8]) -> Result<()> {
        let mut number = number_from(first);
        let begin = self.table.bytes_of(number).start;
        let end = begin + length_from(bytes.len());
        (self.done)(end - begin);
        while number < self.table.len() && self.table.bytes_of(number).end <= end {
            let range = self.table.bytes_of(number);
            let chunk = &bytes[index_from(range.start - begin)..index_from(range.end - begin)];
            let Some((header, payload)) = chunk.split_first_chunk::<CHECKSUM_BYTES>() else { return Ok(()) };
            let found = self.seal.checksum(u64::from(number), payload);
            if found != u64::from_le_bytes(*header) {
                let message = format!("chunk {number} (at byte {}) fails its checksum", range.start);
                return Err(Error::corrupt(self.path, message));
            }
            if let Some(checksum) = self.checksums.get_mut(index_from(u64::from(number))) {
                *checksum = found;
            }
            number += 1;
        }
        Ok(())
    }
}
