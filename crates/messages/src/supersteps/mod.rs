//! Supersteps: `run.rs` which logs are loaded together and when, `compute.rs` values, messages and lists of a group,
//! `turn.rs` one vertex after the other, `worker.rs` what they send.

mod compute;
mod run;
mod state;
mod superstep;
mod turn;
mod worker;

pub use run::Ran;
