//! Lists stored consecutively in the pages of one file, addressed by position: shared by the `csr` and `compact`
//! layouts.
//!
//! A position is an entry in `csr` and a byte in `compact`. [`PageFormat`] contains the differences.

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
