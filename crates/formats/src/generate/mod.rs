//! Deterministic graph generators: the same parameters give the same edges on every machine, however the work is cut.
//!
//! Every edge is a function of its number, so that several threads can make blocks of one graph and no one holds it.

mod counter;
mod grid;
mod kronecker;
mod quadrant;
mod scramble;
mod uniform;
mod weight;

pub use grid::Grid;
pub use kronecker::Kronecker;
pub use uniform::Uniform;
pub use weight::WeightDistribution;

/// A graph whose edges are made on demand.
pub trait EdgeGenerator: Sync {
    /// The vertices are `0..num_vertices`; some may have no edge.
    fn num_vertices(&self) -> u64;

    /// Number of edges, repeats and self-loops counted.
    fn num_edges(&self) -> u64;

    /// True if [`EdgeGenerator::fill`] gives weights.
    fn weighted(&self) -> bool;

    /// Appends the edges number `first_edge..first_edge + count`, as far as the graph has them, to `edges`, and their weights,
    /// where the graph is weighted, to `weights`.
    fn fill(&self, first_edge: u64, count: usize, edges: &mut Vec<[u64; 2]>, weights: &mut Vec<f64>);
}

/// The numbers of the edges that a call of [`EdgeGenerator::fill`] makes.
fn edge_numbers(first_edge: u64, count: usize, num_edges: u64) -> std::ops::Range<u64> {
    let end = first_edge.saturating_add(outcrop_types::length_from(count)).min(num_edges);
    first_edge.min(end)..end
}

fn usage(message: impl Into<String>) -> outcrop_types::Error {
    outcrop_types::Error::Usage(message.into())
}

#[cfg(test)]
mod tests;
