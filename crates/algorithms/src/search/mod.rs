//! Breadth-first searches: what they share, and the algorithms that are little more than one.

pub mod apsp;
pub mod bfs;
pub mod diameter;
mod levels;
pub mod radii;
mod together;
