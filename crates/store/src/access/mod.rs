//! The contract between layouts and models: *select or sweep*.
//!
//! No model sees a page, no layout sees an algorithm. A model hands over a visitor and says which lists it wants; the
//! layout reads them in bulk, in the order of the disk, with every worker computing while its next reads are under way.

mod adjacency;
mod block;
mod changing;
mod fold;
mod neighbours;
mod open;
mod packer;
mod shards;
mod statistics;
mod visit;
mod workers;

pub use adjacency::{Adjacency, IoCost, ListPage, Pages};
pub(crate) use block::BitBlock;
pub use block::{keep_wanted, wanted_of};
pub use changing::{ChangeLists, Changing, TakePart, worker_of};
pub use fold::FoldLists;
pub use neighbours::{Neighbours, StoredNeighbours, StoredWeights};
pub use open::{OpenLists, are_same};
pub use packer::Packer;
pub use shards::{ArcBlock, BlockId, Shards};
pub(crate) use statistics::Reads;
pub use statistics::{AccessFigures, AccessStatistics};
pub use visit::{FirstNeighbours, ListBatch, Visit, VisitBatch};
pub use workers::Workers;
