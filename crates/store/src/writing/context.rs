//! Context that all parts of a build share.

use super::checkpoint::{BuildCheckpoints, StoreInTheMaking};
use super::options::{BuildOptions, BuildReport};
use super::staging::Staging;
use crate::component::{ComponentWriter, FileEntry, StoreId};
use crate::layout::list_writer::ListTarget;
use outcrop_io::{SpillFolder, Storage};
use outcrop_types::{Cancellation, Direction, Error, MAX_VERTICES, MemoryBudget, Observer, Purpose, Result, VertexId};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// Phase in which all files are written but the manifest.
const PUBLISHING: &str = "publishing the store";

/// Settings and resources of a build.
pub(super) struct BuildContext<'b> {
    pub(super) storage: &'b dyn Storage,
    pub(super) options: &'b BuildOptions<'b>,
    pub(super) budget: &'b MemoryBudget,
    pub(super) cancellation: &'b Cancellation,
    pub(super) observer: &'b dyn Observer,
    pub(super) spill: Arc<SpillFolder>,
    /// List entries of an interval.
    pub(super) interval_arcs: u64,
}

/// A store in the making, to which files are written.
pub(super) struct Writing<'w> {
    pub(super) context: &'w BuildContext<'w>,
    pub(super) staging: &'w Staging<'w>,
    pub(super) id: StoreId,
}

impl BuildContext<'_> {
    /// Lets `write` write the files of a store with `buffers` bytes of buffers, and lets the store appear at the
    /// target.
    pub(super) fn write_store(
        &self,
        buffers: u64,
        write: impl FnOnce(&Writing<'_>) -> Result<BuildReport>,
    ) -> Result<BuildReport> {
        let BuildOptions { target, overwrite, checkpoints, .. } = self.options;
        let (staging, id) = match checkpoints.and_then(BuildCheckpoints::store) {
            Some(made) => {
                let there = (made.folder.as_str(), made.files.as_slice());
                (Staging::resume(self.storage, target, *overwrite, there)?, made.id()?)
            }
            None => (Staging::begin(self.storage, target, *overwrite)?, StoreId::random()?),
        };
        let _buffers = self.budget.reserve(buffers, Purpose::IoBuffers)?;
        let report = match self.resume::<BuildReport>(PUBLISHING)? {
            Some(report) => report,
            None => {
                let writing = Writing { context: self, staging: &staging, id };
                let mut report = write(&writing)?;
                report.manifest.built = checkpoints.map(|checkpoints| checkpoints.finish(&report)).transpose()?;
                writing.checkpoint(PUBLISHING, report.manifest.files.iter(), || Ok(&report))?;
                report
            }
        };
        staging.publish(&report.manifest)?;
        Ok(report)
    }

    /// The state to go on from, where the build was stopped in `phase` and is to go on.
    pub(super) fn resume<T: DeserializeOwned>(&self, phase: &str) -> Result<Option<T>> {
        let resume = |checkpoints: &BuildCheckpoints| checkpoints.resume(phase, self.observer);
        self.options.checkpoints.map_or(Ok(None), resume)
    }
}

impl Writing<'_> {
    /// Starts the component `name`.
    pub(super) fn component(&self, name: &str) -> Result<ComponentWriter> {
        ComponentWriter::create(self.context.storage, self.staging.folder(), self.id, name)
    }

    /// Saves what `state` makes durable, where the build has checkpoints: it goes on from there in `phase`, with the
    /// `files` that are written.
    pub(super) fn checkpoint<'f, T: Serialize>(
        &self,
        phase: &str,
        files: impl Iterator<Item = &'f FileEntry>,
        state: impl FnOnce() -> Result<T>,
    ) -> Result<()> {
        let Some(checkpoints) = self.context.options.checkpoints else { return Ok(()) };
        let files: Vec<_> = files.cloned().collect();
        // A store without files needs a checkpoint that identifies it only once it may stand.
        let store = match files.is_empty() && phase != PUBLISHING {
            true => None,
            false => Some(StoreInTheMaking { id: self.id.to_hex(), folder: self.staging.keep()?, files }),
        };
        checkpoints.save(phase, store, state)
    }

    /// Destination of the lists of `direction`.
    pub(super) fn lists(&self, direction: Direction) -> ListTarget<'_> {
        ListTarget { storage: self.context.storage, folder: self.staging.folder(), id: self.id, direction }
    }
}

/// The number of vertices as the format holds it.
pub(super) fn vertex_count(count: u64) -> Result<u32> {
    VertexId::try_from(count)
        .ok()
        .filter(|_| count <= MAX_VERTICES)
        .ok_or_else(|| Error::Usage(format!("the graph has {count} vertices; a store is limited to {MAX_VERTICES}")))
}
