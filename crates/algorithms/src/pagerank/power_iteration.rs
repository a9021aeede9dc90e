//! State that programs of PageRank share, by messages and on values of edges.

use super::params::{Parameters, Teleport};
use crate::AtomicFloat;
use crate::outcome::Convergence;
use std::sync::atomic::AtomicU64;

/// The parameters of a run, and how near its end it is.
#[derive(Debug)]
pub(super) struct PowerIteration<'p> {
    /// The probability of following an edge.
    pub(super) alpha: f64,
    pub(super) teleport: Teleport<'p>,
    /// The rank that every vertex begins with.
    pub(super) uniform: f64,
    /// The most iterations.
    pub(super) most: u32,
    tolerance: Option<f64>,
    /// That of the last iteration.
    change: AtomicU64,
}

impl<'p> PowerIteration<'p> {
    /// Over `vertices` vertices.
    pub(super) fn new(vertices: u32, parameters: &Parameters<'p>) -> Self {
        let (most, tolerance) = parameters.stop.limits();
        Self {
            alpha: parameters.alpha,
            teleport: Teleport::new(vertices, parameters.personalization),
            uniform: 1.0 / f64::from(vertices.max(1)),
            most,
            tolerance,
            change: AtomicFloat::new(if vertices == 0 && most > 0 { 0.0 } else { f64::INFINITY }),
        }
    }

    /// Takes down what ranks changed by in the iteration that ended; whether that is not yet below the tolerance.
    pub(super) fn goes_on(&self, change: f64) -> bool {
        AtomicFloat::store(&self.change, change);
        self.tolerance.is_none_or(|tolerance| change >= tolerance)
    }

    /// Convergence of the run.
    pub(super) fn convergence(&self) -> Option<Convergence> {
        self.tolerance.map(|tolerance| Convergence { change: AtomicFloat::load(&self.change), tolerance })
    }
}
