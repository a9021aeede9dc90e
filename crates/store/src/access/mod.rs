//! Contract between layouts and models: *select or sweep*.
//!
//! Models do not see pages, and layouts do not see algorithms. A model passes a visitor and the set of requested lists;
//! the layout reads them in bulk, in disk order, while every worker overlaps its computation with its next reads.

mod adjacency;
mod block;
mod changing;
mod fold;
mod neighbors;
mod open;
mod packer;
mod shards;
mod statistics;
mod visit;
mod workers;

pub use adjacency::{Adjacency, IoCost, ListPage, Pages};
pub(crate) use block::{BitBlock, first_requested};
pub use block::{requested_vertices, retain_requested};
pub use changing::{ChangeLists, Changing, TakePart, worker_of};
pub use fold::FoldLists;
pub use neighbors::{Neighbors, StoredNeighbors, StoredWeights};
pub use open::{OpenLists, are_same};
pub(crate) use packer::PIECE;
pub use packer::Packer;
pub use shards::{ArcBlock, BlockId, Shards};
pub(crate) use statistics::Reads;
pub use statistics::{AccessFigures, AccessStatistics};
pub use visit::{FirstNeighbors, ListBatch, Visit, VisitBatch};
pub use workers::Workers;
