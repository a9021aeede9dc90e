//! Layouts of adjacency on disk.

pub mod chunked;
pub mod compact;
pub mod csr;
mod decoded_lists;
mod degrees;
mod kind;
mod list_slices;
pub(crate) mod list_writer;
mod lists;
mod new_lists;
mod options;
mod paged_lists;
pub mod sliding;
mod stored_lists;

pub(crate) use degrees::degrees_name;
pub use degrees::{DegreeReader, all_degrees_memory, degrees};
pub use kind::{Layout, LayoutKind};
pub use options::ListOptions;
pub use stored_lists::{StoredLists, has_first_neighbors};
