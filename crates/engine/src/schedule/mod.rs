//! Benefit-aware scheduling: select or sweep, decided by estimated cost (LOSC, sections 3.5 and 3.6; push or pull as in
//! Ligra).
//!
//! `model.rs` converts costs to seconds and chooses, for every engine; `sampled.rs` makes estimates cheap; `edge_map`
//! uses both in `edge_map/direction.rs`. The reasons are in docs/decisions/0014-select-or-sweep.md.

mod choice;
mod estimates;
mod model;
mod sampled;

pub use choice::{Plan, Schedule, Scheduler};
pub use estimates::Estimates;
pub(crate) use model::Seconds;
pub use model::{AccessWork, CostModel, Decision};
pub(crate) use sampled::{Sample, sample_of};
