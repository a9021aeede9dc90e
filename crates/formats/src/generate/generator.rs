//! A graph as a function from numbers to edges.

use super::weight::EdgeWeights;
use outcrop_types::length_from;

/// A graph whose edges are made on demand.
pub trait EdgeGenerator: Sync {
    /// The vertices are `0..num_vertices`; some may have no edge.
    fn num_vertices(&self) -> u64;

    /// Number of edges, repeats and self-loops counted.
    fn num_edges(&self) -> u64;

    /// The edge with this number.
    fn edge(&self, number: u64) -> [u64; 2];

    /// The weights of the edges.
    fn weights(&self) -> &EdgeWeights;

    /// True if [`EdgeGenerator::fill`] gives weights.
    fn weighted(&self) -> bool {
        self.weights().any()
    }

    /// Appends the edges number `first_edge..first_edge + count`, as far as the graph has them, to `edges`, and their
    /// weights, where the graph is weighted, to `weights`.
    fn fill(&self, first_edge: u64, count: usize, edges: &mut Vec<[u64; 2]>, weights: &mut Vec<f64>) {
        let end = first_edge.saturating_add(length_from(count)).min(self.num_edges());
        let numbers = first_edge.min(end)..end;
        edges.extend(numbers.clone().map(|number| self.edge(number)));
        self.weights().fill(numbers, weights);
    }
}
