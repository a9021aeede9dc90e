//! Lists one after the other in the pages of one file, each addressed by its position: what the `csr` and the `compact` layout share.
//!
//! A position counts what the layout counts: entries in `csr`, bytes in `compact`. [`RowFormat`] is what differs.

mod adjacency;
mod claims;
mod cost;
mod fold;
mod format;
mod index;
mod requests;
mod task;
mod windows;

pub use adjacency::RowAdjacency;
pub(super) use adjacency::{Opened, buffered_workers, buffers_of};
pub(super) use format::{RowFormat, Stretch};
pub use index::{BLOCK_VERTICES, RowIndex};
pub(super) use index::{Block, starts_from_lengths};
pub(super) use windows::{Index, WindowedIndex};
