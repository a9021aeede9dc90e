//! Writes a segment of a journal.

use super::block::{BLOCK, BlockKind, BlockRecord, CHUNK_TEXTS, largest_block};
use super::entry::SegmentEntry;
use crate::component::{ComponentWriter, FileEntry};
use crate::writing::{EdgeBatch, IdBatch, IdKind};
use outcrop_types::{MemoryBudget, Purpose, Reservation, Result, index_from, length_from, number_from};
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

    /// Appends edges that were added.
    ///
    /// # Errors
    /// Failures of writing.
    pub(crate) fn push(&mut self, batch: &EdgeBatch) -> Result<()> {
        self.take(BlockKind::Added, &batch.endpoints, (&batch.weights, &batch.times))
    }

    /// Appends the ids of vertices, or of the ends of edges that were removed.
    ///
    /// # Errors
    /// Failures of writing.
    pub(crate) fn push_ids(&mut self, kind: BlockKind, ids: &IdBatch) -> Result<()> {
        self.take(kind, ids, (&[], &[]))
    }

    fn take(&mut self, kind: BlockKind, ids: &IdBatch, (weights, times): (&[f64], &[i64])) -> Result<()> {
        if kind != self.kind {
            self.end_chunk()?;
            self.kind = kind;
        }
        let ends = kind.ends();
        let count = ids.len() / ends;
        let most = if self.timed { CHUNK } else { BLOCK };
        for place in 0..count {
            (0..ends).for_each(|end| self.chunk.endpoints.push_from(ids, ends * place + end));
            self.chunk.weights.extend(weights.get(place));
            self.chunk.times.extend(times.get(place));
            let texts = matches!(&self.chunk.endpoints, IdBatch::Texts { bytes, .. } if bytes.len() >= CHUNK_TEXTS);
            if self.chunk.endpoints.len() == ends * most || texts {
                self.end_chunk()?;
            }
        }
        self.entry.count(kind, ids, times);
        Ok(())
    }

    /// Writes what waits, in the order of its times.
    fn end_chunk(&mut self) -> Result<()> {
        let count = self.chunk.endpoints.len() / self.kind.ends();
        let mut places: Vec<u32> = (0..number_from(count)).collect();
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
