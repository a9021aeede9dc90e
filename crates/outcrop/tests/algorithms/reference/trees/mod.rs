//! Spanning trees, and orders and connections that follow from them.

pub mod bipartite;
pub mod bridges;
pub mod spanning_forest;
pub mod topological_sort;
