//! Belief propagation in a pairwise binary Markov random field.
//!
//! Definition: every vertex is in state 0 or 1, with a given prior probability of state 1; the graph is taken as
//! undirected and simple, without weights. The probability of a joint state is proportional to the product of the
//! priors and, for every edge, of `coupling` if its ends are in the same state and 1 - `coupling` otherwise. The belief
//! of a vertex is the probability of state 1 computed by sum-product: exact in a forest, an approximation if there are
//! cycles. In log-odds, where products are sums, the message along u - v is 2 atanh((2 coupling - 1) tanh(h / 2)),
//! where h is the log-odds of u from everything except v; the belief is the sum of the prior and all messages. A prior
//! of exactly 0 or 1 is certain and stays unchanged.
//!
//! Paper: Pearl, Reverend Bayes on Inference Engines, AAAI 1982; on edge values: Vora, Xu, Gupta, USENIX ATC 2016,
//! table 1.
//!
//! Returns: `belief` f64, the probability of state 1, never null.
//!
//! Memory: 16 bytes per vertex in memory or on disk, the priors (8 bytes) in memory during the run, and then the result
//! (8 bytes). Edges: in each direction the message and the previous one (16 bytes; 8 with single precision),
//! permanently.
//!
//! Passes over the edges: those of the propagating vertices, including the reverse edges.
//!
//! Deviations: a vertex tracks the maximum deviation of its messages from its belief, and propagates when that exceeds
//! `tolerance`, in log-odds. The run ends when no vertex does, with or without delays: then every message is within the
//! tolerance of the value implied by the others. Let s = |2 coupling - 1| and d the largest degree: if s (d - 1) is
//! less than 1, there is one fixed point, and the log-odds of a belief are off by at most d tolerance / (1 - s (d -
//! 1)). With damping, messages are a weighted mean of the previous and the new one; their vertices then remain active
//! on their own. The product of table 1 is one of odds, and thus a sum here, computed by gather; the aggregate of a
//! delayed vertex is the product of the powers of the damping. Since they are odds, messages are normalized. With
//! single precision, changes bottom out at about 1e-7 of the messages; a smaller tolerance may never be reached.

use crate::AtomicFloat;
use crate::models::Place;
use crate::models::gas::{BadValue, GasWork, refuse_any, requirements};
use crate::models::interval::Real;
use crate::outcome::{Column, Convergence, Outcome};
use outcrop_engine::Directions;
use outcrop_gas::{Aggregation, GasEngine, GasProgram, GasStep, GasVertex, OutEdge, Reverse, Totals};
use outcrop_types::{Error, Result, RunEnd, VertexValues};
use std::marker::PhantomData;
use std::sync::atomic::AtomicU64;

/// Parameters of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BpParams {
    /// Potential of an edge whose ends are in the same state, greater than 0 and less than 1.
    pub coupling: f64,
    /// Weight of the previous message, from 0 (inclusive) to 1 (exclusive).
    pub damping: f64,
    /// Maximum deviation of a message, in log-odds.
    pub tolerance: f64,
    /// Maximum number of iterations.
    pub at_most: u32,
}

/// Returns the needs of the program with messages of `F`.
pub const fn work<F: Real>(place: Place) -> GasWork {
    GasWork::new(requirements::<Beliefs<'_, F>>(place, Directions::Both), 8)
}

/// Propagates messages until all have settled. `priors` are probabilities of state 1.
///
/// # Errors
///
/// Returns the error that `refuse` creates from a prior that is not a probability, or an error if a read fails or the
/// data is damaged, if the budget is too small, if the disk is full, or if the run is interrupted.
pub fn bp<F: Real>(
    engine: &GasEngine<'_>,
    priors: VertexValues<f64>,
    parameters: BpParams,
    refuse: impl Fn(BadValue) -> Error,
) -> Result<Outcome> {
    refuse_any(&priors, |prior| (0.0..=1.0).contains(&prior), refuse)?;
    let beliefs = Beliefs::<F>::new(&priors, parameters);
    let (most, tolerance) = (parameters.at_most.saturating_add(1), Some(parameters.tolerance));
    engine.set_end(RunEnd::Iterations { most, tolerance });
    let ran = engine.run(&beliefs, parameters.at_most)?;
    let convergence = beliefs.convergence(ran.iterations);
    drop(priors);
    let column = engine.project(&ran.values, belief)?;
    Ok(Outcome {
        convergence: Some(convergence),
        ..Outcome::new(vec![Column::new("belief", column.into())], ran.iterations)
    })
}

/// Log-odds of a vertex, and the maximum deviation of its messages from them.
pub type Odds = [f64; 2];

/// Returns the probability of state 1.
pub fn belief([odds, _]: Odds) -> f64 {
    1.0 / (1.0 + (-odds).exp())
}

/// Total deviation of the propagated messages.
const CHANGE: usize = 0;

/// Program of belief propagation.
#[derive(Debug)]
pub struct Beliefs<'p, F> {
    priors: &'p [f64],
    parameters: BpParams,
    /// The larger potential, and below, true if it is that of different states.
    strength: f64,
    repels: bool,
    /// Change in the last iteration.
    change: AtomicU64,
    messages: PhantomData<fn() -> F>,
}

impl<'p, F: Real> Beliefs<'p, F> {
    /// Creates the program from `priors`, one per vertex.
    pub fn new(priors: &'p [f64], parameters: BpParams) -> Self {
        let coupling = parameters.coupling;
        Self {
            priors,
            parameters,
            strength: coupling.max(1.0 - coupling),
            repels: coupling < 0.5,
            change: AtomicFloat::new(if priors.is_empty() { 0.0 } else { f64::INFINITY }),
            messages: PhantomData,
        }
    }

    /// Returns the convergence of a run after the given number of iterations: if it ended before the limit, there is
    /// nothing left to propagate.
    pub fn convergence(&self, iterations: u32) -> Convergence {
        let BpParams { tolerance, at_most, .. } = self.parameters;
        let change = if iterations < at_most { 0.0 } else { AtomicFloat::load(&self.change) };
        Convergence { change, tolerance }
    }

    /// Returns the maximum change of a message per unit of change of its input.
    fn slope(&self) -> f64 {
        2.0 * self.strength - 1.0
    }

    /// Returns the message for log-odds: the logarithm of (c x + (1 - c)) / ((1 - c) x + c), where x are the odds,
    /// computed without cancellation.
    fn message(&self, odds: f64) -> f64 {
        let (c, inverse) = (self.strength, (-odds.abs()).exp());
        let size = (self.slope() * -(-odds.abs()).exp_m1() / ((1.0 - c) + c * inverse)).ln_1p();
        if self.repels == (odds > 0.0) { -size } else { size }
    }

    /// Propagates if the deviation exceeds the tolerance.
    fn hand_on(&self, vertex: GasVertex, [_, off]: &mut Odds, totals: &mut Totals) -> Option<f64> {
        if *off <= self.parameters.tolerance {
            return None;
        }
        totals[CHANGE] += *off;
        if vertex.iteration >= self.parameters.at_most {
            return None;
        }
        *off *= self.parameters.damping;
        Some(self.parameters.damping)
    }
}

impl<F: Real> GasProgram for Beliefs<'_, F> {
    type Value = Odds;
    /// Previous and current message, in log-odds.
    type Edge = [F; 2];
    /// Log-odds, and the absolute changes of all messages.
    type Sum = [f64; 2];
    /// Weight of the previous message.
    type Change = f64;

    const AGGREGATION: Aggregation = Aggregation::Product;
    const KEEPS_EDGES: bool = true;
    const CONTINUES: bool = true;

    /// Starts with messages of 0; no message exceeds that of a certain vertex.
    fn begin(&self, vertex: GasVertex, totals: &mut Totals) -> (Odds, Option<f64>) {
        let prior = self.priors[vertex.id as usize];
        let odds = (prior / (1.0 - prior)).ln();
        let mut value = [odds, self.message(odds).abs()];
        let change = self.hand_on(vertex, &mut value, totals);
        (value, change)
    }

    fn extract(&self, _: GasVertex, [odds, _]: &Odds) -> Option<[f64; 2]> {
        Some([*odds, 0.0])
    }

    #[inline]
    fn gather(&self, sum: Option<[f64; 2]>, [before, now]: [F; 2]) -> [f64; 2] {
        // Default: the first change starts the sum.
        let [odds, changed] = sum.unwrap_or_default();
        let change = now.get() - before.get();
        [odds + change, changed + change.abs()]
    }

    #[inline]
    fn apply(&self, _: GasVertex, old: &Odds, sum: Option<[f64; 2]>) -> Odds {
        let [odds, changed] = sum.unwrap_or([old[0], 0.0]);
        // A certain vertex never changes its messages.
        let moved = if odds.is_finite() { self.slope() * changed } else { 0.0 };
        [odds, old[1] + moved]
    }

    #[inline]
    fn change(&self, vertex: GasVertex, _: &Odds, new: &mut Odds, totals: &mut Totals) -> Option<f64> {
        self.hand_on(vertex, new, totals)
    }

    /// First subtracts the target's message from the log-odds, if it is included.
    #[inline]
    fn scatter(&self, _: GasVertex, [odds, _]: &Odds, stays: f64, edge: OutEdge<[F; 2]>) -> [F; 2] {
        let heard = match edge.reverse {
            Some(Reverse { value: [before, _], waiting: true }) => before.get(),
            Some(Reverse { value: [_, now], waiting: false }) => now.get(),
            None => 0.0,
        };
        let (message, before) = (self.message(odds - heard), edge.previous[1]);
        [before, F::of(message + stays * (before.get() - message))]
    }

    fn continues(&self, ended: &GasStep) -> bool {
        AtomicFloat::store(&self.change, ended.totals[CHANGE]);
        true
    }

    fn change_of(&self, ended: &GasStep) -> Option<f64> {
        Some(ended.totals[CHANGE])
    }
}
