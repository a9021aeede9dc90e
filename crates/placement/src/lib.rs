//! Placement of vertices and pinned lists: vertex orders, list selections, and the locality of orders.
//!
//! Placement never calls an algorithm; an order that needs scores takes them as an array.
#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

pub mod locality;
pub mod order;
#[cfg(test)]
mod sample_graphs;
pub mod selection;
