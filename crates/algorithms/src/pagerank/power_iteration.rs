//! State shared by the PageRank programs by messages and on edge values.

use super::params::{PageRankParams, Stop, Teleport};
use crate::AtomicFloat;
use crate::outcome::Convergence;
use crate::weights::Refused;
use outcrop_engine::VertexArray;
use outcrop_messages::{MessageEngine, MessageProgram, Superstep};
use outcrop_types::{Result, RunEnd, VertexSet};
use std::sync::atomic::AtomicU64;

/// Index of the total of absolute changes.
pub(super) const CHANGE: usize = 0;

/// Index of the total that vertices without out-edges propagate, in runs by messages.
pub(super) const DANGLING: usize = 1;

/// Indexes of the same total, split into two numbers, in runs on edge values.
pub(super) const DANGLING_PAIR: [usize; 2] = [1, 2];

/// Parameters of a run, and its state of convergence.
#[derive(Debug)]
pub(super) struct PowerIteration<'p> {
    /// Probability of following an edge.
    pub(super) alpha: f64,
    pub(super) teleport: Teleport<'p>,
    /// Initial score of every vertex.
    pub(super) uniform: f64,
    /// Maximum number of iterations.
    pub(super) most: u32,
    /// Receiver of edges with an invalid weight, which end the run; `None` without weights.
    pub(super) refused: Option<&'p Refused>,
    stop: Stop,
    /// Change in the last iteration.
    change: AtomicU64,
}

impl<'p> PowerIteration<'p> {
    /// Creates the state for `vertices` vertices.
    pub(super) fn new(vertices: u32, parameters: &PageRankParams<'p>, refused: Option<&'p Refused>) -> Self {
        let (stop, (most, _)) = (parameters.stop, parameters.stop.limits());
        Self {
            alpha: parameters.alpha,
            teleport: Teleport::new(vertices, parameters.personalization),
            uniform: 1.0 / f64::from(vertices.max(1)),
            most,
            refused,
            stop,
            change: AtomicFloat::new(if vertices == 0 && most > 0 { 0.0 } else { f64::INFINITY }),
        }
    }

    /// Records the change of scores in the last iteration; returns true if it is not yet less than the tolerance.
    pub(super) fn should_continue(&self, change: f64) -> bool {
        AtomicFloat::store(&self.change, change);
        self.stop.is_above(change)
    }

    /// Returns the end of a run for observers; one iteration initializes the vertices.
    pub(super) const fn end(&self) -> RunEnd {
        self.stop.end(1)
    }

    /// Returns the convergence of the run.
    pub(super) fn convergence(&self) -> Option<Convergence> {
        self.stop.convergence(AtomicFloat::load(&self.change))
    }

    /// Runs `program` on `values`; returns the number of iterations, which is one less than the number of supersteps.
    pub(super) fn run<P: MessageProgram>(
        &self,
        engine: &MessageEngine<'_>,
        program: &P,
        values: &mut VertexArray<P::Value>,
    ) -> Result<u32> {
        if self.most == 0 {
            return Ok(0);
        }
        engine.set_end(self.end());
        let ran = engine.run(program, values, &VertexSet::all(engine.vertices()), u32::MAX)?;
        Ok(ran.supersteps.saturating_sub(1))
    }

    /// Returns true if another superstep follows.
    pub(super) fn follows(&self, ended: &Superstep) -> bool {
        let should_continue = |change| self.should_continue(change) && ended.number < self.most;
        self.refused.is_none_or(Refused::is_empty) && change_of(ended).is_none_or(should_continue)
    }
}

/// Returns the change in the last superstep; `None` for the first, in which whole scores are propagated.
pub(super) fn change_of(ended: &Superstep) -> Option<f64> {
    (ended.number > 0).then_some(ended.totals[CHANGE])
}
