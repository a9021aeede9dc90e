//! Edges on their way into a build: from their source, set aside until the vertices have their numbers, to the sorters.

mod sampled_lists;
mod sampler;
mod sink;
mod source;
mod spool;

pub use sampled_lists::SampledLists;
pub use source::{BuildInput, EdgeBatch, EdgeSource, IdBatch, IdKind, VertexSource};

pub(super) use sampler::{EdgeSampler, KeptSample};
pub(super) use sink::{EdgeCounts, EdgeSink, KeptEdges, NumberedEdges, Sunk};
pub(super) use spool::EdgeSpoolWriter;
