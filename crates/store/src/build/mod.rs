//! Builds a store from a stream of edges in bounded memory.

mod edge_source;

pub use edge_source::{EdgeBatch, EdgeSource, IdBatch, IdKind, VertexSource};
