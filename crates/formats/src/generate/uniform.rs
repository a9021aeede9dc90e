//! Graph of edges between uniformly random vertices.

use super::counter::{Stream, below};
use super::generator::EdgeGenerator;
use super::weight::{EdgeWeights, WeightDistribution};
use outcrop_types::{Error, Result, SplitMix64};

/// Directed graph in which both ends of each edge are chosen uniformly at random; duplicate edges and self-loops are
/// kept.
#[derive(Clone, Debug)]
pub struct Uniform {
    vertices: u64,
    edges: u64,
    numbers: SplitMix64,
    weights: EdgeWeights,
}

impl Uniform {
    /// Creates a graph of `edges` edges among `vertices` vertices.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Usage`] if there are edges but no vertices, or if the weights are invalid.
    pub fn new(vertices: u64, edges: u64, seed: u64, weights: Option<WeightDistribution>) -> Result<Self> {
        if vertices == 0 && edges > 0 {
            return Err(Error::Usage(format!("{edges} edges need at least one vertex")));
        }
        let numbers = Stream::Endpoints.of(seed);
        Ok(Self { vertices, edges, numbers, weights: EdgeWeights::new(weights, seed)? })
    }
}

impl EdgeGenerator for Uniform {
    fn num_vertices(&self) -> u64 {
        self.vertices
    }

    fn num_edges(&self) -> u64 {
        self.edges
    }

    #[inline]
    fn edge(&self, number: u64) -> [u64; 2] {
        let first = number.wrapping_mul(2);
        [first, first | 1].map(|position| below(self.numbers.at(position), self.vertices))
    }

    fn weights(&self) -> &EdgeWeights {
        &self.weights
    }
}
