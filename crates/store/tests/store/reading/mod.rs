//! Lists read in every way and layout.

pub mod adjacency;
pub mod chunks;
pub mod compact;
pub mod first_neighbours;
mod pages;
pub mod selections;
pub mod shards;
pub mod statics;
pub mod utilisation;
pub mod weights;
