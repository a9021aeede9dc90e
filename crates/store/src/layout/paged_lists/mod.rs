//! Lists one after the other in the pages of one file, each addressed by its position: what the `csr` and the `compact`
//! layout share.
//!
//! A position counts what the layout counts: entries in `csr`, bytes in `compact`. [`PageFormat`] is what differs.

mod cost;
mod fold;
mod format;
mod index;
mod lists;
mod morsels;
mod requests;
mod select;
mod task;
mod windows;

pub(super) use format::{PageFormat, Stretch};
pub(crate) use index::BLOCK_VERTICES;
pub use index::ListIndex;
pub(super) use index::{Block, starts_from_lengths};
pub(super) use lists::{Opened, PagedLists, buffers_of};
pub(super) use windows::{Index, WindowedIndex};
