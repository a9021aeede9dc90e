//! Context shared by all parts of a build.

use super::checkpoint::{BuildCheckpoints, StoreInTheMaking};
use super::options::{BuildOptions, BuildReport};
use super::staging::Staging;
use crate::component::{ComponentWriter, FileEntry, StoreId};
use crate::layout::csr::INTERVAL_ARCS;
use crate::layout::list_writer::ListTarget;
use crate::work_context::WorkContext;
use outcrop_io::SpillFolder;
use outcrop_types::{Direction, Error, MAX_VERTICES, Purpose, Result, VertexId};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// Name of the phase in which all files except the manifest are written.
const PUBLISHING: &str = "publishing the store";

/// Settings and resources of a build.
pub(super) struct BuildContext<'b> {
    pub(super) work: WorkContext<'b>,
    pub(super) options: &'b BuildOptions<'b>,
    pub(super) spill: Arc<SpillFolder>,
    pub(super) limits: BuildLimits,
}

/// Limits that only tests change.
#[derive(Clone, Copy, Debug)]
pub struct BuildLimits {
    /// List entries per interval.
    pub interval_arcs: u64,
    /// Memory for IDs that are numbered without sorting, in bytes; the budget may allow less.
    pub table_bytes: u64,
}

impl Default for BuildLimits {
    fn default() -> Self {
        Self { interval_arcs: INTERVAL_ARCS, table_bytes: u64::MAX }
    }
}

/// Unpublished store to which files are written.
pub(super) struct Writing<'w> {
    pub(super) context: &'w BuildContext<'w>,
    pub(super) staging: &'w Staging<'w>,
    pub(super) id: StoreId,
}

impl BuildContext<'_> {
    /// Returns the number of threads for the lists of one direction, at most 8.
    pub(super) fn threads_of_direction(&self) -> usize {
        let directions = if self.options.undirected { 1 } else { 2 };
        (self.work.workers.threads() / directions).clamp(1, 8)
    }

    /// Calls `write` to write the files of a store with `buffers` bytes of buffers, then publishes the store at the
    /// target.
    pub(super) fn write_store(
        &self,
        buffers: u64,
        write: impl FnOnce(&Writing<'_>) -> Result<BuildReport>,
    ) -> Result<BuildReport> {
        let BuildOptions { target, overwrite, checkpoints, .. } = self.options;
        let (staging, id) = match checkpoints.and_then(BuildCheckpoints::store) {
            Some(made) => {
                let staging = Staging::resume(self.work.storage, target, *overwrite, &made.folder, &made.files)?;
                (staging, made.id()?)
            }
            None => (Staging::begin(self.work.storage, target, *overwrite)?, StoreId::random()?),
        };
        let _buffers = self.work.budget.reserve(buffers, Purpose::IoBuffers)?;
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

    /// Returns the state to resume from, if the build is resumed and was stopped in `phase`.
    pub(super) fn resume<T: DeserializeOwned>(&self, phase: &str) -> Result<Option<T>> {
        let resume = |checkpoints: &BuildCheckpoints| checkpoints.resume(phase, self.work.observer);
        self.options.checkpoints.map_or(Ok(None), resume)
    }
}

impl Writing<'_> {
    /// Starts the component `name`.
    pub(super) fn component(&self, name: &str) -> Result<ComponentWriter> {
        ComponentWriter::create(self.context.work.storage, self.staging.folder(), self.id, name)
    }

    /// Saves the state that `state` makes durable, if the build has checkpoints: a resumed build continues in `phase`
    /// with the completed `files`.
    pub(super) fn checkpoint<'f, T: Serialize>(
        &self,
        phase: &str,
        files: impl Iterator<Item = &'f FileEntry>,
        state: impl FnOnce() -> Result<T>,
    ) -> Result<()> {
        let Some(checkpoints) = self.context.options.checkpoints else { return Ok(()) };
        let files: Vec<_> = files.cloned().collect();
        // A checkpoint must identify a store without files only once it may be published.
        let store = match files.is_empty() && phase != PUBLISHING {
            true => None,
            false => Some(StoreInTheMaking { id: self.id.to_hex(), folder: self.staging.keep()?, files }),
        };
        checkpoints.save(phase, store, state)
    }

    /// Returns the destination of the lists of `direction`.
    pub(super) fn lists(&self, direction: Direction) -> ListTarget<'_> {
        ListTarget { storage: self.context.work.storage, folder: self.staging.folder(), id: self.id, direction }
    }
}

/// Returns the number of vertices in the type of the format.
pub(super) fn vertex_count(count: u64) -> Result<u32> {
    VertexId::try_from(count)
        .ok()
        .filter(|_| count <= MAX_VERTICES)
        .ok_or_else(|| Error::Usage(format!("the graph has {count} vertices; a store is limited to {MAX_VERTICES}")))
}
