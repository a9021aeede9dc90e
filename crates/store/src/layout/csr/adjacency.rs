//! Opens one direction of the `csr` layout.

use super::format::{ListGeometry, edges_name};
use super::index;
use crate::access::Workers;
use crate::component::Component;
use crate::layout::degrees_name;
use crate::layout::rows::{Index, Opened, Reading, RowAdjacency, RowIndex, buffers_of};
use crate::selection::StaticLists;
use crate::store::Store;
use crate::updates;
use outcrop_io::{Device, IoChoice, MergePolicy, PageCache, Utilisation};
use outcrop_types::{Direction, Error, MemoryBudget, MemoryPlan, Purpose, Result, VertexId, length_from};
use std::sync::Arc;

/// Options for opening the layout.
#[derive(Clone, Debug)]
pub struct CsrOptions {
    /// The way to read.
    pub io: IoChoice,
    /// Memory of the page cache of this direction, its table included, in bytes.
    pub cache_bytes: u64,
    /// Account of the parts of cached pages that are looked at.
    pub utilisation: Utilisation,
    /// Rule for merging neighbouring requests.
    pub merge: MergePolicy,
}

/// One direction of a store's `csr` layout, open for reading.
pub type CsrAdjacency = RowAdjacency<ListGeometry>;

impl CsrAdjacency {
    /// Memory that opening one direction takes from the budget, but for the page cache. Once it is open, what the reader of degrees took
    /// ([`Component::READER_BYTES`]) is free again.
    pub fn memory(store: &Store, direction: Direction, workers: &Workers) -> MemoryPlan {
        MemoryPlan::new()
            .with(Purpose::Index, RowIndex::bytes(store.manifest().vertices))
            .with(Purpose::IoBuffers, buffers_of(workers) + Component::READER_BYTES)
            .and(&updates::memory(store, direction))
    }

    /// Memory for holding all lists of one direction in the page cache, in bytes.
    pub fn cache_bytes_for_all(store: &Store, direction: Direction, utilisation: Utilisation) -> u64 {
        let manifest = store.manifest();
        let Some(entry) = manifest.csr(direction) else { return 0 };
        let page_bytes = entry.settings().page();
        let bytes = manifest.file(&edges_name(entry.direction)).map_or(0, |file| file.bytes);
        PageCache::bytes_for(bytes / length_from(page_bytes), page_bytes, utilisation)
    }

    /// Opens the lists of `direction`.
    ///
    /// # Errors
    /// The store has none or they are damaged; the budget is too small.
    pub fn open(
        store: &Store,
        direction: Direction,
        options: &CsrOptions,
        budget: &MemoryBudget,
        workers: &Workers,
    ) -> Result<Self> {
        Self::open_through(store, direction, options, budget, workers, |device| device)
    }

    /// [`CsrAdjacency::open`] with something between the lists and their device: for tests of devices that fail or count.
    ///
    /// # Errors
    /// As for [`CsrAdjacency::open`].
    #[doc(hidden)]
    pub fn open_through(
        store: &Store,
        direction: Direction,
        options: &CsrOptions,
        budget: &MemoryBudget,
        workers: &Workers,
        wrap: impl FnOnce(Arc<dyn Device>) -> Arc<dyn Device>,
    ) -> Result<Self> {
        let stored = store.stored(direction);
        let entry = store
            .manifest()
            .csr(direction)
            .ok_or_else(|| Error::corrupt(store.folder(), format!("it has no {} lists", direction.name())))?;
        let degrees = store.component(&degrees_name(stored), options.io)?;
        let lists = store.component(&edges_name(stored), options.io)?.through(wrap);
        let mut buffers = budget.reserve(buffers_of(workers) + Component::READER_BYTES, Purpose::IoBuffers)?;
        let format = ListGeometry::new(store.manifest().weights(), entry.settings());
        let vertices = store.manifest().vertices;
        let index = index::load(&degrees, entry, vertices, format, lists.units(), budget, workers.cancellation())?;
        let changes = updates::load(store, direction, options.io, budget, workers.cancellation())?;
        buffers.shrink_to(buffers_of(workers));
        let CsrOptions { cache_bytes, utilisation, merge, .. } = *options;
        let index = Index::Resident(index);
        let opened = Opened { lists, format, index, arcs: entry.arcs, positions: entry.arcs, changes, buffers };
        Self::assemble(opened, Reading { cache_bytes, utilisation, merge }, budget, workers)
    }

    /// From now on the lists that are in `statics` come from there.
    ///
    /// # Errors
    /// They are not lists of this layout; interruption.
    pub fn use_static(&mut self, statics: StaticLists) -> Result<()> {
        statics.verify_plain(&self.workers, |vertex| self.degree(vertex))?;
        self.hold(statics)
    }

    /// Number of entries of the list of `vertex` in the file.
    #[inline]
    pub(crate) fn degree(&self, vertex: VertexId) -> u32 {
        match &self.index {
            Index::Resident(index) => index.length(vertex),
            Index::Streamed(_) => 0,
        }
    }
}
