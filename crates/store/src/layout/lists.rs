//! Interface to the lists of one direction in any layout.

use crate::access::{Pages, Workers};
use crate::selection::StaticLists;
use outcrop_io::{Backend, PageUse};
use outcrop_types::{Result, VertexId, VertexRange};

/// Lists of one direction in some layout, open for reading.
pub(super) trait LayoutLists: Pages + Send {
    /// Releases the read buffers until [`LayoutLists::resume`], for lists that stay open between two runs.
    fn suspend(&mut self);

    /// Resumes with `workers`, whose number must not change, and resets the read counters.
    ///
    /// # Errors
    /// Returns an error if the budget is too small for the read buffers.
    fn resume(&mut self, workers: &Workers) -> Result<()>;

    /// Reserves as much memory as the page cache of lists opened with `cache_bytes`, regardless of its actual size.
    ///
    /// # Errors
    /// Returns an error if the budget is too small.
    fn charge_as(&mut self, cache_bytes: u64) -> Result<()>;

    /// Reads the lists in `statics` from there from now on. A layout without a static cache ignores them.
    ///
    /// # Errors
    /// Returns an error if the lists are of another layout, if the index cannot be read, or on interruption.
    fn use_static(&mut self, statics: StaticLists) -> Result<()> {
        _ = statics;
        Ok(())
    }

    /// Returns the lists in the static cache.
    fn static_lists(&self) -> Option<&StaticLists> {
        None
    }

    /// Returns the number of entries in the list of `vertex`, if it is known without reading.
    fn degree(&self, vertex: VertexId) -> Option<u32> {
        _ = vertex;
        None
    }

    /// Returns the vertices around `vertex` whose lists are always read together, so that one damaged byte affects all
    /// of them.
    fn read_together(&self, vertex: VertexId) -> VertexRange {
        VertexRange::new(vertex, vertex.saturating_add(1))
    }

    /// Loads and verifies every chunk if the page cache can fit them all, so that no further reads occur. Otherwise
    /// does nothing.
    ///
    /// # Errors
    /// Returns an error if a read fails or is damaged, or on interruption.
    fn load(&self) -> Result<()> {
        Ok(())
    }

    /// Returns the used parts of the cached pages; `None` if they were not recorded.
    fn page_use(&self) -> Option<PageUse> {
        None
    }

    /// Returns the I/O backend for reading lists.
    fn backend(&self) -> Backend;
}
