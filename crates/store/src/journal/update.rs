//! Segment that an update leaves in the journal.

use super::block::BlockKind;
use super::entry::{JournalEntry, SegmentEntry};
use super::writer::SegmentWriter;
use crate::component::{Component, ComponentWriter, FileEntry};
use crate::manifest::Manifest;
use crate::store::Store;
use crate::writing::{EdgeBatch, IdBatch};
use outcrop_io::IoChoice;
use outcrop_types::{MemoryBudget, Result};

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

/// The journal as an update leaves it, and its files.
pub(crate) struct UpdatedJournal {
    pub(crate) entry: JournalEntry,
    /// The files of the new segment.
    pub(crate) files: [FileEntry; 2],
    /// Segments that are kept no longer.
    pub(crate) dropped: Vec<SegmentEntry>,
}

impl JournalUpdate {
    /// True if an update that changes no list changes the store.
    pub(crate) const fn counts(&self, timed: bool) -> bool {
        self.name.is_some() || timed && !self.added.is_empty()
    }

    /// Memory for writing the segment of the update, in bytes.
    pub(crate) fn memory(&self) -> u64 {
        SegmentWriter::memory(self.added.endpoints.kind(), !self.added.times.is_empty())
    }

    /// Writes the segment of the update, which brings vertices with the ids `new`, into the files that `create` makes.
    ///
    /// # Errors
    /// The budget is too small; failures of writing.
    pub(crate) fn write(
        &self,
        manifest: &Manifest,
        new: Option<&IdBatch>,
        budget: &MemoryBudget,
        create: impl FnMut(&str) -> Result<ComponentWriter>,
    ) -> Result<UpdatedJournal> {
        let mut entry = manifest.journal_so_far();
        let generation = entry.generation.saturating_add(1);
        let shape = (self.added.endpoints.kind(), !self.added.times.is_empty());
        let mut writer = SegmentWriter::new(create, generation, shape, budget)?;
        if let Some(new) = new {
            writer.push_ids(BlockKind::Vertices, new)?;
        }
        writer.push_ids(BlockKind::Removed, &self.removed)?;
        writer.push(&self.added)?;
        let (segment, files) = writer.finish()?;
        let dropped = entry.push(self.name.as_deref(), segment, manifest.edges);
        Ok(UpdatedJournal { entry, files, dropped })
    }
}

/// The segments of `store` as they are, sealed for the new store that `copy` writes them into.
///
/// # Errors
/// A segment is damaged or cannot be read; failures of writing.
pub(crate) fn copy_segments(
    store: &Store,
    io: IoChoice,
    copy: impl Fn(&Component, &str) -> Result<FileEntry>,
) -> Result<Vec<FileEntry>> {
    let segments = store.manifest().journal.iter().flat_map(|journal| &journal.segments);
    segments.flat_map(SegmentEntry::file_names).map(|name| copy(&store.component(&name, io)?, &name)).collect()
}
