//! Breadth-first searches: what they share, and the algorithms that are little more than one.

pub mod apsp;
pub mod bfs;
mod bounds;
pub mod diameter;
pub mod eccentricity;
mod levels;
mod ordering;
pub mod radii;
mod refinement;
mod together;

pub use bounds::Components;
