//! Edges of an update, as input of the journal.

use super::block::{BlockKind, BlockShape};
use super::reader::{SegmentReader, id_kind};
use super::writer::SegmentWriter;
use crate::store::Store;
use crate::writing::{EdgeBatch, IdBatch, IdKind};
use outcrop_types::{Error, Result, length_from};

/// Edges of an update, as given by the user.
#[derive(Clone, Debug)]
pub struct JournalUpdate {
    /// Name that identifies the update if it is given again.
    pub name: Option<String>,
    /// Edges to add, with times if those of the store have times.
    pub added: EdgeBatch,
    /// Ends of edges to remove.
    pub removed: IdBatch,
}

impl JournalUpdate {
    /// Returns true if the update changes the store even if it changes no list.
    pub(crate) const fn counts(&self, timed: bool) -> bool {
        self.name.is_some() || timed && !self.added.is_empty()
    }

    /// Returns the memory for writing the segment of an update of `store`, in bytes.
    pub(crate) fn memory(store: &Store) -> u64 {
        SegmentWriter::memory(id_kind(store), store.manifest().times().is_some()) + SegmentReader::COPYING_BYTES
    }

    /// Memory for rewriting the segments of a journal, in bytes.
    pub(crate) const COPYING_BYTES: u64 = SegmentWriter::memory(IdKind::Integer, false) + SegmentReader::COPYING_BYTES;

    /// Returns the number of edges, and of new vertices with the IDs `new`: the weight of its segment.
    pub(super) fn weight(&self, new: Option<&IdBatch>) -> u64 {
        length_from(self.added.len() + self.removed.len() / BlockKind::Removed.ends() + new.map_or(0, IdBatch::len))
            .max(1)
    }

    /// Refuses edges that readers of the journal of a store with this `shape` would refuse.
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

    /// Writes the edges, and the IDs `new` of inserted vertices.
    pub(super) fn write(&self, new: Option<&IdBatch>, writer: &mut SegmentWriter) -> Result<()> {
        if let Some(new) = new {
            writer.push_ids(BlockKind::Vertices, new)?;
        }
        writer.push_ids(BlockKind::Removed, &self.removed)?;
        writer.push(&self.added)
    }
}
