//! Gather, apply, scatter on values of edges, on shards that hold the edges which are needed (Vora, Xu, Gupta: *Load the Edges You Need*,
//! USENIX ATC 2016; D1 to D7).

mod aggregation;
mod arrivals;
mod block_store;
mod delays;
mod demand;
mod edge_values;
mod engine;
mod memory;
mod prepare;
mod program;
mod run;
mod shadow;
mod shard_set;
mod turn;
mod vertex_values;
mod windowed;
mod workspace;

pub use aggregation::{Aggregation, Amount};
pub use arrivals::Arrival;
pub use demand::{Along, GasDemand, GasOptions, ShardKind};
pub use engine::{GasEngine, GasRan, GasSetup};
pub use memory::ShardExtent;
pub use prepare::{Preparation, prepare_shards};
pub use program::{GasProgram, GasStep, GasVertex, OutEdge, Reverse, TOTALS, Totals};
