//! Graph with the locality of a web crawl.

use super::counter::{Stream, below};
use super::generator::EdgeGenerator;
use super::weight::{EdgeWeights, WeightDistribution};
use outcrop_types::{Error, Result, SplitMix64};

/// Number of links, out of 16, that lead to nearby pages.
const NEAR: u64 = 15;
/// Exclusive bound of the number of random bits in the distance to a nearby page; the number of bits is uniform.
const MOST_BITS: u64 = 9;
/// Odd multiplier that scatters pages of all ranks over the IDs.
const SCATTER: u64 = 0x9E37_79B9_7F4A_7C15;

/// Directed graph with pages numbered host by host: most links are local, as within a host, the others lead to popular
/// pages. All pages have the same number of links; duplicate edges are kept.
#[derive(Clone, Debug)]
pub struct Web {
    vertices: u64,
    edges: u64,
    numbers: SplitMix64,
    weights: EdgeWeights,
}

impl Web {
    /// Creates a graph of `edges` links among `vertices` pages.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Usage`] if there are links but no pages, or if the weights are invalid.
    pub fn new(vertices: u64, edges: u64, seed: u64, weights: Option<WeightDistribution>) -> Result<Self> {
        if vertices == 0 && edges > 0 {
            return Err(Error::Usage(format!("{edges} links need at least one page")));
        }
        let numbers = Stream::Endpoints.of(seed);
        Ok(Self { vertices, edges, numbers, weights: EdgeWeights::new(weights, seed)? })
    }
}

impl EdgeGenerator for Web {
    fn num_vertices(&self) -> u64 {
        self.vertices
    }

    fn num_edges(&self) -> u64 {
        self.edges
    }

    fn edge(&self, number: u64) -> [u64; 2] {
        let draw = |place: u64| self.numbers.at(number.wrapping_mul(4).wrapping_add(place));
        let pages = u128::from(self.vertices);
        let source = (u128::from(number) * pages / u128::from(self.edges)) as u64;
        if below(draw(0), 16) < NEAR {
            let distance = 1 + (draw(1) & ((1 << below(draw(2), MOST_BITS)) - 1));
            let distance = distance % self.vertices;
            let to = if draw(3) & 1 == 0 { distance } else { self.vertices - distance };
            return [source, ((u128::from(source) + u128::from(to)) % pages) as u64];
        }
        // The fourth power of a number between 0 and 1: half of these links lead to a sixteenth of the pages.
        let part = below(draw(1), 1 << 32) as f64 / (1_u64 << 32) as f64;
        let rank = (part.powi(4) * self.vertices as f64) as u64;
        [source, (u128::from(rank) * u128::from(SCATTER) % pages) as u64]
    }

    fn weights(&self) -> &EdgeWeights {
        &self.weights
    }
}
