//! The `chunked` layout: the default (ChunkGraph, USENIX ATC 2024; `docs/format/chunked.md`).
//!
//! Vertices of one or two neighbours keep them in the index. Longer lists lie in aligned chunks of several sizes, none across two
//! chunks; a list that is longer than any chunk takes several in a row. Where a list lies is found through an index in memory.

mod adjacency;
mod chain;
mod cost;
mod format;
mod gatherer;
mod index;
mod index_files;
mod load;
mod placer;
mod settings;
mod shelf;
mod table;
#[cfg(test)]
mod tests;
mod verify;
mod wanted;
mod writer;

pub use adjacency::{ChunkedAdjacency, ChunkedOptions, DenseAccess};
pub use format::{ChunkView, ListFormat, chunks_name, table_name};
pub use index::index_bytes;
pub(crate) use index_files::IndexFiles;
pub(crate) use placer::{LONGEST_BUFFERED, ListPlacer};
pub use settings::{ChunkLevel, ChunkSettings, IndexKind, Placement};
pub(crate) use shelf::Spot;
pub use verify::{chunks_memory, verify_chunks};
pub use writer::ChunkedWriter;
