//! Selections: lists of preselected vertices, stored for runs to pin in memory (BASC, section 3;
//! `docs/format/static.md`).
//!
//! There is one file per direction. The manifest does not list it: it can be created, replaced and removed while the
//! store is read.

pub(crate) mod check;
mod collect;
mod context;
mod draft;
mod encoding;
mod file;
mod format;
mod lists;
mod load;
mod tables;
mod write;

pub use draft::{SelectionDraft, remove_selections};
pub(crate) use file::with_remedy;
pub use format::{SelectionInfo, SelectionNote};
pub(crate) use format::{file_name, leftover_names};
pub use lists::StaticLists;
pub use write::write_selection_memory;
