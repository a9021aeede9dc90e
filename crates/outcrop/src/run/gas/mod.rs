//! Model of values on edges (dynamic shards): engine settings, memory distribution, and storage of edge values.

mod execute;
mod plan;
mod prepare;
mod shards;

pub(super) use plan::Gas;
