//! Export of the edges of a store to a file: of all edges, or of those that verify in a damaged store.

mod edges;
mod salvage;

pub use edges::{ExportOrder, ExportRequest};
pub use salvage::{LostVertices, SalvageRecord, SalvagedLists};
