//! Context that all parts of a build share.

use super::options::{BuildOptions, BuildReport};
use super::staging::Staging;
use crate::component::{ComponentWriter, StoreId};
use crate::layout::list_writer::ListTarget;
use outcrop_io::{SpillFolder, Storage};
use outcrop_types::{Cancellation, Direction, Error, MAX_VERTICES, MemoryBudget, Observer, Purpose, Result, VertexId};
use std::sync::Arc;

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
    /// Lets `write` write the files of a store with `buffers` bytes of buffers, and lets the store appear at the target.
    pub(super) fn write_store(
        &self,
        buffers: u64,
        write: impl FnOnce(&Writing<'_>) -> Result<BuildReport>,
    ) -> Result<BuildReport> {
        let staging = Staging::begin(self.storage, &self.options.target, self.options.overwrite)?;
        let id = StoreId::random()?;
        let _buffers = self.budget.reserve(buffers, Purpose::IoBuffers)?;
        let report = write(&Writing { context: self, staging: &staging, id })?;
        staging.publish(&report.manifest)?;
        Ok(report)
    }
}

impl Writing<'_> {
    /// Starts the component `name`.
    pub(super) fn component(&self, name: &str) -> Result<ComponentWriter> {
        ComponentWriter::create(self.context.storage, self.staging.folder(), self.id, name)
    }

    /// Destination of the lists of `direction`.
    pub(super) fn lists(&self, direction: Direction) -> ListTarget<'_> {
        ListTarget { storage: self.context.storage, folder: self.staging.folder(), id: self.id, direction }
    }
}

/// The number of vertices as the format holds it.
pub(super) fn vertex_count(count: u64) -> Result<u32> {
    VertexId::try_from(count).ok().filter(|_| count <= MAX_VERTICES).ok_or_else(|| {
        Error::Usage(format!("the graph has {count} vertices, and a store holds at most {MAX_VERTICES}"))
    })
}
