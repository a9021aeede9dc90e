//! Edges of the updates since a generation.

use super::block::{BlockKind, BlockRecord};
use super::entry::{JournalEntry, SegmentEntry};
use super::reader::{SegmentReader, id_kind};
use crate::manifest::OriginalIds;
use crate::store::Store;
use crate::writing::{EdgeBatch, IdBatch};
use outcrop_io::IoChoice;
use outcrop_types::{Cancellation, MemoryBudget, Purpose, Reservation, Result, VertexId, length_from};

/// Edges and vertices of updates, as given by the user.
#[derive(Debug)]
pub struct GivenEdges {
    /// IDs of vertices: ends of edges, and inserted vertices.
    pub ids: IdBatch,
    /// Consecutive ranges of the IDs, each with its kind and number of IDs.
    stretches: Vec<(BlockKind, usize)>,
    _held: Reservation,
}

impl GivenEdges {
    /// Returns the number of edges in the updates after `generation`, and the memory of their IDs in bytes; `None` if
    /// unknown.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal is damaged or cannot be read.
    pub fn count(store: &Store, generation: u64, io: IoChoice) -> Result<Option<(u64, u64)>> {
        let manifest = store.manifest();
        if generation == manifest.generation() {
            return Ok(Some((0, 0)));
        }
        let known = |journal: &&JournalEntry| generation >= journal.complete_after && generation <= journal.generation;
        if manifest.changes.journal.as_ref().filter(known).is_none() {
            return Ok(None);
        }
        let (mut edges, mut ids, mut texts) = (0, 0, 0);
        for segment in after(store, generation) {
            let segment = match segment.first.is_some_and(|first| first <= generation) {
                true => later_part(store, *segment, generation, io)?,
                false => *segment,
            };
            edges += segment.added + segment.removed;
            ids += 2 * (segment.added + segment.removed) + segment.vertices;
            texts += segment.bytes;
        }
        if manifest.numbering.ids != OriginalIds::Text {
            texts = 0;
        }
        // Vectors grow by doubling.
        Ok(Some((edges, 2 * (8 * ids + texts))))
    }

    /// Returns the memory for reading them, including `id_bytes` for their IDs, in bytes.
    pub fn memory(store: &Store, id_bytes: u64) -> u64 {
        id_bytes + SegmentReader::memory(id_kind(store))
    }

    /// Reads the edges of the updates after `generation`, with `id_bytes` of memory for IDs, as [`GivenEdges::count`]
    /// returns it.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget is too small, if the journal is damaged or cannot be read, or if the run is
    /// interrupted.
    pub fn after(
        store: &Store,
        generation: u64,
        id_bytes: u64,
        io: IoChoice,
        budget: &MemoryBudget,
        cancellation: &Cancellation,
    ) -> Result<Self> {
        let kind = id_kind(store);
        let held = budget.reserve(id_bytes, Purpose::Updates)?;
        let _reader = budget.reserve(SegmentReader::memory(kind), Purpose::IoBuffers)?;
        let mut given = Self { ids: IdBatch::empty(kind), stretches: Vec::new(), _held: held };
        let mut batch = EdgeBatch::empty(kind);
        for segment in after(store, generation) {
            let mut reader = SegmentReader::open(store, *segment, io)?;
            // The reservation is for the number in the manifest.
            let mut left = 2 * (segment.added + segment.removed) + segment.vertices;
            let later = |_, record: &BlockRecord| record.generation > generation;
            while let Some((block, _)) = reader.next_block(later, &mut batch)? {
                cancellation.check()?;
                let count = batch.endpoints.len();
                left = left.checked_sub(length_from(count)).ok_or_else(|| reader.damaged())?;
                (0..count).for_each(|place| given.ids.push_from(&batch.endpoints, place));
                given.stretches.push((block, count));
            }
        }
        Ok(given)
    }

    /// Yields the endpoints of edges to be added, from `vertices`, which correspond to the IDs in number and order.
    pub fn added<'v>(&'v self, vertices: &'v [VertexId]) -> impl Iterator<Item = &'v [VertexId]> {
        self.stretches_of(BlockKind::Added, vertices)
    }

    /// Yields the endpoints of edges to be removed, like [`GivenEdges::added`].
    pub fn removed<'v>(&'v self, vertices: &'v [VertexId]) -> impl Iterator<Item = &'v [VertexId]> {
        self.stretches_of(BlockKind::Removed, vertices)
    }

    /// Yields the inserted vertices, in graphs with explicit IDs, like [`GivenEdges::added`].
    pub fn vertices<'v>(&'v self, vertices: &'v [VertexId]) -> impl Iterator<Item = &'v [VertexId]> {
        self.stretches_of(BlockKind::Vertices, vertices)
    }

    fn stretches_of<'v>(
        &'v self,
        kind: BlockKind,
        mut vertices: &'v [VertexId],
    ) -> impl Iterator<Item = &'v [VertexId]> {
        let stretches = self.stretches.iter().map(move |(block_kind, count)| {
            let (stretch, rest) = vertices.split_at(*count);
            vertices = rest;
            (*block_kind, stretch)
        });
        stretches.filter(move |(block_kind, _)| *block_kind == kind).map(|(_, stretch)| stretch)
    }
}

/// Returns the segments of the updates after `generation`.
fn after(store: &Store, generation: u64) -> impl Iterator<Item = &SegmentEntry> {
    let segments = store.manifest().changes.journal.iter().flat_map(|journal| &journal.segments);
    segments.filter(move |segment| segment.generation > generation)
}

/// Returns the counts of the updates of a segment after `generation`.
fn later_part(store: &Store, segment: SegmentEntry, generation: u64, io: IoChoice) -> Result<SegmentEntry> {
    let mut part = SegmentEntry { added: 0, removed: 0, vertices: 0, bytes: 0, ..segment };
    let mut reader = SegmentReader::open(store, segment, io)?;
    while let Some(record) = reader.next_record()? {
        if record.generation > generation {
            let counted = match record.kind() {
                Some(BlockKind::Added) => &mut part.added,
                Some(BlockKind::Removed) => &mut part.removed,
                Some(BlockKind::Vertices) => &mut part.vertices,
                Some(BlockKind::Update) | None => continue,
            };
            *counted = u64::from(record.count).saturating_add(*counted);
            part.bytes = part.bytes.saturating_add(record.bytes);
        }
    }
    let plausible = part.added <= segment.added && part.removed <= segment.removed && part.vertices <= segment.vertices;
    if plausible && part.bytes <= segment.bytes { Ok(part) } else { Err(reader.damaged()) }
}
