//! Breadth-first searches: code shared by algorithms that mainly search.

pub(crate) mod bounds;
pub(crate) mod distances;
pub(crate) mod levels;
pub(crate) mod multi_source;
mod ordering;
pub(crate) mod push;
mod refinement;
pub(crate) mod repair;

pub use bounds::Components;
