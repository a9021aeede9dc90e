//! Reader of the segments of a journal.

use super::block::{BlockKind, BlockRecord, BlockShape, OldRecord, largest_block};
use super::entry::SegmentEntry;
use crate::component::{ComponentReader, PAYLOAD_BYTES};
use crate::identity::{GraphIdentity, Head};
use crate::manifest::OriginalIds;
use crate::store::Store;
use crate::writing::{EdgeBatch, IdKind};
use bytemuck::Zeroable;
use outcrop_io::IoChoice;
use outcrop_types::{Cancellation, Error, Result, index_from, length_from};
use xxhash_rust::xxh3::Xxh3;

/// Number of index records read at once.
const RECORDS: usize = 256;
/// Payload bytes copied at once, in whole units.
const COPY_BYTES: usize = 32 * PAYLOAD_BYTES;
/// Buffers for sequential reading of a segment component.
const BUFFERS: usize = 256 << 10;

/// Sequential reader of the records and blocks of a segment.
pub(crate) struct SegmentReader {
    blocks: ComponentReader,
    index: ComponentReader,
    entry: SegmentEntry,
    shape: BlockShape,
    records: Vec<BlockRecord>,
    next: u64,
    /// Generation of the last record; later records must not be older.
    generation: u64,
    bytes: Vec<u8>,
}

impl SegmentReader {
    /// Returns the memory of a reader of blocks with IDs of a `kind`, and of two batches, in bytes.
    pub(crate) const fn memory(kind: IdKind) -> u64 {
        2 * length_from(BUFFERS) + length_from(RECORDS * size_of::<BlockRecord>() + 4 * largest_block(kind))
    }

    /// Memory of a reader whose blocks are copied unchanged, in bytes.
    pub(crate) const COPYING_BYTES: u64 = 2 * length_from(BUFFERS) + length_from(2 * COPY_BYTES);

    /// Opens the segment described by `entry`.
    ///
    /// # Errors
    ///
    /// Returns an error if a component is missing or has another length.
    pub(crate) fn open(store: &Store, entry: SegmentEntry, io: IoChoice) -> Result<Self> {
        let [blocks, index] = entry.file_names();
        let open = |name: &str| store.component(name, io)?.reader_of(BUFFERS);
        let (blocks, index) = (open(&blocks)?, open(&index)?);
        let generation = entry.first.unwrap_or(entry.generation);
        let shape = shape_of(store);
        Ok(Self { blocks, index, entry, shape, records: Vec::new(), next: 0, generation, bytes: Vec::new() })
    }

    /// Returns the next record; `None` at the end.
    ///
    /// # Errors
    ///
    /// Returns an error if the segment is damaged or cannot be read.
    pub(super) fn next_record(&mut self) -> Result<Option<BlockRecord>> {
        if self.next >= self.entry.blocks {
            return Ok(None);
        }
        let record = self.record()?;
        self.next += 1;
        let ordered = self.generation <= record.generation && record.generation <= self.entry.generation;
        let within = record.offset.checked_add(record.bytes).is_some_and(|end| end <= self.entry.bytes);
        if !ordered || !within || !record.is_plausible(self.shape) {
            return Err(self.damaged());
        }
        self.generation = record.generation;
        Ok(Some(record))
    }

    /// Replaces the content of `batch` with the next `wanted` block; returns its record, or `None` at the end.
    ///
    /// # Errors
    ///
    /// Returns an error if the segment is damaged or cannot be read.
    pub(crate) fn next_block(
        &mut self,
        wanted: impl Fn(BlockKind, &BlockRecord) -> bool,
        batch: &mut EdgeBatch,
    ) -> Result<Option<(BlockKind, BlockRecord)>> {
        while let Some(record) = self.next_record()? {
            match record.kind() {
                None | Some(BlockKind::Update) => {}
                Some(kind) if !wanted(kind, &record) => {}
                Some(kind) => {
                    self.read(&record, batch)?;
                    return Ok(Some((kind, record)));
                }
            }
        }
        Ok(None)
    }

    /// Replaces the content of `batch` with the block of `record`.
    fn read(&mut self, record: &BlockRecord, batch: &mut EdgeBatch) -> Result<()> {
        self.bytes.resize(index_from(record.bytes), 0);
        self.blocks.read_at(record.offset, &mut self.bytes)?;
        record.read(&self.bytes, batch).ok_or_else(|| self.damaged())
    }

    fn record(&mut self) -> Result<BlockRecord> {
        let place = index_from(self.next) % RECORDS;
        if place == 0 {
            let count = index_from((self.entry.blocks - self.next).min(length_from(RECORDS)));
            let position = self.next * length_from(self.entry.record_bytes());
            self.records.resize(count, BlockRecord::zeroed());
            if self.entry.first.is_some() {
                self.index.read_at(position, bytemuck::cast_slice_mut(&mut self.records))?;
            } else {
                let mut old = vec![OldRecord::zeroed(); count];
                self.index.read_at(position, bytemuck::cast_slice_mut(&mut old))?;
                let generation = self.entry.generation;
                self.records.iter_mut().zip(old).for_each(|(record, old)| *record = old.of_generation(generation));
            }
        }
        self.records.get(place).copied().ok_or_else(|| self.damaged())
    }

    /// Passes the payload of all blocks to `take`, in pieces.
    ///
    /// # Errors
    ///
    /// Returns an error if the segment is damaged or cannot be read, if `take` fails, or if the run is interrupted.
    pub(super) fn copy_blocks(
        &mut self,
        cancellation: &Cancellation,
        mut take: impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut position = 0;
        while position < self.entry.bytes {
            cancellation.check()?;
            self.bytes.resize(index_from(self.entry.bytes - position).min(COPY_BYTES), 0);
            self.blocks.read_at(position, &mut self.bytes)?;
            take(&self.bytes)?;
            position += length_from(self.bytes.len());
        }
        Ok(())
    }

    /// Returns the number of bytes of the last block read.
    pub(super) fn block_bytes(&self) -> u64 {
        length_from(self.bytes.len())
    }

    pub(super) fn damaged(&self) -> Error {
        Error::corrupt(self.blocks.path(), "checksums are valid but its blocks are malformed")
    }
}

/// Returns the kind of the IDs of `store`.
pub(crate) fn id_kind(store: &Store) -> IdKind {
    match store.manifest().numbering.ids {
        OriginalIds::Text => IdKind::Text,
        OriginalIds::Dense | OriginalIds::Integer => IdKind::Integer,
    }
}

/// Returns the properties shared by all blocks of the journal of `store`.
pub(super) fn shape_of(store: &Store) -> BlockShape {
    let manifest = store.manifest();
    BlockShape { ids: id_kind(store), weighted: manifest.graph.weighted, timed: manifest.times().is_some() }
}

/// Returns true if the graph of `store` is the one of `identity`, or descends from it by updates.
///
/// # Errors
///
/// Returns an error if the journal is damaged or cannot be read.
pub fn came_from(store: &Store, identity: &GraphIdentity, io: IoChoice) -> Result<bool> {
    let now = store.manifest().identity();
    let (wanted, head) = (identity.generation, identity.head);
    if now.lineage != identity.lineage || wanted >= now.generation {
        return Ok(now == *identity);
    }
    let Some(journal) = &store.manifest().changes.journal else { return Ok(false) };
    if wanted <= journal.complete_after {
        return Ok(wanted == journal.complete_after && head == journal.base);
    }
    for (segment, behind) in journal.segments.iter().zip(journal.heads()) {
        if segment.generation == wanted {
            return Ok(head == behind);
        }
        if segment.generation > wanted {
            let mut reader = SegmentReader::open(store, *segment, io)?;
            while let Some(record) = reader.next_record()? {
                if record.generation == wanted && record.head().is_some() {
                    return Ok(record.head() == Some(head));
                }
            }
            return Ok(false);
        }
    }
    Ok(false)
}

/// Verifies the segments against the manifest.
///
/// # Errors
///
/// Returns an error if they differ or cannot be read, or if the run is interrupted.
pub(crate) fn check(store: &Store, io: IoChoice, cancellation: &Cancellation) -> Result<()> {
    let Some(journal) = &store.manifest().changes.journal else { return Ok(()) };
    let mut head = journal.base;
    for segment in &journal.segments {
        head = check_segment(store, segment, head, io, cancellation)?;
    }
    Ok(())
}

/// Verifies `segment` against its entry, after updates with this `head`; returns the head after it.
fn check_segment(
    store: &Store,
    segment: &SegmentEntry,
    mut head: Head,
    io: IoChoice,
    cancellation: &Cancellation,
) -> Result<Head> {
    let mut found = SegmentEntry { added: 0, removed: 0, vertices: 0, times: None, ..*segment };
    let mut reader = SegmentReader::open(store, *segment, io)?;
    let mut batch = EdgeBatch::empty(reader.shape.ids);
    let (mut digest, mut update) = (Xxh3::new(), 0);
    while let Some(record) = reader.next_record()? {
        cancellation.check()?;
        if let Some(told) = record.head() {
            if record.generation > 0 {
                head = head.after(record.generation, digest.digest());
            }
            if told != head {
                return Err(reader.damaged());
            }
            (digest, update) = (Xxh3::new(), record.offset);
            continue;
        }
        reader.read(&record, &mut batch)?;
        digest.update(record.digested(update).as_ref());
        digest.update(&reader.bytes);
        found.count(record.kind().ok_or_else(|| reader.damaged())?, &batch.endpoints, &batch.times);
    }
    if segment.first.is_none() {
        found.digest = Some(digest.digest());
        head = found.head_after(head);
    }
    if found != *segment || segment.head.is_some_and(|told| told != head) {
        return Err(reader.damaged());
    }
    Ok(head)
}
