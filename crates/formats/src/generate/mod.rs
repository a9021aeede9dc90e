//! Deterministic graph generators: the same parameters give the same edges on every machine, however the work is cut.
//!
//! Every edge is a function of its number, so that several threads can make blocks of one graph and no one holds it.

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
