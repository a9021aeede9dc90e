//! Path of edges in a build: from their source, through a spool on disk until the vertices have numbers, to the
//! sorters.

mod entry_counts;
mod sampled_lists;
mod sampler;
mod sink;
mod source;
mod spool;

pub use sampled_lists::SampledLists;
pub use source::{BuildInput, EdgeBatch, EdgeSource, IdBatch, IdKind, VertexSource};

pub(super) use sampler::{DurableSample, EdgeSampler};
pub(super) use sink::{DurableEdges, EdgeCounts, EdgeSink, NumberedEdges, OrderedArcs};
pub(super) use spool::{DurableSpool, EdgeSpool, EdgeSpoolWriter, Pass};
