//! Lists of one direction in some layout, whichever it is.

use crate::access::{Pages, Workers};
use crate::selection::StaticLists;
use outcrop_io::{Backend, PageUse};
use outcrop_types::{Result, VertexId};

/// Lists of one direction in some layout, open for reading.
pub trait LayoutLists: Pages + Send {
    /// Gives back the read buffers until [`LayoutLists::resume`]: for lists that stay open between two runs.
    fn suspend(&mut self);

    /// Goes on with `workers`, as many as before, and counts what is read from 0.
    ///
    /// # Errors
    /// The budget is too small for the read buffers.
    fn resume(&mut self, workers: &Workers) -> Result<()>;

    /// Reserves what the page cache of lists would that are opened with `cache_bytes`, however large it is.
    ///
    /// # Errors
    /// The budget is too small for that.
    fn charge_as(&mut self, cache_bytes: u64) -> Result<()>;

    /// Takes the lists that are in `statics` from there from now on; a layout without a static cache takes none.
    ///
    /// # Errors
    /// They are not lists of this layout; the index cannot be read; interruption.
    fn use_static(&mut self, statics: StaticLists) -> Result<()> {
        _ = statics;
        Ok(())
    }

    /// The lists that come from the static cache.
    fn static_lists(&self) -> Option<&StaticLists> {
        None
    }

    /// Number of entries of the list of `vertex`, where that is known without reading.
    fn degree(&self, vertex: VertexId) -> Option<u32> {
        _ = vertex;
        None
    }

    /// Loads and verifies every chunk, where the page cache holds them all, so that nothing is read any more; else does
    /// nothing.
    ///
    /// # Errors
    /// A failed or damaged read; interruption.
    fn load(&self) -> Result<()> {
        Ok(())
    }

    /// Parts that were looked at of the pages that were in the page cache; `None` where no account of it was kept.
    fn page_use(&self) -> Option<PageUse> {
        None
    }

    /// Kind of I/O that lists are read with.
    fn backend(&self) -> Backend;
}
