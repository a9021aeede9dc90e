//! Edges on their way into a build: from their source, set aside until the vertices have their numbers, to the sorters.

mod sampler;
mod sink;
mod source;
mod spool;

pub use sampler::SampledLists;
pub use source::{BuildInput, EdgeBatch, EdgeSource, IdBatch, IdKind, VertexSource};

pub(super) use sampler::EdgeSampler;
pub(super) use sink::{EdgeCounts, EdgeSink, NumberedEdges, Sunk};
pub(super) use spool::EdgeSpoolWriter;
