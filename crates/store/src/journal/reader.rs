//! Reads the segments of a journal.

use super::block::{BlockKind, BlockRecord, largest_block};
use super::entry::SegmentEntry;
use crate::component::{Component, ComponentReader, units_for};
use crate::manifest::OriginalIds;
use crate::store::Store;
use crate::writing::{EdgeBatch, EdgeSource, IdBatch, IdKind};
use bytemuck::Zeroable;
use outcrop_io::IoChoice;
use outcrop_types::{Cancellation, Error, MemoryBudget, Purpose, Reservation, Result, index_from, length_from};
use std::collections::HashMap;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_128;

/// Records of an index that are read at once.
const RECORDS: usize = 256;
/// Memory for an edge that was removed, in bytes: its hash and generation, in a table that is half full at the least.
const REMOVED_BYTES: u64 = 2 * 33;

/// Reader of the blocks of a segment, from front to back.
pub(crate) struct SegmentReader {
    blocks: ComponentReader,
    index: ComponentReader,
    entry: SegmentEntry,
    records: Vec<BlockRecord>,
    next: u64,
    bytes: Vec<u8>,
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
        Ok(Self { blocks, index, entry, records: Vec::new(), next: 0, bytes: Vec::new() })
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

    fn damaged(&self) -> Error {
        Error::corrupt(self.blocks.path(), "it has right checksums, but its blocks are not as they must be")
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
            found.count(kind, &batch);
        }
        if found != *segment {
            return Err(reader.damaged());
        }
    }
    Ok(())
}

/// Calls `take` with the kind and the content of each block of all segments behind `generation`, the oldest first.
///
/// # Errors
/// A segment is damaged or cannot be read; what `take` returns; interruption.
pub(crate) fn for_each_after(
    store: &Store,
    generation: Option<u64>,
    io: IoChoice,
    cancellation: &Cancellation,
    mut take: impl FnMut(&SegmentEntry, BlockKind, &EdgeBatch) -> Result<()>,
) -> Result<()> {
    let segments = store.manifest().journal.iter().flat_map(|journal| &journal.segments);
    let mut batch = EdgeBatch::empty(IdKind::Integer);
    for segment in segments.filter(|segment| generation.is_none_or(|after| segment.generation > after)) {
        let mut reader = SegmentReader::open(store, *segment, io)?;
        while let Some(kind) = reader.next_block(|_, _| true, &mut batch)? {
            cancellation.check()?;
            take(segment, kind, &batch)?;
        }
    }
    Ok(())
}

/// The edges of a store whose times are within a stretch of time, as they were given; an edge that was removed is among none that were
/// given before.
pub struct EdgesBetween {
    store: Arc<Store>,
    io: IoChoice,
    between: (i64, i64),
    kind: IdKind,
    weighted: bool,
    /// Position of the next segment.
    segment: usize,
    current: Option<(SegmentReader, u64)>,
    block: EdgeBatch,
    /// Generation that last removed an edge, by its hash.
    removed: HashMap<u128, u64>,
    /// Edges that were picked before they were asked for, and whether there are such.
    picked: EdgeBatch,
    peeked: bool,
    done: u64,
    total: u64,
    _held: Vec<Reservation>,
}

impl EdgesBetween {
    /// The edges of `store` from the time `between.0` on and before `between.1`.
    ///
    /// # Errors
    /// [`Error::Usage`] where the edges have no times; the budget is too small; the journal is damaged.
    pub fn open(
        store: &Arc<Store>,
        between: (i64, i64),
        io: IoChoice,
        budget: &MemoryBudget,
        cancellation: &Cancellation,
    ) -> Result<Self> {
        let manifest = store.manifest();
        let Some(journal) = manifest.journal.as_ref().filter(|journal| journal.times.is_some()) else {
            let message = "its edges have no times; build it from edges with times, by --timed or --time COLUMN";
            return Err(Error::Usage(format!("{}: {message}", store.folder().display())));
        };
        let kind = match manifest.ids {
            OriginalIds::Text => IdKind::Text,
            OriginalIds::Dense | OriginalIds::Integer => IdKind::Integer,
        };
        let mut held = vec![budget.reserve(SegmentReader::memory(kind), Purpose::InputBuffers)?];
        let removals = journal.segments.iter().map(|segment| segment.removed).sum::<u64>();
        held.push(budget.reserve(removals * REMOVED_BYTES, Purpose::Updates)?);
        let mut removed = HashMap::new();
        if removals > 0 {
            for_each_after(store, None, io, cancellation, |segment, kind, batch| {
                if kind == BlockKind::Removed {
                    let edges = (0..batch.len()).map(|place| hash(&batch.endpoints, place, manifest.directed));
                    removed.extend(edges.map(|edge| (edge, segment.generation)));
                }
                Ok(())
            })?;
        }
        let total = journal.segments.iter().map(|segment| segment.bytes).sum();
        Ok(Self {
            store: Arc::clone(store),
            io,
            between,
            kind,
            weighted: manifest.weighted,
            segment: 0,
            current: None,
            block: EdgeBatch::empty(kind),
            removed,
            picked: EdgeBatch::empty(kind),
            peeked: false,
            done: 0,
            total,
            _held: held,
        })
    }

    /// Opens the next segment that may have edges of the stretch; `false` where there is none.
    fn open_next(&mut self) -> Result<bool> {
        let journal = self.store.manifest().journal.as_ref();
        let segments = journal.map_or(&[][..], |journal| &journal.segments);
        let (start, end) = self.between;
        while let Some(segment) = segments.get(self.segment).copied() {
            self.segment += 1;
            if segment.times.is_some_and(|(first, last)| first < end && last >= start) {
                self.current = Some((SegmentReader::open(&self.store, segment, self.io)?, segment.generation));
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// True if there is any edge.
    ///
    /// # Errors
    /// The journal is damaged or cannot be read.
    pub fn has_any(&mut self) -> Result<bool> {
        if !self.peeked {
            let mut picked = std::mem::replace(&mut self.picked, EdgeBatch::empty(self.kind));
            self.pick_next(&mut picked)?;
            (self.picked, self.peeked) = (picked, true);
        }
        Ok(!self.picked.is_empty())
    }

    /// Replaces the content of `batch` with the edges of the next block that has any; none at the end.
    fn pick_next(&mut self, batch: &mut EdgeBatch) -> Result<()> {
        batch.clear();
        let between = self.between;
        while batch.is_empty() {
            let Some((reader, generation)) = &mut self.current else {
                if self.open_next()? {
                    continue;
                }
                break;
            };
            let wanted =
                |kind, record: &BlockRecord| kind == BlockKind::Added && record.timed() && record.meets(between);
            let (found, generation) = (reader.next_block(wanted, &mut self.block)?, *generation);
            match found {
                None => self.current = None,
                Some(_) => {
                    self.done += length_from(reader.bytes.len());
                    self.pick(generation, batch);
                }
            }
        }
        Ok(())
    }

    /// Those edges of the block that are of the stretch, and were not removed by a later generation than `generation`.
    fn pick(&self, generation: u64, batch: &mut EdgeBatch) {
        let (start, end) = self.between;
        for (place, time) in self.block.times.iter().enumerate() {
            let gone = || {
                let edge = hash(&self.block.endpoints, place, self.store.manifest().directed);
                self.removed.get(&edge).is_some_and(|by| *by > generation)
            };
            if (start..end).contains(time) && (self.removed.is_empty() || !gone()) {
                batch.endpoints.push_from(&self.block.endpoints, 2 * place);
                batch.endpoints.push_from(&self.block.endpoints, 2 * place + 1);
                batch.weights.extend(self.block.weights.get(place));
            }
        }
    }
}

/// Hash of an edge by the ids of its ends, whose direction counts where the graph is directed.
fn hash(ids: &IdBatch, edge: usize, directed: bool) -> u128 {
    let (mut source, mut target) = (2 * edge, 2 * edge + 1);
    if !directed && ids.compare(source, ids, target).is_gt() {
        std::mem::swap(&mut source, &mut target);
    }
    let mut bytes = Vec::with_capacity(32);
    for place in [source, target] {
        match ids {
            // Default: places are those of edges that are there.
            IdBatch::Integers(ids) => bytes.extend(ids.get(place).copied().unwrap_or_default().to_le_bytes()),
            texts @ IdBatch::Texts { .. } => {
                let text = texts.text(place);
                bytes.extend(length_from(text.len()).to_le_bytes());
                bytes.extend_from_slice(text);
            }
        }
    }
    xxh3_128(&bytes)
}

impl EdgeSource for EdgesBetween {
    fn id_kind(&self) -> IdKind {
        self.kind
    }

    fn weighted(&self) -> bool {
        self.weighted
    }

    fn next_batch(&mut self, batch: &mut EdgeBatch) -> Result<bool> {
        if batch.endpoints.kind() != self.kind {
            *batch = EdgeBatch::empty(self.kind);
        }
        match std::mem::take(&mut self.peeked) {
            true => std::mem::swap(batch, &mut self.picked),
            false => self.pick_next(batch)?,
        }
        Ok(!batch.is_empty())
    }

    fn bytes_done(&self) -> u64 {
        self.done
    }

    fn bytes_total(&self) -> Option<u64> {
        Some(self.total)
    }

    fn edges_estimate(&self) -> Option<u64> {
        None
    }
}
