//! Commands that ask a store about some of its vertices.

pub(crate) mod degree;
pub(crate) mod neighbors;
mod options;
pub(crate) mod sample;
pub(crate) mod subgraph;
