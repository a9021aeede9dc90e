//! Supersteps: `run.rs` which logs are loaded together and when, `compute.rs` values, messages and lists of a group,
//! `block.rs` one vertex after the other, `worker.rs` what they send.

mod block;
mod compute;
mod run;
mod state;
mod superstep;
mod worker;

pub use run::MessageResult;
