//! Parameters of a run.

use crate::outcome::{Column, Convergence, Outcome, Values};
use outcrop_types::{RunEnd, VertexId};

/// Condition that ends the iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stop {
    /// After exactly this number of iterations.
    After(u32),
    /// Once the sum of absolute changes is less than the tolerance, or after a number of iterations.
    Below {
        /// Tolerance.
        tolerance: f64,
        /// Maximum number of iterations.
        at_most: u32,
    },
}

impl Stop {
    /// Returns the maximum number of iterations, and the tolerance.
    pub(super) const fn limits(self) -> (u32, Option<f64>) {
        match self {
            Self::After(iterations) => (iterations, None),
            Self::Below { tolerance, at_most } => (at_most, Some(tolerance)),
        }
    }

    /// Returns the end of a run for observers, with `more` additional iterations at the start or end that are not
    /// counted.
    pub(super) const fn end(self, more: u32) -> RunEnd {
        let (most, tolerance) = self.limits();
        RunEnd::Iterations { most: most.saturating_add(more), tolerance }
    }

    /// Returns true unless this `change` is less than the tolerance.
    pub(super) fn is_above(self, change: f64) -> bool {
        self.limits().1.is_none_or(|tolerance| change >= tolerance)
    }

    /// Returns true if another iteration follows `iterations` iterations, the last of which made this `change`.
    pub(super) fn should_continue(self, iterations: u32, change: f64) -> bool {
        iterations < self.limits().0 && self.is_above(change)
    }

    /// Returns the convergence of a run whose last iteration made this `change`.
    pub(super) fn convergence(self, change: f64) -> Option<Convergence> {
        self.limits().1.map(|tolerance| Convergence { change, tolerance })
    }
}

/// Parameters of a run.
#[derive(Clone, Copy, Debug)]
pub struct PageRankParams<'p> {
    /// Probability of following an edge.
    pub alpha: f64,
    /// Condition that ends the iteration.
    pub stop: Stop,
    /// Jump targets and their weights, which need not sum to 1; `None` for a uniform distribution.
    pub personalization: Option<&'p [(VertexId, f64)]>,
}

/// Returns the result of a run.
pub(super) fn outcome(scores: Values, iterations: u32, convergence: Option<Convergence>) -> Outcome {
    Outcome { convergence, ..Outcome::new(vec![Column::new("pagerank", scores)], iterations) }
}

/// Targets of jumps.
#[derive(Debug)]
pub(super) enum Teleport<'p> {
    /// Jumps to every vertex with this probability.
    Uniform(f64),
    /// Jumps to these vertices, ascending, by weight; the number is the sum of the weights.
    To(&'p [(VertexId, f64)], f64),
}

impl<'p> Teleport<'p> {
    /// Creates the targets from `personalization`, or uniform ones without it.
    pub(super) fn new(vertices: u32, personalization: Option<&'p [(VertexId, f64)]>) -> Self {
        match personalization {
            None => Self::Uniform(1.0 / f64::from(vertices.max(1))),
            Some(weights) => Self::To(weights, weights.iter().map(|(_, weight)| weight).sum()),
        }
    }

    #[inline]
    pub(super) fn probability(&self, vertex: VertexId) -> f64 {
        match self {
            Self::Uniform(probability) => *probability,
            Self::To(weights, total) => {
                let named = &weights[weights.partition_point(|(known, _)| *known < vertex)..];
                named.iter().take_while(|(known, _)| *known == vertex).map(|(_, weight)| weight / total).sum()
            }
        }
    }
}
