//! Reading of lists in chunks.

mod chain;
mod cost;
mod first_neighbors;
mod lists;
mod load;
mod requested_lists;
mod select;
mod statics;
mod task;
mod verify;

pub use lists::ChunkedLists;
pub use verify::{chunks_memory, verify_chunks};
