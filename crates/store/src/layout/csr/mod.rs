//! The `csr` layout: the lists of all vertices one after the other, cut into vertex intervals that begin on a unit of
//! their own (MultiLogVC, section 4.1; `docs/format/csr.md`).
//!
//! Two components a direction: `out.degrees` holds one u32 a vertex, from which the index is computed when the store is
//! opened; `out.edges` holds the lists. A page of an edge file carries as many neighbors as fit, then their weights;
//! how large pages are is chosen when a store is made.

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
