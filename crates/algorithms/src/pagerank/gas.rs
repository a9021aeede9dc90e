//! PageRank on edge values.
//!
//! Definition: as in `edge_map.rs`, with agreement to about 1e-12 of each rank (with single precision to the roundings
//! stated there, and one more of each share): dangling vertices, personalization and stop rule are the same.
//!
//! Paper: Page, Brin, Motwani and Winograd, Stanford 1999, as a program that gathers, applies and scatters (Vora, Xu,
//! Gupta, USENIX ATC 2016, section 4.1, without `extract`). Stops when the sum of absolute changes falls below the
//! tolerance, or after a fixed number of iterations.
//!
//! Returns: `pagerank` (f64 or f32), never null.
//!
//! Memory: one value per vertex (8 bytes; 4 with single precision) in memory or on disk, and the out-degrees (4 bytes)
//! in memory. Edges: a share of a rank (8 bytes; 4 with single precision).
//!
//! Passes over the edges: one per iteration.
//!
//! Deviations: shares, and ranks of vertices without out-edges, are rounded to the nearest integer multiples of 2^-62,
//! so that sums are independent of the order, and the result depends neither on threads nor on how edges are loaded:
//! each share is off by at most 1e-19. Every vertex propagates its rank in every iteration, so dynamic shards cannot
//! omit edges, and `--shards auto` is static; for dynamic shards, use `gas_delta.rs`.

use super::params::{PageRankParams, outcome};
use super::power_iteration::{CHANGE, DANGLING_PAIR, PowerIteration};
use crate::AtomicFloat;
use crate::models::Place;
use crate::models::gas::{GasWork, requirements};
use crate::models::interval::Real;
use crate::outcome::{Convergence, Outcome};
use crate::probability::fixed62::{add_to_total, nearest_amount, probability_of, total_of};
use outcrop_engine::Directions;
use outcrop_gas::{Aggregation, GasEngine, GasProgram, GasRequirements, GasStep, GasVertex, OutEdge, Totals};
use outcrop_types::Result;
use std::marker::PhantomData;
use std::sync::atomic::AtomicU64;

/// Returns the needs of the program with values of `F`.
pub const fn work<F: Real>(place: Place) -> GasWork {
    let requirements = requirements::<Scores<'_, F>>(place, Directions::Out);
    let requirements = GasRequirements { degrees: true, incremental: false, ..requirements };
    GasWork::new(requirements, 0)
}

/// Runs power iteration. The vertices of a personalization ascend, possibly with duplicates.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, if the disk is full, or if the
/// run is interrupted.
pub fn pagerank<F: Real>(engine: &GasEngine<'_>, parameters: &PageRankParams<'_>) -> Result<Outcome> {
    let program = Scores::<F>::new(engine.vertices(), parameters);
    engine.set_end(program.iteration.end());
    let ran = engine.run(&program, program.iteration.most)?;
    Ok(outcome(F::values(ran.values), ran.iterations, program.convergence()))
}

/// Program of power iteration: the values that arrive in an iteration form the rank, which is propagated in the same
/// iteration.
#[derive(Debug)]
pub struct Scores<'p, F> {
    iteration: PowerIteration<'p>,
    /// Probability of a jump in the current iteration.
    jumps: AtomicU64,
    values: PhantomData<fn() -> F>,
}

impl<'p, F: Real> Scores<'p, F> {
    /// Creates the program for `vertices` vertices.
    pub fn new(vertices: u32, parameters: &PageRankParams<'p>) -> Self {
        Self {
            iteration: PowerIteration::new(vertices, parameters, None),
            jumps: AtomicFloat::new(0.0),
            values: PhantomData,
        }
    }

    /// Returns the convergence of the run.
    pub fn convergence(&self) -> Option<Convergence> {
        self.iteration.convergence()
    }

    /// Returns the amount that a vertex of this rank propagates; `None` without edges, and in the last iteration.
    fn hand_on(&self, vertex: GasVertex, rank: F, totals: &mut Totals) -> Option<F> {
        if vertex.out_degree == 0 {
            add_to_total(totals, DANGLING_PAIR, nearest_amount(rank.get()));
        }
        (vertex.out_degree > 0 && vertex.iteration < self.iteration.most).then_some(rank)
    }
}

impl<F: Real> GasProgram for Scores<'_, F> {
    type Value = F;
    /// Share of the source's rank.
    type Edge = F;
    /// Amount of probability.
    type Sum = i64;
    type Change = F;

    /// A rank replaces the previous one.
    const AGGREGATION: Aggregation = Aggregation::Last;

    fn begin(&self, vertex: GasVertex, totals: &mut Totals) -> (F, Option<F>) {
        let rank = F::of(self.iteration.uniform);
        (rank, self.hand_on(vertex, rank, totals))
    }

    #[inline]
    fn gather(&self, sum: Option<i64>, share: F) -> i64 {
        // Default: the first share starts the sum.
        sum.unwrap_or(0).wrapping_add(nearest_amount(share.get()))
    }

    #[inline]
    fn apply(&self, vertex: GasVertex, _: &F, sum: Option<i64>) -> F {
        // Default: a vertex without in-edges receives nothing.
        let (jumps, arrived) = (AtomicFloat::load(&self.jumps), probability_of(sum.unwrap_or(0)));
        F::of(jumps * self.iteration.teleport.probability(vertex.id) + self.iteration.alpha * arrived)
    }

    #[inline]
    fn change(&self, vertex: GasVertex, old: &F, new: &mut F, totals: &mut Totals) -> Option<F> {
        totals[CHANGE] += (new.get() - old.get()).abs();
        self.hand_on(vertex, *new, totals)
    }

    #[inline]
    fn scatter(&self, vertex: GasVertex, _: &F, rank: F, _: OutEdge<F>) -> F {
        F::of(rank.get() / f64::from(vertex.out_degree))
    }

    fn everywhere(&self) -> bool {
        true
    }

    fn continues(&self, ended: &GasStep) -> bool {
        let alpha = self.iteration.alpha;
        AtomicFloat::store(&self.jumps, (1.0 - alpha) + alpha * total_of(&ended.totals, DANGLING_PAIR));
        self.change_of(ended).is_none_or(|change| self.iteration.should_continue(change))
    }

    fn change_of(&self, ended: &GasStep) -> Option<f64> {
        (ended.iteration > 0).then_some(ended.totals[CHANGE])
    }
}
