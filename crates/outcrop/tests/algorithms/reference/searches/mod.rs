//! Searches and distances.

pub mod apsp;
pub mod bc;
pub mod bfs;
pub mod closeness;
pub mod diameter;
pub mod path;
pub mod radii;
pub mod sssp;
