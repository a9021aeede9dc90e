//! Opens one direction of the `csr` layout.

use super::format::{ListGeometry, edges_name};
use super::index;
use crate::access::Workers;
use crate::component::Component;
use crate::layout::degrees_name;
use crate::layout::options::{ListOptions, WrapDevice};
use crate::layout::paged_lists::{Index, ListIndex, Opened, PagedLists, buffers_of};
use crate::store::Store;
use outcrop_io::{PageCache, Utilization};
use outcrop_types::{Direction, Error, MemoryBudget, MemoryPlan, Purpose, Result, length_from};

/// Lists of one direction of a store's `csr` layout, open for reading.
pub(crate) type CsrLists = PagedLists<ListGeometry>;

impl CsrLists {
    /// Returns the memory for opening one direction with `vertices` vertices, except for the page cache. After
    /// opening, the memory of the degree reader ([`Component::READER_BYTES`]) is released.
    pub(crate) fn memory(vertices: u32, workers: &Workers) -> MemoryPlan {
        MemoryPlan::new()
            .with(Purpose::Index, ListIndex::bytes(vertices))
            .with(Purpose::IoBuffers, buffers_of(workers) + Component::READER_BYTES)
    }

    /// Returns the page cache size for all lists of one direction, in bytes.
    pub(crate) fn cache_bytes_for_all(store: &Store, direction: Direction, utilization: Utilization) -> u64 {
        let manifest = store.manifest();
        let Some(entry) = manifest.csr(direction) else { return 0 };
        let page_bytes = entry.settings().page();
        let bytes = manifest.file(&edges_name(entry.direction)).map_or(0, |file| file.bytes);
        PageCache::bytes_for(bytes / length_from(page_bytes), page_bytes, utilization)
    }

    /// Opens the lists of `direction`.
    ///
    /// # Errors
    /// Returns an error if the store has no such lists, if they are damaged, or if the budget is too small.
    pub(crate) fn open(
        store: &Store,
        direction: Direction,
        options: &ListOptions,
        budget: &MemoryBudget,
        workers: &Workers,
        wrap: WrapDevice<'_>,
    ) -> Result<Self> {
        let stored = store.stored(direction);
        let entry = store
            .manifest()
            .csr(direction)
            .ok_or_else(|| Error::corrupt(store.folder(), format!("it has no {}-lists", direction.name())))?;
        let degrees = store.component(&degrees_name(stored), options.io)?;
        let lists = store.component(&edges_name(stored), options.io)?.through(wrap);
        let mut buffers = budget.reserve(buffers_of(workers) + Component::READER_BYTES, Purpose::IoBuffers)?;
        let format = ListGeometry::new(store.manifest().weights(), entry.settings());
        let vertices = store.manifest().graph.vertices;
        let index = index::load(&degrees, entry, vertices, format, lists.units(), budget, workers.cancellation())?;
        buffers.shrink_to(buffers_of(workers));
        let index = Index::Resident(index);
        let opened = Opened { lists, format, index, arcs: entry.arcs, positions: entry.arcs, buffers };
        Self::assemble(opened, options, budget, workers)
    }
}
