//! Benefit-aware scheduling: select or sweep, decided by estimated cost (LOSC, sections 3.5 and 3.6; push or pull as in
//! Ligra).
//!
//! `cost_model.rs` converts costs to seconds and chooses, for every engine; `sampled.rs` makes estimates cheap;
//! `pull_cost.rs` estimates how many lists a pull reads. The reasons are in docs/decisions/0014-select-or-sweep.md.

mod cost_model;
mod estimates;
mod options;
mod pull_cost;
mod sampled;

pub(crate) use cost_model::Seconds;
pub use cost_model::{AccessWork, CostModel, Decision};
pub use estimates::Estimates;
pub use options::{Plan, Schedule, Scheduler};
pub(crate) use pull_cost::{Pulled, pull_cost};
pub(crate) use sampled::sample_of;
