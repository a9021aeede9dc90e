//! Edges of an update, as the journal takes them in.

use super::block::{BlockKind, BlockShape};
use super::reader::{SegmentReader, id_kind};
use super::writer::SegmentWriter;
use crate::store::Store;
use crate::writing::{EdgeBatch, IdBatch, IdKind};
use outcrop_types::{Error, Result, length_from};

/// Edges of an update, as they were given.
#[derive(Clone, Debug)]
pub struct JournalUpdate {
    /// Its name, by which it is known if it is given again.
    pub name: Option<String>,
    /// Edges that are added, with times where those of the store have times.
    pub added: EdgeBatch,
    /// Ends of edges that are removed.
    pub removed: IdBatch,
}

impl JournalUpdate {
    /// True if an update that changes no list changes the store.
    pub(crate) const fn counts(&self, timed: bool) -> bool {
        self.name.is_some() || timed && !self.added.is_empty()
    }

    /// Memory for writing the segment of an update of `store`, in bytes.
    pub(crate) fn memory(store: &Store) -> u64 {
        SegmentWriter::memory(id_kind(store), store.manifest().times().is_some()) + SegmentReader::COPYING_BYTES
    }

    /// Memory for writing the segments of a journal anew, in bytes.
    pub(crate) const COPYING_BYTES: u64 = SegmentWriter::memory(IdKind::Integer, false) + SegmentReader::COPYING_BYTES;

    /// Number of edges, and of vertices with the ids `new` that come in: the weight of its segment.
    pub(super) fn weight(&self, new: Option<&IdBatch>) -> u64 {
        length_from(self.added.len() + self.removed.len() / BlockKind::Removed.ends() + new.map_or(0, IdBatch::len))
            .max(1)
    }

    /// Refuses edges that readers of the journal of a store of this `shape` would refuse.
    pub(super) fn require(&self, shape: BlockShape) -> Result<()> {
        let added = &self.added;
        let kinds = [added.endpoints.kind(), self.removed.kind()];
        let lacks = |wanted: bool, is_empty: bool| wanted && is_empty && !added.is_empty();
        let lacking = lacks(shape.weighted, added.weights.is_empty()) || lacks(shape.timed, added.times.is_empty());
        if lacking || kinds.iter().any(|kind| *kind != shape.ids) {
            return Err(Error::internal("the edges of an update differ in type from those of the store"));
        }
        Ok(())
    }

    /// Writes the edges, and the ids `new` of vertices that come in.
    pub(super) fn write(&self, new: Option<&IdBatch>, writer: &mut SegmentWriter) -> Result<()> {
        if let Some(new) = new {
            writer.push_ids(BlockKind::Vertices, new)?;
        }
        writer.push_ids(BlockKind::Removed, &self.removed)?;
        writer.push(&self.added)
    }
}
