//! Placement of vertices, and of lists that stay in memory: orders and selections of the vertices, and how near orders
//! bring neighbors.
//!
//! Placement never calls an algorithm; an order that needs scores takes them as an array.
#![forbid(unsafe_code)]

pub mod locality;
pub mod order;
#[cfg(test)]
mod sample_graphs;
pub mod selection;
