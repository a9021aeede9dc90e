//! Deterministic graph generators: the same parameters yield the same edges on every machine, for any division of the
//! work.
//!
//! Every edge is a function of its number, so several threads can generate blocks of one graph, and no thread needs to
//! hold the whole graph.

mod counter;
mod generator;
mod grid;
mod kronecker;
mod quadrant;
mod scramble;
mod uniform;
mod web;
mod weight;

pub use generator::EdgeGenerator;
pub use grid::Grid;
pub use kronecker::Kronecker;
pub use uniform::Uniform;
pub use web::Web;
pub use weight::WeightDistribution;

#[cfg(test)]
mod tests;
