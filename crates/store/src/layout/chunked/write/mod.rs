//! Writes lists in chunks, in constant memory.

mod index_files;
mod placer;
mod shelf;
#[cfg(test)]
mod shelf_tests;
mod writer;

pub(crate) use index_files::IndexFiles;
pub(crate) use placer::{ListPlacer, longest_buffered};
pub(crate) use shelf::Spot;
pub use writer::ChunkedWriter;
