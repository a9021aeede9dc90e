//! The lists of pre-selected vertices, kept in the store for runs to hold in memory (BASC, section 3; `docs/format/static.md`).
//!
//! A file a direction, which the manifest does not list: it can be made, replaced and removed while the store is read.

pub(crate) mod check;
mod collect;
mod encoding;
mod file;
mod format;
mod lists;
mod load;
mod publish;
mod tables;
mod write;

use outcrop_types::Direction;

pub use lists::StaticLists;
pub use write::{remove_selection, write_selection};

/// Origin of the vertices of a selection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectionNote {
    /// Name of the method, such as `gvs`: 1 to 32 of `a-z0-9-`.
    pub method: String,
    /// In how many rounds.
    pub rounds: u32,
}

/// A selection that is kept in a store.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct SelectionInfo {
    /// Direction of the lists.
    pub direction: Direction,
    /// As in [`SelectionNote`].
    pub method: String,
    /// As in [`SelectionNote`].
    pub rounds: u32,
    /// Number of lists.
    pub lists: u32,
    /// Entries of all lists.
    pub arcs: u64,
    /// Memory of the lists in bytes, each with the 8 bytes that say where it is.
    pub bytes: u64,
}
