//! The order of a store's vertices: which there are, and where each vertex of a store goes.

mod build_order;
mod memory;
mod numbers;
mod steps;

pub(crate) use build_order::seeded;
pub use build_order::{BuildOrder, GivenOrder};
pub(crate) use memory::MostStore;
pub(crate) use steps::{Made, StepStore, Steps};
