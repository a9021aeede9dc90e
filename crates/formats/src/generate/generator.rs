//! Graph as a function from numbers to edges.

use super::weight::EdgeWeights;
use outcrop_types::length_from;

/// Graph whose edges are computed on demand.
pub trait EdgeGenerator: Sync {
    /// Returns the number of vertices, `0..num_vertices`; some may have no edge.
    fn num_vertices(&self) -> u64;

    /// Returns the number of edges, including duplicates and self-loops.
    fn num_edges(&self) -> u64;

    /// Returns the edge with this number.
    fn edge(&self, number: u64) -> [u64; 2];

    /// Returns the weights of the edges.
    fn weights(&self) -> &EdgeWeights;

    /// Returns true if [`EdgeGenerator::fill`] appends weights.
    fn weighted(&self) -> bool {
        self.weights().any()
    }

    /// Appends the edges `first_edge..first_edge + count`, up to the last edge of the graph, to `edges`, and, if the
    /// graph is weighted, their weights to `weights`.
    fn fill(&self, first_edge: u64, count: usize, edges: &mut Vec<[u64; 2]>, weights: &mut Vec<f64>) {
        let end = first_edge.saturating_add(length_from(count)).min(self.num_edges());
        let numbers = first_edge.min(end)..end;
        edges.extend(numbers.clone().map(|number| self.edge(number)));
        self.weights().fill(numbers, weights);
    }
}
