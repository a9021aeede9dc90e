//! Tables of the papers, measured on the user's graph.

pub(crate) mod basc;
pub(crate) mod chunkgraph;
pub(crate) mod construct;
pub(crate) mod dynamic_shards;
pub(crate) mod losc;
pub(crate) mod multilog;
