//! Supersteps: `run.rs` which logs are loaded together and when, `compute.rs` values, messages and lists of a group, `turn.rs` one vertex after
//! the other, `worker.rs` what they send.

mod compute;
mod run;
mod turn;
mod worker;

pub(super) use compute::Progress;
pub(super) use run::Run;
