//! Reads the segments of a journal.

use super::block::{BlockKind, BlockRecord, largest_block};
use super::entry::SegmentEntry;
use crate::component::{Component, ComponentReader, units_for};
use crate::manifest::OriginalIds;
use crate::store::Store;
use crate::writing::{EdgeBatch, IdKind};
use bytemuck::Zeroable;
use outcrop_io::IoChoice;
use outcrop_types::{Cancellation, Error, Result, index_from, length_from};
use xxhash_rust::xxh3::Xxh3;

/// Records of an index that are read at once.
const RECORDS: usize = 256;

/// Reader of the blocks of a segment, from front to back.
pub(crate) struct SegmentReader {
    blocks: ComponentReader,
    index: ComponentReader,
    entry: SegmentEntry,
    records: Vec<BlockRecord>,
    next: u64,
    bytes: Vec<u8>,
    digest: Xxh3,
}

impl SegmentReader {
    /// Memory of a reader of blocks with ids of a `kind`, and of two batches, in bytes.
    pub(crate) const fn memory(kind: IdKind) -> u64 {
        2 * Component::READER_BYTES + length_from(RECORDS * size_of::<BlockRecord>() + 4 * largest_block(kind))
    }

    /// Opens the segment that `entry` tells of.
    ///
    /// # Errors
    /// A component is missing or of another length.
    pub(crate) fn open(store: &Store, entry: SegmentEntry, io: IoChoice) -> Result<Self> {
        let open = |name: &str, bytes: Option<u64>| {
            let component = store.component(name, io)?;
            if bytes.map(units_for) != Some(component.units()) {
                return Err(Error::corrupt(component.path(), "it does not have the length that its blocks need"));
            }
            component.reader()
        };
        let [blocks, index] = entry.file_names();
        let index_bytes = entry.blocks.checked_mul(length_from(size_of::<BlockRecord>()));
        let (blocks, index) = (open(&blocks, Some(entry.bytes))?, open(&index, index_bytes)?);
        Ok(Self { blocks, index, entry, records: Vec::new(), next: 0, bytes: Vec::new(), digest: Xxh3::new() })
    }

    /// Replaces the content of `batch` with the next block that is `wanted`; its kind, and `None` at the end.
    ///
    /// # Errors
    /// The segment is damaged or cannot be read.
    pub(crate) fn next_block(
        &mut self,
        wanted: impl Fn(BlockKind, &BlockRecord) -> bool,
        batch: &mut EdgeBatch,
    ) -> Result<Option<BlockKind>> {
        while self.next < self.entry.blocks {
            let record = self.record()?;
            self.next += 1;
            let kind = record
                .kind()
                .filter(|_| record.bytes <= length_from(largest_block(IdKind::Text)))
                .ok_or_else(|| self.damaged())?;
            if !wanted(kind, &record) {
                continue;
            }
            if record.offset.checked_add(record.bytes).is_none_or(|end| end > self.entry.bytes) {
                return Err(self.damaged());
            }
            self.bytes.resize(index_from(record.bytes), 0);
            self.blocks.read_at(record.offset, &mut self.bytes)?;
            self.digest.update(bytemuck::bytes_of(&record));
            self.digest.update(&self.bytes);
            record.read(&self.bytes, batch).ok_or_else(|| self.damaged())?;
            return Ok(Some(kind));
        }
        Ok(None)
    }

    fn record(&mut self) -> Result<BlockRecord> {
        let place = index_from(self.next) % RECORDS;
        if place == 0 {
            let count = (self.entry.blocks - self.next).min(length_from(RECORDS));
            self.records.resize(index_from(count), BlockRecord::zeroed());
            let position = self.next * length_from(size_of::<BlockRecord>());
            self.index.read_at(position, bytemuck::cast_slice_mut(&mut self.records))?;
        }
        self.records.get(place).copied().ok_or_else(|| self.damaged())
    }

    /// Bytes of the block that was read last.
    pub(super) fn block_bytes(&self) -> u64 {
        length_from(self.bytes.len())
    }

    fn damaged(&self) -> Error {
        Error::corrupt(self.blocks.path(), "it has right checksums, but its blocks are not as they must be")
    }
}

/// Kind of the ids of `store`.
pub(crate) fn id_kind(store: &Store) -> IdKind {
    match store.manifest().ids {
        OriginalIds::Text => IdKind::Text,
        OriginalIds::Dense | OriginalIds::Integer => IdKind::Integer,
    }
}

/// Makes sure that the segments hold what the manifest says.
///
/// # Errors
/// They do not, or cannot be read; interruption.
pub(crate) fn check(store: &Store, io: IoChoice, cancellation: &Cancellation) -> Result<()> {
    let segments = store.manifest().journal.iter().flat_map(|journal| &journal.segments);
    let mut batch = EdgeBatch::empty(IdKind::Integer);
    for segment in segments {
        let (blocks, bytes) = (segment.blocks, segment.bytes);
        let mut found = SegmentEntry { generation: segment.generation, blocks, bytes, ..SegmentEntry::default() };
        let mut reader = SegmentReader::open(store, *segment, io)?;
        while let Some(kind) = reader.next_block(|_, _| true, &mut batch)? {
            cancellation.check()?;
            found.count(kind, &batch.endpoints, &batch.times);
        }
        found.digest = reader.digest.digest();
        if found != *segment {
            return Err(reader.damaged());
        }
    }
    Ok(())
}
