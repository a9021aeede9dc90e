//! State that programs of PageRank share, by messages and on values of edges.

use crate::AtomicFloat;
use crate::outcome::Convergence;
use crate::pagerank::Parameters;
use crate::pagerank::interval::Jump;
use std::sync::atomic::AtomicU64;

/// The parameters of a run, and how near its end it is.
#[derive(Debug)]
pub(crate) struct Ranking<'p> {
    /// The probability of following an edge.
    pub(crate) alpha: f64,
    pub(crate) jump: Jump<'p>,
    /// The rank that every vertex begins with.
    pub(crate) uniform: f64,
    /// The most iterations.
    pub(crate) most: u32,
    tolerance: Option<f64>,
    /// That of the last iteration.
    change: AtomicU64,
}

impl<'p> Ranking<'p> {
    /// Over `vertices` vertices.
    pub(crate) fn new(vertices: u32, parameters: &Parameters<'p>) -> Self {
        let (most, tolerance) = parameters.stop.limits();
        Self {
            alpha: parameters.alpha,
            jump: Jump::new(vertices, parameters.personalization),
            uniform: 1.0 / f64::from(vertices.max(1)),
            most,
            tolerance,
            change: AtomicFloat::new(if vertices == 0 && most > 0 { 0.0 } else { f64::INFINITY }),
        }
    }

    /// Takes down what ranks changed by in the iteration that ended; whether that is not yet below the tolerance.
    pub(crate) fn goes_on(&self, change: f64) -> bool {
        AtomicFloat::store(&self.change, change);
        self.tolerance.is_none_or(|tolerance| change >= tolerance)
    }

    /// Convergence of the run.
    pub(crate) fn convergence(&self) -> Option<Convergence> {
        self.tolerance.map(|tolerance| Convergence { change: AtomicFloat::load(&self.change), tolerance })
    }
}
