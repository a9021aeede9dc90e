//! Kronecker generator of Graph500.

use super::counter::Stream;
use super::generator::EdgeGenerator;
use super::quadrant::{LEVELS, QuadrantTable};
use super::scramble::Scramble;
use super::weight::{EdgeWeights, WeightDistribution};
use outcrop_types::{Error, Result, SplitMix64};
use std::ops::RangeInclusive;

const SCALES: RangeInclusive<u32> = 1..=31;

/// Number of levels that one random number determines: two lookups of 32 bits.
const LEVELS_A_DRAW: u32 = 2 * LEVELS;

/// Directed graph of `2^scale` vertices and `edge_factor` edges per vertex with the probabilities of Graph500 (A =
/// 0.57, B = 0.19, C = 0.19, D = 0.05) at every level (Murphy et al., *Introducing the Graph 500*, 2010).
///
/// As in Graph500, vertices are relabeled randomly, and duplicate edges and self-loops are kept. Unlike in Graph500,
/// edges are not shuffled, since each is generated independently.
#[derive(Clone, Debug)]
pub struct Kronecker {
    scale: u32,
    /// Number of random numbers per end.
    draws: u64,
    num_edges: u64,
    numbers: SplitMix64,
    table: QuadrantTable,
    scramble: Scramble,
    weights: EdgeWeights,
}

impl Kronecker {
    /// Creates a graph of `2^scale` vertices.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Usage`] unless `scale` is between 1 and 31 and `edge_factor` is at least 1, or if the weights
    /// are invalid.
    pub fn new(scale: u32, edge_factor: u32, seed: u64, weights: Option<WeightDistribution>) -> Result<Self> {
        if !SCALES.contains(&scale) {
            return Err(Error::Usage(format!(
                "--scale must be from {} to {}, not {scale}",
                SCALES.start(),
                SCALES.end()
            )));
        }
        if edge_factor == 0 {
            return Err(Error::Usage("--edge-factor must be at least 1".to_owned()));
        }
        Ok(Self {
            scale,
            draws: u64::from(scale.div_ceil(LEVELS_A_DRAW)),
            num_edges: u64::from(edge_factor) << scale,
            numbers: Stream::Endpoints.of(seed),
            table: QuadrantTable::new(),
            scramble: Scramble::new(scale, seed),
            weights: EdgeWeights::new(weights, seed)?,
        })
    }

    /// Returns the label of the vertex given by the topmost `scale` bits of `drawn`.
    #[inline]
    fn label(&self, drawn: u64) -> u64 {
        let surplus = self.draws as u32 * LEVELS_A_DRAW - self.scale;
        u64::from(self.scramble.apply((drawn >> surplus) as u32))
    }
}

impl EdgeGenerator for Kronecker {
    fn num_vertices(&self) -> u64 {
        1 << self.scale
    }

    fn num_edges(&self) -> u64 {
        self.num_edges
    }

    #[inline]
    fn edge(&self, number: u64) -> [u64; 2] {
        let first = number.wrapping_mul(self.draws);
        let (mut source, mut target) = (0u64, 0u64);
        for draw in 0..self.draws {
            let random = self.numbers.at(first.wrapping_add(draw));
            let high = u64::from(self.table.look((random >> 32) as u32));
            let low = u64::from(self.table.look(random as u32));
            source = source << LEVELS_A_DRAW | (high & 0xf0) | low >> LEVELS;
            target = target << LEVELS_A_DRAW | (high & 0x0f) << LEVELS | (low & 0x0f);
        }
        [source, target].map(|end| self.label(end))
    }

    fn weights(&self) -> &EdgeWeights {
        &self.weights
    }
}
