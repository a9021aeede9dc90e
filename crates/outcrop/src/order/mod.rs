//! Vertex orders of a store: those available, and the computation of new positions.

mod build_order;
mod memory;
mod numbers;
mod steps;

pub(crate) use build_order::seeded;
pub use build_order::{BuildOrder, GivenOrder};
pub(crate) use memory::MostStore;
pub(crate) use steps::{Made, StepStore, Steps};
