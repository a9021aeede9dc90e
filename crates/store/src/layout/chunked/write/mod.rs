//! Writes lists in chunks, in constant memory.

mod bins;
#[cfg(test)]
mod bins_tests;
mod chunk_packer;
mod index_files;
mod writer;

pub(crate) use bins::PlacedList;
pub(crate) use chunk_packer::{ChunkPacker, longest_buffered};
pub(crate) use index_files::IndexFiles;
pub(crate) use writer::ChunkedWriter;
