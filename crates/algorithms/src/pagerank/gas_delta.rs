//! PageRank on edges that contain only changes.
//!
//! Definition: as in `edge_map_delta.rs`, with the same error bound: once no vertex has an unsent change of more than
//! `delta` of its rank, the absolute errors of all ranks sum to at most 4 alpha delta / (1 - alpha), with or without
//! delays. With `delta` 0 and without delays, iterations are those of `edge_map.rs`.
//!
//! Paper: Vora, Xu, Gupta, USENIX ATC 2016, section 4.1: `extract` returns the received and unsent amount of a vertex,
//! edges carry changes, and several changes of a vertex are summed.
//!
//! Returns: `pagerank` (f64 or f32), never null; ranks sum to 1.
//!
//! Memory: 16 bytes per vertex in memory or on disk, the out-degrees (4 bytes) in memory, and the result (8 bytes; 4
//! with single precision). Edges: a change (8 bytes).
//!
//! Passes over the edges: those of propagating vertices.
//!
//! Deviations: changes are integer multiples of 2^-62, so the result does not depend on threads; an edge loses at most
//! one unit per iteration. The paper derives the gathered amount from the rank by an inverse function; here the value
//! stores it, which avoids rounding. In graphs with vertices without out-edges, all vertices check their values in
//! iterations with a jump. A tolerance ends the run only after an iteration that received all changes.

use super::params::{PageRankParams, outcome};
use super::parts::{Parts, parts, rank, sent, sum_of_ranks, unsent};
use super::power_iteration::{CHANGE, DANGLING_PAIR, PowerIteration};
use super::withheld_dangling_mass::DanglingMass;
use crate::models::Place;
use crate::models::gas::{GasWork, requirements};
use crate::models::interval::Real;
use crate::outcome::{Convergence, Outcome};
use crate::probability::fixed62::{add_to_total, amount_of, part_of, probability_of, total_of};
use outcrop_engine::{Directions, State};
use outcrop_gas::{Aggregation, GasEngine, GasProgram, GasRequirements, GasStep, GasVertex, OutEdge, Totals};
use outcrop_types::Result;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Returns the needs of the program with ranks of `F`.
pub const fn work<F: Real>(place: Place) -> GasWork {
    let requirements = GasRequirements { degrees: true, ..requirements::<Changes<'_>>(place, Directions::Out) };
    GasWork::new(requirements, F::BYTES)
}

/// Propagates changes of more than `delta`. The vertices of a personalization ascend, possibly with duplicates.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, if the disk is full, or if the
/// run is interrupted.
pub fn pagerank_delta<F: Real>(engine: &GasEngine<'_>, parameters: &PageRankParams<'_>, delta: f64) -> Result<Outcome> {
    let changes = Changes::new(engine.vertices(), parameters, delta);
    engine.set_end(changes.iteration.end());
    let ran = engine.run(&changes, changes.iteration.most)?;
    let sum = sum_of_ranks(&ran.values)?;
    let ranks = engine.project(&ran.values, |parts: Parts| F::of(rank(parts) / sum))?;
    Ok(outcome(F::values(ranks), ran.iterations, changes.convergence(ran.iterations)))
}

/// Program that propagates changes.
#[derive(Debug)]
pub struct Changes<'p> {
    iteration: PowerIteration<'p>,
    delta: f64,
    /// Rank mass of vertices without out-edges.
    dangling: DanglingMass,
    /// True in the first iteration, in which every rank changes, even if nothing arrives.
    first: AtomicBool,
}

impl<'p> Changes<'p> {
    /// Creates the program for `vertices` vertices.
    pub fn new(vertices: u32, parameters: &PageRankParams<'p>, delta: f64) -> Self {
        Self {
            iteration: PowerIteration::new(vertices, parameters, None),
            delta,
            dangling: DanglingMass::new(),
            first: AtomicBool::new(true),
        }
    }

    /// Returns the convergence of a run after the given number of iterations. If it ended before the limit, there is
    /// nothing left to propagate.
    pub fn convergence(&self, iterations: u32) -> Option<Convergence> {
        let ended = self.iteration.convergence()?;
        let by_itself = iterations < self.iteration.most && ended.change >= ended.tolerance;
        Some(if by_itself { Convergence { change: 0.0, ..ended } } else { ended })
    }

    /// Returns the share of `amount` for each out-edge; without out-edges it is distributed by jumps.
    fn hand_on(&self, vertex: GasVertex, amount: i64, totals: &mut Totals) -> Option<i64> {
        let handed = part_of(amount, self.iteration.alpha);
        if vertex.out_degree == 0 {
            add_to_total(totals, DANGLING_PAIR, handed);
        }
        handed.checked_div(i64::from(vertex.out_degree))
    }

    /// Returns the amount that a vertex has propagated along all out-edges together.
    fn propagated(&self, value: Parts) -> i64 {
        part_of(amount_of(sent(value)), self.iteration.alpha)
    }
}

impl GasProgram for Changes<'_> {
    type Value = Parts;
    /// Amount of probability.
    type Edge = i64;
    type Sum = i64;
    /// Amount per out-edge. The amount of all out-edges together can exceed an `i64` when edges arrive: of four edges,
    /// of which three are new, the first one gives back three quarters of everything that it received.
    type Change = i64;

    const AGGREGATION: Aggregation = Aggregation::Sum;
    const TAKES_ARRIVALS: bool = true;

    /// Propagates whole ranks; the unsent part afterwards is the change.
    fn begin(&self, vertex: GasVertex, totals: &mut Totals) -> (Parts, Option<i64>) {
        let PowerIteration { alpha, teleport, uniform, most, .. } = &self.iteration;
        let unsent = if *most == 0 { 0.0 } else { (1.0 - alpha) * teleport.probability(vertex.id) - uniform };
        let value = parts(*uniform, amount_of(unsent));
        (value, self.hand_on(vertex, amount_of(*uniform), totals))
    }

    #[inline]
    fn extract(&self, _: GasVertex, value: &Parts) -> Option<i64> {
        Some(unsent(*value))
    }

    #[inline]
    fn gather(&self, sum: Option<i64>, change: i64) -> i64 {
        // Default: the first change starts the sum.
        sum.unwrap_or(0).wrapping_add(change)
    }

    #[inline]
    fn apply(&self, vertex: GasVertex, old: &Parts, sum: Option<i64>) -> Parts {
        let by_jumps = self.dangling.now() * self.iteration.teleport.probability(vertex.id);
        // Default: nothing is unsent.
        parts(sent(*old), sum.unwrap_or(0).wrapping_add(amount_of(by_jumps)))
    }

    #[inline]
    fn change(&self, vertex: GasVertex, _: &Parts, new: &mut Parts, totals: &mut Totals) -> Option<i64> {
        let amount = unsent(*new);
        let change = probability_of(amount).abs();
        if change <= self.delta * rank(*new).abs() {
            return None;
        }
        totals[CHANGE] += change;
        if vertex.iteration >= self.iteration.most {
            return None;
        }
        *new = parts(sent(*new) + probability_of(amount), 0);
        self.hand_on(vertex, amount, totals)
    }

    #[inline]
    fn scatter(&self, _: GasVertex, _: &Parts, share: i64, _: OutEdge<i64>) -> i64 {
        share
    }

    fn initial_change(&self, vertex: GasVertex, value: &Parts) -> Option<i64> {
        self.propagated(*value).checked_div(i64::from(vertex.out_degree))
    }

    /// Compensates existing edges, which received more than their new share of the amount propagated so far.
    fn on_degree_change(
        &self,
        vertex: GasVertex,
        before: u32,
        value: &Parts,
        change: Option<i64>,
        totals: &mut Totals,
    ) -> Option<i64> {
        let whole = self.propagated(*value);
        let share = |degree: u32| whole.checked_div(i64::from(degree));
        let Some(earlier) = share(before) else {
            // All of it was pending for jumps, or was distributed by them.
            add_to_total(totals, DANGLING_PAIR, -whole);
            return None;
        };
        // Default: there is no change to propagate.
        let received = earlier - change.unwrap_or(0);
        share(vertex.out_degree).map(|now| now - received)
    }

    fn everywhere(&self) -> bool {
        self.first.load(Relaxed) || self.dangling.now() != 0.0
    }

    fn continues(&self, ended: &GasStep) -> bool {
        self.first.store(ended.iteration == 0, Relaxed);
        self.dangling.decide(total_of(&ended.totals, DANGLING_PAIR), self.delta);
        self.change_of(ended).is_none_or(|change| self.iteration.should_continue(change) || ended.delayed > 0)
    }

    fn visit(&self, state: &mut State<'_>) -> Result<()> {
        self.dangling.visit(state)
    }

    fn change_of(&self, ended: &GasStep) -> Option<f64> {
        (ended.iteration > 0).then_some(ended.totals[CHANGE])
    }
}
