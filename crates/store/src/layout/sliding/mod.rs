//! Sliding shards: arcs in blocks from an interval of vertices to another, all blocks into an interval one after the other
//! (`docs/format/sliding.md`; GraphChi's shards, D1).
//!
//! A store of this layout has such blocks for good; [`PreparedShards`] has them in a temporary file, written from lists of any layout.

mod block;
mod file;
mod finder;
mod held;
mod intervals;
mod pieces;
mod prepared;
mod read;
mod sorter;
mod table;
mod writer;

#[cfg(test)]
mod tests;

pub use intervals::{BoundsPicker, MAX_INTERVALS, intervals_for};
pub use prepared::{PreparedShards, ShardPreparation};
pub use read::BlockShards;
pub use sorter::{EncodedShard, ShardSorter};
