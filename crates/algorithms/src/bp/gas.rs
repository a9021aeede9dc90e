//! Belief propagation in a pairwise binary Markov random field.
//!
//! Definition: every vertex is in state 0 or 1, with the prior probability of state 1 that is given; the graph is taken
//! as undirected and simple, without weights. The probability of a state of all vertices is proportional to the product
//! of the priors and, for every edge, of `coupling` where its ends are in the same state and 1 - `coupling` where they
//! are not. The belief of a vertex is the probability of state 1 that sum-product finds: the true one in a forest, an
//! approximation where there are cycles. In log-odds, where products are sums, the message along u - v is 2 atanh((2
//! coupling - 1) tanh(h / 2)), h being the log-odds that u has from all but v; the belief is the prior and all messages
//! added up. A prior of exactly 0 or 1 is certain and stays so. Paper: Pearl, Reverend Bayes on Inference Engines, AAAI
//! 1982; on edges with values: Vora, Xu, Gupta, USENIX ATC 2016, table 1. Returns: `belief` f64, the probability of
//! state 1, never null. Memory: 16 bytes a vertex in memory or on disk, the priors (8 bytes) in memory while it runs,
//! and then the result (8 bytes). Edges: in each direction the message and the one before (16 bytes; 8 with single
//! precision), kept throughout. Passes over the edges: those of the vertices that hand something on, with the edges
//! back. Deviations: a vertex knows of its messages by how much they can be off at the most from what it believes, and
//! hands on when that is more than `tolerance`, in log-odds. The run ends when no vertex does, with or without delays:
//! then every message is within the tolerance of what the rule makes of the others. With s = |2 coupling - 1| and d the
//! largest degree, where s (d - 1) is below 1, there is one fixed point, and the log-odds of a belief are off by at
//! most d tolerance / (1 - s (d - 1)). With damping, messages are that part of the one before and the rest of the new
//! one; their vertices then go on by themselves. The product of table 1 is one of odds, and so a sum here, which gather
//! takes; what is aggregated of a delayed vertex are the powers of the damping, by their product. Being odds, messages
//! are normalised. With single precision they bottom out at about 1e-7 of their size; a tolerance below that may never
//! be reached.

use crate::AtomicFloat;
use crate::models::Place;
use crate::models::gas::{BadValue, Work, refuse_any, requirements};
use crate::models::interval::Real;
use crate::outcome::{Column, Convergence, Outcome};
use outcrop_engine::Directions;
use outcrop_gas::{Aggregation, GasEngine, GasProgram, GasStep, GasVertex, OutEdge, Reverse, Totals};
use outcrop_types::{Error, Result, RunEnd, VertexValues};
use std::marker::PhantomData;
use std::sync::atomic::AtomicU64;

/// The parameters of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BpParams {
    /// The potential of an edge whose ends are in the same state, above 0 and below 1.
    pub coupling: f64,
    /// The part of a message that is taken from the one before, from 0 to below 1.
    pub damping: f64,
    /// Most that a message may be off, in log-odds.
    pub tolerance: f64,
    /// The most iterations.
    pub at_most: u32,
}

/// Needs of the program with messages of `F`.
pub const fn work<F: Real>(place: Place) -> Work {
    Work::new(requirements::<Beliefs<'_, F>>(place, Directions::Both), 8)
}

/// Hands on messages until all have settled. `priors` are probabilities of state 1.
///
/// # Errors
/// What `refuse` makes of a prior that is no probability; a failed or damaged read, a budget that is too small, a full
/// disk, interruption.
pub fn bp<F: Real>(
    engine: &GasEngine<'_>,
    priors: VertexValues<f64>,
    parameters: BpParams,
    refuse: impl Fn(BadValue) -> Error,
) -> Result<Outcome> {
    refuse_any(&priors, |prior| (0.0..=1.0).contains(&prior), refuse)?;
    let beliefs = Beliefs::<F>::new(&priors, parameters);
    let (most, tolerance) = (parameters.at_most.saturating_add(1), Some(parameters.tolerance));
    engine.ends(RunEnd::Iterations { most, tolerance });
    let ran = engine.run(&beliefs, parameters.at_most)?;
    let convergence = beliefs.convergence(ran.iterations);
    drop(priors);
    let column = engine.project(&ran.values, belief)?;
    Ok(Outcome {
        convergence: Some(convergence),
        ..Outcome::new(vec![Column::new("belief", column.into())], ran.iterations)
    })
}

/// The log-odds of a vertex, and how far its messages may be off what they say.
pub type Odds = [f64; 2];

/// The probability of state 1.
pub fn belief([odds, _]: Odds) -> f64 {
    1.0 / (1.0 + (-odds).exp())
}

/// The total of how far messages were off that are handed on.
const CHANGE: usize = 0;

/// Messages under way.
#[derive(Debug)]
pub struct Beliefs<'p, F> {
    priors: &'p [f64],
    parameters: BpParams,
    /// The potential that is larger, and whether it is that of different states.
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

    /// Convergence of a run of so many iterations: where it ended by itself, nothing is left to be handed on.
    pub fn convergence(&self, iterations: u32) -> Convergence {
        let BpParams { tolerance, at_most, .. } = self.parameters;
        let change = if iterations < at_most { 0.0 } else { AtomicFloat::load(&self.change) };
        Convergence { change, tolerance }
    }

    /// The most that messages change for each unit of what they are made of.
    fn slope(&self) -> f64 {
        2.0 * self.strength - 1.0
    }

    /// The message that log-odds make: the logarithm of (c x + (1 - c)) / ((1 - c) x + c), where x are the odds, so
    /// that nothing cancels.
    fn message(&self, odds: f64) -> f64 {
        let (c, inverse) = (self.strength, (-odds.abs()).exp());
        let size = (self.slope() * -(-odds.abs()).exp_m1() / ((1.0 - c) + c * inverse)).ln_1p();
        if self.repels == (odds > 0.0) { -size } else { size }
    }

    /// Hands on what is off by more than the tolerance.
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
    /// The message before and the message, in log-odds.
    type Edge = [F; 2];
    /// Log-odds, and the absolute changes of all messages.
    type Sum = [f64; 2];
    /// The part of a message that stays as it was.
    type Change = f64;

    const AGGREGATION: Aggregation = Aggregation::Product;
    const KEEPS_EDGES: bool = true;
    const CONTINUES: bool = true;

    /// Messages are 0 at first, and none goes beyond that of a certain vertex.
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
        // Default: the first change begins the sum.
        let [odds, changed] = sum.unwrap_or_default();
        let change = now.get() - before.get();
        [odds + change, changed + change.abs()]
    }

    #[inline]
    fn apply(&self, _: GasVertex, old: &Odds, sum: Option<[f64; 2]>) -> Odds {
        let [odds, changed] = sum.unwrap_or([old[0], 0.0]);
        // Nothing changes what a certain vertex says.
        let moved = if odds.is_finite() { self.slope() * changed } else { 0.0 };
        [odds, old[1] + moved]
    }

    #[inline]
    fn change(&self, vertex: GasVertex, _: &Odds, new: &mut Odds, totals: &mut Totals) -> Option<f64> {
        self.hand_on(vertex, new, totals)
    }

    /// Takes what the target said off the log-odds first, as far as it is in them.
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
