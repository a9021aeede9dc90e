//! Reads lists in chunks: the select and sweep of the access contract.

mod adjacency;
mod chain;
mod cost;
mod gatherer;
mod load;
mod statics;
mod suspend;
mod verify;
mod wanted;

pub use adjacency::ChunkedAdjacency;
pub use verify::{chunks_memory, verify_chunks};
