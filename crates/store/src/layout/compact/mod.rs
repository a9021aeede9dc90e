//! The `compact` layout: the lists of all vertices stored consecutively in as few bytes as possible, and an index of
//! their positions (LOSC, sections 3.4 and 3.6; `docs/format/compact.md`).
//!
//! Three components per direction: `out.shards` contains the lists, which straddle units; `out.index` the degree and
//! byte length of each list, one byte each for small values; `out.directory` the positions of every 4096th vertex in
//! both files.

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
