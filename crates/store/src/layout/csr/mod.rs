//! The `csr` layout: the lists of all vertices stored consecutively, in vertex intervals that start on a new unit
//! (MultiLogVC, section 4.1; `docs/format/csr.md`).
//!
//! Two components per direction: `out.degrees` contains one u32 per vertex, from which the index is computed when the
//! store is opened; `out.edges` contains the lists. A page of an edge file contains as many neighbors as fit, followed
//! by their weights; the page size is chosen when the store is built.

mod adjacency;
mod entry;
mod format;
mod index;
mod pages;
mod settings;
mod writer;

pub use super::paged_lists::ListIndex;
pub(super) use adjacency::CsrLists;
pub use entry::{CsrEntry, Interval};
pub(crate) use format::INTERVAL_ARCS;
pub use format::{ListGeometry, edges_name};
pub use settings::CsrSettings;
pub(crate) use writer::CsrWriter;
