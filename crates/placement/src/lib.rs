//! Who lies beside whom: orders of the vertices, and how near they bring neighbours.
//!
//! Placement never calls an algorithm; an order that needs scores takes them as an array.
#![forbid(unsafe_code)]

pub mod locality;
pub mod order;
#[cfg(test)]
mod sample_graphs;
