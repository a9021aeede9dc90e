//! Reading of lists in chunks.

mod chain;
mod cost;
mod first_neighbours;
mod lists;
mod load;
mod select;
mod statics;
mod task;
mod verify;
mod wanted;

pub use lists::ChunkedLists;
pub use verify::{chunks_memory, verify_chunks};
