//! The binary format of edges: see `docs/format/edges.md`.

mod format;
mod reader;
mod writer;

pub use format::IdWidth;
pub(crate) use reader::BinaryReader;
pub use writer::BinaryEdgeWriter;
