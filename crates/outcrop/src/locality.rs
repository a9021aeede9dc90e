//! Nearness of the lists of neighbours to each other in a store.

use crate::graph::Graph;
use crate::info::bytes_per_arc;
use crate::lists::{self, Lists};
use outcrop_placement::locality::{Locality, PAGE_BYTES, locality, pages};
use outcrop_store::layout::degrees;
use outcrop_types::{Direction, MemoryPlan, Purpose, Result, VertexValues};
use serde::Serialize;

/// Nearness of the lists of neighbours to each other, if lists lie in the order of the vertices with the bytes an entry that they have on
/// disk. Distances are in pages, from the list of a vertex to that of its neighbour.
#[derive(Clone, Debug, Serialize)]
pub struct LocalityInfo {
    /// Direction of these neighbours.
    pub direction: Direction,
    /// Bytes of a page.
    pub page_bytes: u64,
    /// The figures.
    #[serde(flatten)]
    pub figures: Locality,
}

impl Graph {
    /// Measures how near the lists of out-neighbours lie to each other: one sweep.
    ///
    /// # Errors
    /// A budget that is too small; a damaged store; a failed read; interruption.
    pub fn locality(&self) -> Result<LocalityInfo> {
        let (budget, out) = (self.budget(), Direction::Out);
        let vertices = u64::from(self.num_vertices());
        let plan = MemoryPlan::new().with(Purpose::Degrees, 2 * VertexValues::<u32>::bytes(vertices));
        budget.require(&plan.and(&lists::memory(self, out)))?;
        let degrees = |direction| degrees(&self.store, direction, self.io, &budget, self.cancellation());
        let (into, bytes) = (degrees(Direction::In)?, bytes_per_arc(self.store.manifest()));
        let pages = pages(degrees(out)?, bytes);
        let opened = Lists::open_paged(self, &[out], 0, &budget)?;
        self.tell_notes();
        let figures = locality(opened.only()?, &into, &pages)?;
        Ok(LocalityInfo { direction: out, page_bytes: PAGE_BYTES, figures })
    }
}
