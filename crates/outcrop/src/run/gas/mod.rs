//! The model of values on edges (dynamic shards): what its engine is asked for, who gets which memory, and where values
//! of edges go.

mod execute;
mod plan;
mod prepare;
mod shards;

pub(super) use plan::Gas;
