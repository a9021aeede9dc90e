//! The `chunked` layout: the default (ChunkGraph, USENIX ATC 2024; `docs/format/chunked.md`).
//!
//! Vertices of one or two neighbors keep them in the index. Longer lists lie in aligned chunks of several sizes, none
//! across two chunks; a list that is longer than any chunk takes several in a row. Where a list lies is found through
//! an index in memory.

mod entry;
mod format;
mod index;
mod read;
mod settings;
mod table;
#[cfg(test)]
mod tests;
mod write;

pub use entry::{ChunkedEntry, LevelFigures};
pub(crate) use format::file_names;
pub(crate) use format::firsts_name;
pub use format::{ChunkView, ListFormat, chunks_name};
pub use index::index_bytes;
pub(super) use read::ChunkedLists;
pub(crate) use read::{chunks_memory, verify_chunks};
pub use settings::{ChunkLevel, ChunkSettings, DenseAccess, IndexKind, Placement};
pub(crate) use write::{ChunkPacker, ChunkedWriter, IndexFiles, PlacedList, longest_buffered};
