//! Edges that updates were given since a generation.

use super::block::BlockKind;
use super::entry::SegmentEntry;
use super::reader::{SegmentReader, id_kind};
use crate::manifest::OriginalIds;
use crate::store::Store;
use crate::writing::{EdgeBatch, IdBatch};
use outcrop_io::IoChoice;
use outcrop_types::{Cancellation, MemoryBudget, Purpose, Reservation, Result, VertexId};

/// Edges and vertices that updates were given, as they were given.
#[derive(Debug)]
pub struct GivenEdges {
    /// Ids of vertices: ends of edges, and vertices that came in.
    pub ids: IdBatch,
    /// Kinds of stretches of the ids, and how many ids each has, in their order.
    stretches: Vec<(BlockKind, usize)>,
    _held: Reservation,
}

impl GivenEdges {
    /// Number of edges that the updates after `generation` were given, and memory of their ids, in bytes; `None` where that is not known.
    pub fn count(store: &Store, generation: u64) -> Option<(u64, u64)> {
        let manifest = store.manifest();
        if generation == manifest.generation() {
            return Some((0, 0));
        }
        let journal = manifest.journal.as_ref()?;
        let known = generation >= journal.complete_after && generation <= journal.generation;
        let edges = after(store, generation).map(|segment| segment.added + segment.removed).sum::<u64>();
        let ids = after(store, generation).map(|segment| segment.vertices).sum::<u64>() + 2 * edges;
        let texts = after(store, generation).filter(|_| manifest.ids == OriginalIds::Text);
        // Vectors grow by doubling.
        known.then(|| (edges, 2 * (8 * ids + texts.map(|segment| segment.bytes).sum::<u64>())))
    }

    /// Memory for reading them, of which `id_bytes` are for their ids, in bytes.
    pub fn memory(store: &Store, id_bytes: u64) -> u64 {
        id_bytes + SegmentReader::memory(id_kind(store))
    }

    /// Edges that the updates after `generation` were given, with `id_bytes` of memory for ids, as [`GivenEdges::count`] says.
    ///
    /// # Errors
    /// The budget is too small; the journal is damaged or cannot be read; interruption.
    pub fn after(
        store: &Store,
        (generation, id_bytes): (u64, u64),
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
            while let Some(block) = reader.next_block(|_, _| true, &mut batch)? {
                cancellation.check()?;
                let count = batch.endpoints.len();
                (0..count).for_each(|place| given.ids.push_from(&batch.endpoints, place));
                given.stretches.push((block, count));
            }
        }
        Ok(given)
    }

    /// Those of `vertices`, which are as many as the ids and in their order, that are ends of edges that were to be added.
    pub fn added<'v>(&'v self, vertices: &'v [VertexId]) -> impl Iterator<Item = &'v [VertexId]> {
        self.told(BlockKind::Added, vertices)
    }

    /// Those that are ends of edges that were to be removed.
    pub fn removed<'v>(&'v self, vertices: &'v [VertexId]) -> impl Iterator<Item = &'v [VertexId]> {
        self.told(BlockKind::Removed, vertices)
    }

    /// Those that came in, of graphs whose vertices have ids of their own.
    pub fn vertices<'v>(&'v self, vertices: &'v [VertexId]) -> impl Iterator<Item = &'v [VertexId]> {
        self.told(BlockKind::Vertices, vertices)
    }

    fn told<'v>(&'v self, kind: BlockKind, mut vertices: &'v [VertexId]) -> impl Iterator<Item = &'v [VertexId]> {
        let stretches = self.stretches.iter().map(move |(told, count)| {
            let (stretch, rest) = vertices.split_at(*count);
            vertices = rest;
            (*told, stretch)
        });
        stretches.filter(move |(told, _)| *told == kind).map(|(_, stretch)| stretch)
    }
}

/// Segments of the updates after `generation`.
fn after(store: &Store, generation: u64) -> impl Iterator<Item = &SegmentEntry> {
    let segments = store.manifest().journal.iter().flat_map(|journal| &journal.segments);
    segments.filter(move |segment| segment.generation > generation)
}
