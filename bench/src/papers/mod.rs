//! Tables of the papers, and of what is used by default, measured on the user's graph.

pub(crate) mod basc;
pub(crate) mod chunkgraph;
pub(crate) mod construct;
pub(crate) mod defaults;
pub(crate) mod dynamic_shards;
pub(crate) mod losc;
pub(crate) mod multilog;
