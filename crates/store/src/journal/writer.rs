//! Writer of a segment of a journal.

use super::block::{BLOCK, BlockKind, BlockRecord, CHUNK_TEXTS, largest_block};
use super::entry::SegmentEntry;
use super::reader::SegmentReader;
use crate::component::{ComponentWriter, FileEntry, StoreId};
use crate::identity::Head;
use crate::writing::{EdgeBatch, IdBatch, IdKind};
use outcrop_types::{
    Cancellation, Error, MemoryBudget, Purpose, Reservation, Result, index_from, length_from, number_from,
};
use xxhash_rust::xxh3::Xxh3;

/// Number of edges that are sorted by time together: a constant, so that a journal does not depend on memory.
const CHUNK: usize = 1 << 16;

/// Writer of a segment.
pub(crate) struct SegmentWriter {
    blocks: ComponentWriter,
    index: ComponentWriter,
    entry: SegmentEntry,
    /// Payload offset of the first block of the update.
    update: u64,
    /// Unsorted edges, all of the kind below.
    chunk: EdgeBatch,
    kind: BlockKind,
    timed: bool,
    digest: Xxh3,
    bytes: Vec<u8>,
    _held: Reservation,
}

impl SegmentWriter {
    /// Returns the memory of a writer of edges with IDs of a `kind`, and with times if `timed`, in bytes: unsorted
    /// edges, a block, and two files.
    pub(crate) const fn memory(kind: IdKind, timed: bool) -> u64 {
        let chunk = if timed { CHUNK } else { BLOCK };
        // Ends, a weight, a time and a place, and texts in vectors that grow by doubling; the same for a block.
        2 * ComponentWriter::MEMORY_BYTES + length_from(chunk * 36 + 3 * largest_block(kind))
    }

    /// Creates a segment of the generations from `first` to `last` in the files that `create` returns, with IDs of a
    /// `kind`, and with times if `timed`.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget is too small or a file cannot be created.
    pub(crate) fn new(
        mut create: impl FnMut(&str) -> Result<ComponentWriter>,
        first: u64,
        last: u64,
        kind: IdKind,
        timed: bool,
        budget: &MemoryBudget,
    ) -> Result<Self> {
        let entry = SegmentEntry { first: Some(first), generation: last, ..SegmentEntry::default() };
        let [blocks, index] = entry.file_names();
        Ok(Self {
            blocks: create(&blocks)?,
            index: create(&index)?,
            entry,
            update: 0,
            chunk: EdgeBatch::empty(kind),
            kind: BlockKind::Added,
            timed,
            digest: Xxh3::new(),
            bytes: Vec::new(),
            _held: budget.reserve(Self::memory(kind, timed), Purpose::SortSpace)?,
        })
    }

    /// Appends the blocks and records of an older segment unchanged; `head` is the head after its last update.
    ///
    /// # Errors
    ///
    /// Returns an error if the segment is damaged or cannot be read, if writing fails, or if the run is interrupted.
    pub(super) fn append(
        &mut self,
        mut segment: SegmentReader,
        entry: &SegmentEntry,
        head: Head,
        cancellation: &Cancellation,
    ) -> Result<()> {
        let start = self.entry.bytes;
        while let Some(mut record) = segment.next_record()? {
            record.offset += start;
            self.record(&record)?;
        }
        segment.copy_blocks(cancellation, |piece| {
            self.entry.bytes += length_from(piece.len());
            self.blocks.write(piece)
        })?;
        self.entry.append(entry);
        self.entry.head = Some(head);
        self.update = self.entry.bytes;
        match entry.first {
            Some(_) => Ok(()),
            None => self.record(&BlockRecord::end_of_update(entry.generation, self.entry.bytes, head)),
        }
    }

    fn record(&mut self, record: &BlockRecord) -> Result<()> {
        self.entry.blocks += 1;
        self.index.write(bytemuck::bytes_of(record))
    }

    /// Ends the last update of the segment, before which the graph had this `head`; returns the head after it.
    ///
    /// # Errors
    ///
    /// Returns an error if writing fails.
    pub(super) fn end_update(&mut self, head: Head) -> Result<Head> {
        self.end_chunk()?;
        let generation = self.entry.generation;
        let head = if generation == 0 { head } else { head.after(generation, self.digest.digest()) };
        self.entry.head = Some(head);
        self.record(&BlockRecord::end_of_update(generation, self.entry.bytes, head))?;
        Ok(head)
    }

    /// Appends added edges.
    ///
    /// # Errors
    ///
    /// Returns an error if writing fails.
    pub(crate) fn push(&mut self, batch: &EdgeBatch) -> Result<()> {
        self.take(BlockKind::Added, &batch.endpoints, &batch.weights, &batch.times)
    }

    /// Appends the IDs of vertices, or of the ends of removed edges.
    ///
    /// # Errors
    ///
    /// Returns an error if writing fails.
    pub(crate) fn push_ids(&mut self, kind: BlockKind, ids: &IdBatch) -> Result<()> {
        self.take(kind, ids, &[], &[])
    }

    fn take(&mut self, kind: BlockKind, ids: &IdBatch, weights: &[f64], times: &[i64]) -> Result<()> {
        if kind != self.kind {
            self.end_chunk()?;
            self.kind = kind;
        }
        let ends = kind.ends();
        let count = ids.len() / ends;
        let most = if self.timed { CHUNK } else { BLOCK };
        ids.texts().try_for_each(IdBatch::require_storable)?;
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

    /// Writes the pending edges, ordered by time.
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
            record.generation = self.entry.generation;
            if self.bytes.len() > largest_block(self.chunk.endpoints.kind()) {
                return Err(Error::internal("a journal block is too long"));
            }
            self.blocks.write(&self.bytes)?;
            self.record(&record)?;
            self.digest.update(record.digested(self.update).as_ref());
            self.digest.update(&self.bytes);
            self.entry.bytes += record.bytes;
        }
        self.chunk.clear();
        Ok(())
    }

    /// Same as [`SegmentWriter::finish`] after the edges of the build of the store `id`.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`SegmentWriter::push`].
    pub(crate) fn finish_build(mut self, id: StoreId) -> Result<(SegmentEntry, [FileEntry; 2])> {
        self.end_update(Head::start(&id.to_hex()))?;
        self.finish()
    }

    /// Writes all data durably; the segment must end with the end of an update.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`SegmentWriter::push`].
    pub(crate) fn finish(self) -> Result<(SegmentEntry, [FileEntry; 2])> {
        Ok((self.entry, [self.blocks.finish()?, self.index.finish()?]))
    }
}
