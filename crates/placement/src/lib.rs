//! Who lies beside whom, and whose lists stay in memory: orders and selections of the vertices.
//!
//! Placement never calls an algorithm; an order that needs scores takes them as an array.
#![forbid(unsafe_code)]

pub mod order;
pub mod selection;
