//! Writes a segment of a journal.

use super::block::{BLOCK, BlockKind, BlockRecord, CHUNK_TEXTS, largest_block};
use super::entry::SegmentEntry;
use crate::component::{ComponentWriter, FileEntry};
use crate::writing::{EdgeBatch, EdgeSource, IdBatch, IdKind};
use outcrop_types::{
    InputSummary, MemoryBudget, Purpose, Reservation, Result, TimeRule, index_from, length_from, number_from,
};
use std::sync::{Arc, Mutex, PoisonError};
use xxhash_rust::xxh3::Xxh3;

/// Edges that are put in the order of their times together: a number of its own, so that a journal does not depend on memory.
const CHUNK: usize = 1 << 16;

/// Writer of a segment.
pub(crate) struct SegmentWriter {
    blocks: ComponentWriter,
    index: ComponentWriter,
    entry: SegmentEntry,
    /// Edges that wait for their places, all of the kind below.
    chunk: EdgeBatch,
    kind: BlockKind,
    timed: bool,
    digest: Xxh3,
    bytes: Vec<u8>,
    _held: Reservation,
}

impl SegmentWriter {
    /// Memory of a writer of edges with ids of a `kind`, and with times where `timed`, in bytes: edges that wait, a block, and two
    /// files.
    pub(crate) const fn memory(kind: IdKind, timed: bool) -> u64 {
        let chunk = if timed { CHUNK } else { BLOCK };
        // Ends, a weight, a time and a place, and texts in vectors that grow by doubling; a block of the same.
        2 * ComponentWriter::MEMORY_BYTES + length_from(chunk * 36 + 3 * largest_block(kind))
    }

    /// A segment of `generation` in the files that `create` makes, of edges with ids of a `kind`, with times where `timed`.
    ///
    /// # Errors
    /// The budget is too small; a file cannot be made.
    pub(crate) fn new(
        mut create: impl FnMut(&str) -> Result<ComponentWriter>,
        generation: u64,
        (kind, timed): (IdKind, bool),
        budget: &MemoryBudget,
    ) -> Result<Self> {
        let entry = SegmentEntry { generation, ..SegmentEntry::default() };
        let [blocks, index] = entry.file_names();
        Ok(Self {
            blocks: create(&blocks)?,
            index: create(&index)?,
            entry,
            chunk: EdgeBatch::empty(kind),
            kind: BlockKind::Added,
            timed,
            digest: Xxh3::new(),
            bytes: Vec::new(),
            _held: budget.reserve(Self::memory(kind, timed), Purpose::SortSpace)?,
        })
    }

    /// Appends edges, or the ids of vertices.
    ///
    /// # Errors
    /// Failures of writing.
    pub(crate) fn push(&mut self, kind: BlockKind, batch: &EdgeBatch) -> Result<()> {
        if kind != self.kind {
            self.end_chunk()?;
            self.kind = kind;
        }
        let ends = if kind == BlockKind::Vertices { 1 } else { 2 };
        let count = batch.endpoints.len() / ends;
        let (most, timed) = if self.timed { (CHUNK, true) } else { (BLOCK, false) };
        for place in 0..count {
            (0..ends).for_each(|end| self.chunk.endpoints.push_from(&batch.endpoints, ends * place + end));
            if kind == BlockKind::Added {
                self.chunk.weights.extend(batch.weights.get(place));
                self.chunk.times.extend(batch.times.get(place).filter(|_| timed));
            }
            let texts = matches!(&self.chunk.endpoints, IdBatch::Texts { bytes, .. } if bytes.len() >= CHUNK_TEXTS);
            if self.chunk.endpoints.len() == ends * most || texts {
                self.end_chunk()?;
            }
        }
        self.entry.count(kind, batch);
        Ok(())
    }

    /// Writes what waits, in the order of its times.
    fn end_chunk(&mut self) -> Result<()> {
        let ends = if self.kind == BlockKind::Vertices { 1 } else { 2 };
        let mut places: Vec<u32> = (0..number_from(self.chunk.endpoints.len() / ends)).collect();
        if !self.chunk.times.is_empty() {
            places.sort_by_key(|place| self.chunk.times.get(index_from(u64::from(*place))).copied());
        }
        for places in places.chunks(BLOCK) {
            self.bytes.clear();
            let mut record = BlockRecord::write(self.kind, &self.chunk, places, &mut self.bytes);
            (record.offset, record.bytes) = (self.entry.bytes, length_from(self.bytes.len()));
            self.blocks.write(&self.bytes)?;
            self.index.write(bytemuck::bytes_of(&record))?;
            self.digest.update(bytemuck::bytes_of(&record));
            self.digest.update(&self.bytes);
            self.entry.bytes += record.bytes;
            self.entry.blocks += 1;
        }
        self.chunk.clear();
        Ok(())
    }

    /// Writes what waits, durably.
    ///
    /// # Errors
    /// As for [`SegmentWriter::push`].
    pub(crate) fn finish(mut self) -> Result<(SegmentEntry, [FileEntry; 2])> {
        self.end_chunk()?;
        self.entry.digest = self.digest.digest();
        Ok((self.entry, [self.blocks.finish()?, self.index.finish()?]))
    }
}

/// Edges that are written into a segment on their way.
pub(crate) struct Journaled {
    edges: Box<dyn EdgeSource>,
    segment: Arc<Mutex<Option<SegmentWriter>>>,
}

impl Journaled {
    /// Lets `edges` pass, and writes them by `writer`, which [`finish`] ends.
    pub(crate) fn new(edges: Box<dyn EdgeSource>, writer: SegmentWriter) -> (Self, Arc<Mutex<Option<SegmentWriter>>>) {
        let segment = Arc::new(Mutex::new(Some(writer)));
        (Self { edges, segment: Arc::clone(&segment) }, segment)
    }
}

/// Ends a segment that edges were written into on their way.
///
/// # Errors
/// As for [`SegmentWriter::finish`].
pub(crate) fn finish(segment: &Mutex<Option<SegmentWriter>>) -> Result<Option<(SegmentEntry, [FileEntry; 2])>> {
    let writer = segment.lock().unwrap_or_else(PoisonError::into_inner).take();
    writer.map(SegmentWriter::finish).transpose()
}

impl EdgeSource for Journaled {
    fn id_kind(&self) -> IdKind {
        self.edges.id_kind()
    }

    fn weighted(&self) -> bool {
        self.edges.weighted()
    }

    fn times(&self) -> Option<TimeRule> {
        self.edges.times()
    }

    fn next_batch(&mut self, batch: &mut EdgeBatch) -> Result<bool> {
        let more = self.edges.next_batch(batch)?;
        if let Some(writer) = &mut *self.segment.lock().unwrap_or_else(PoisonError::into_inner) {
            writer.push(BlockKind::Added, batch)?;
        }
        Ok(more)
    }

    fn bytes_done(&self) -> u64 {
        self.edges.bytes_done()
    }

    fn bytes_total(&self) -> Option<u64> {
        self.edges.bytes_total()
    }

    fn edges_estimate(&self) -> Option<u64> {
        self.edges.edges_estimate()
    }

    fn skipped(&self) -> u64 {
        self.edges.skipped()
    }

    fn summary(&self) -> InputSummary {
        self.edges.summary()
    }
}
