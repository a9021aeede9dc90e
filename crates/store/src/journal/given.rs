//! Edges that updates were given since a generation.

use super::block::BlockKind;
use super::entry::SegmentEntry;
use super::reader::{SegmentReader, id_kind};
use crate::manifest::OriginalIds;
use crate::store::Store;
use crate::writing::{EdgeBatch, IdBatch};
use outcrop_io::IoChoice;
use outcrop_types::{Cancellation, MemoryBudget, Purpose, Reservation, Result};

/// Edges and vertices that updates were given, as they were given.
#[derive(Debug)]
pub struct GivenEdges {
    /// Ends of the edges that were to be added.
    pub added: IdBatch,
    /// Ends of the edges that were to be removed.
    pub removed: IdBatch,
    /// Vertices that came in, of those that have ids of their own.
    pub vertices: IdBatch,
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

    /// Edges that the updates after `generation` were given; `None` where that is not known.
    ///
    /// # Errors
    /// The budget is too small; the journal is damaged or cannot be read; interruption.
    pub fn after(
        store: &Store,
        generation: u64,
        io: IoChoice,
        budget: &MemoryBudget,
        cancellation: &Cancellation,
    ) -> Result<Option<Self>> {
        let Some((_, bytes)) = Self::count(store, generation) else { return Ok(None) };
        let kind = id_kind(store);
        let held = budget.reserve(bytes, Purpose::Updates)?;
        let _reader = budget.reserve(SegmentReader::memory(kind), Purpose::IoBuffers)?;
        let none = || IdBatch::empty(kind);
        let mut given = Self { added: none(), removed: none(), vertices: none(), _held: held };
        let mut batch = EdgeBatch::empty(kind);
        for segment in after(store, generation) {
            let mut reader = SegmentReader::open(store, *segment, io)?;
            while let Some(block) = reader.next_block(|_, _| true, &mut batch)? {
                cancellation.check()?;
                let into = match block {
                    BlockKind::Added => &mut given.added,
                    BlockKind::Removed => &mut given.removed,
                    BlockKind::Vertices => &mut given.vertices,
                };
                (0..batch.endpoints.len()).for_each(|place| into.push_from(&batch.endpoints, place));
            }
        }
        Ok(Some(given))
    }
}

/// Segments of the updates after `generation`.
fn after(store: &Store, generation: u64) -> impl Iterator<Item = &SegmentEntry> {
    let segments = store.manifest().journal.iter().flat_map(|journal| &journal.segments);
    segments.filter(move |segment| segment.generation > generation)
}
