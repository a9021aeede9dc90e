//! The `compact` layout: the lists of all vertices one after the other as few bytes each, and an index that says where
//! each begins (LOSC, sections 3.4 and 3.6; `docs/format/compact.md`).
//!
//! Three components a direction: `out.shards` holds the lists, which straddle units; `out.index` a degree and a length
//! in bytes for each vertex, in one byte each where they are small; `out.directory` where both files are at every
//! 4096th vertex.

mod adjacency;
mod directory;
mod entry;
mod format;
mod index;
mod pages;
mod settings;
mod streamed;
mod writer;

pub(super) use adjacency::CompactLists;
pub(super) use adjacency::DEGREE_READER_BYTES;
pub use entry::CompactEntry;
pub(crate) use format::{Carried, directory_name, index_name};
pub use format::{ListBytes, SEGMENT_ENTRIES, shards_name};
pub(super) use index::{IndexReader, ListSize};
pub use settings::{CompactSettings, IndexResidence};
pub(crate) use writer::CompactWriter;
