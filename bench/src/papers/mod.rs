//! The tables of the papers, on a graph of the user's.

pub(crate) mod basc;
pub(crate) mod chunkgraph;
pub(crate) mod construct;
pub(crate) mod dynamic_shards;
pub(crate) mod losc;
pub(crate) mod multilog;
