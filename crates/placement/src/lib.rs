//! Who lies beside whom: orders of the vertices.
//!
//! Placement never calls an algorithm; an order that needs scores takes them as an array.
#![forbid(unsafe_code)]

pub mod order;
#[cfg(test)]
mod sample_graphs;
