//! Gather-apply-scatter on edge values, on dynamic shards that contain only the required edges (Vora, Xu, Gupta: *Load
//! the Edges You Need*, USENIX ATC 2016; D1 to D7).
#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

mod aggregation;
mod engine;
mod iterations;
mod memory;
mod program;
mod requirements;
mod shards;

pub use aggregation::Aggregation;
pub use engine::{GasEngine, GasSetup};
pub use iterations::GasResult;
pub use memory::ShardExtent;
pub use program::{EdgeBatch, GasProgram, GasStep, GasVertex, OutEdge, Reverse, TOTALS, Totals};
pub use requirements::{GasOptions, GasRequirements, ShardKind};
pub use shards::{ArrivingArc, Preparation, prepare_shards};
