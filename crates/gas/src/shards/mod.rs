//! Shards, edge values, and delayed changes of edges outside the shards.

mod block_store;
mod delays;
mod edge_values;
mod insertions;
mod prepare;
mod shard_set;
mod windowed;

pub(super) use block_store::{BlockStore, SpillPool, lock};
pub(super) use delays::{DelayBuffer, Delayed};
pub(super) use edge_values::{EdgeValues, are_few, pairs};
pub use insertions::ArrivingArc;
pub(super) use insertions::{ArrivingArcs, arrival_bytes};
pub use prepare::{Preparation, prepare_shards};
pub(super) use shard_set::{Scratch, ShardSet, TABLE_BYTES, all_arcs, blocks, intervals_of};
