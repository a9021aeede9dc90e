//! Supersteps: `run.rs` runs them, `superstep.rs` decides which logs are loaded together and when, `compute.rs` brings
//! together the values, messages and lists of a group, `block.rs` computes one vertex after the other, `worker.rs`
//! collects their output.

mod block;
mod compute;
mod run;
mod state;
mod superstep;
mod worker;

pub use run::MessageResult;
