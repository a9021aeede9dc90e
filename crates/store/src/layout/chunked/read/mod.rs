//! Reading of chunked lists.

mod chain;
mod check_file;
mod cost;
mod first_neighbors;
mod lists;
mod load;
mod requested_lists;
mod select;
mod statics;
mod task;

pub(crate) use check_file::{chunks_memory, verify_chunks};
pub(crate) use lists::ChunkedLists;
