//! Locality of the lists of neighbors in a store.

use crate::graph::Graph;
use crate::info::{LocalityInfo, bytes_per_arc};
use crate::lists::{self, Lists};
use outcrop_placement::locality::{PAGE_BYTES, locality, pages};
use outcrop_store::layout::degrees;
use outcrop_types::{Direction, MemoryPlan, Purpose, Result, VertexValues};

impl Graph {
    /// Measures how close the lists of out-neighbors are to each other, in one sweep.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget is too small, if the store is damaged, if a read fails, or if the work is
    /// interrupted.
    pub fn locality(&self) -> Result<LocalityInfo> {
        let (budget, out) = (self.budget(), Direction::Out);
        budget.require(&self.locality_memory())?;
        let degrees = |direction| degrees(&self.store, direction, self.io, &budget, self.cancellation());
        let (into, bytes) = (degrees(Direction::In)?, bytes_per_arc(self.store.manifest()));
        let pages = pages(degrees(out)?, bytes);
        let opened = Lists::open_paged(self, &[out], 0, &budget)?;
        self.report_notes();
        let figures = locality(opened.only()?, &into, &pages)?;
        Ok(LocalityInfo { direction: out, page_bytes: PAGE_BYTES, figures })
    }

    /// Returns the memory of [`Graph::locality`].
    pub(crate) fn locality_memory(&self) -> MemoryPlan {
        let degrees = 2 * VertexValues::<u32>::bytes(self.num_vertices().into());
        MemoryPlan::new().with(Purpose::Degrees, degrees).and(&lists::memory(self, Direction::Out))
    }
}
