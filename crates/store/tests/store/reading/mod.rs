//! Lists read in every way and layout.

pub mod adjacency;
pub mod chunks;
pub mod compact;
pub mod first_neighbors;
mod pages;
pub mod selections;
pub mod shards;
pub mod statics;
pub mod utilization;
pub mod weights;
