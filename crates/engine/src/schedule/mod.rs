//! Benefit-aware scheduling: select or sweep, decided from what each would cost (LOSC, sections 3.5 and 3.6; push or
//! pull as in Ligra).
//!
//! `model.rs` turns costs into seconds and chooses, for every engine; `sampled.rs` makes estimating cheap; `edge_map`
//! puts both to use in `edge_map/direction.rs`. The reasons are in docs/decisions/0014-select-or-sweep.md.

mod choice;
mod estimates;
mod model;
mod sampled;

pub use choice::{Plan, Schedule, Scheduler};
pub use estimates::Estimates;
pub(crate) use model::Seconds;
pub use model::{CostModel, Decision, Work};
pub(crate) use sampled::{Sample, sample_of};
