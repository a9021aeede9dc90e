//! Breadth-first searches: what those share that are little more than one.

pub(crate) mod bounds;
pub(crate) mod levels;
mod ordering;
pub(crate) mod push;
mod refinement;
pub(crate) mod repair;
pub(crate) mod together;

pub use bounds::Components;
