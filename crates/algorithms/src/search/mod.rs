//! Breadth-first searches: code shared by algorithms that mainly search.

pub(crate) mod bounds;
pub(crate) mod levels;
mod ordering;
pub(crate) mod push;
mod refinement;
pub(crate) mod repair;
pub(crate) mod together;

pub use bounds::Components;
