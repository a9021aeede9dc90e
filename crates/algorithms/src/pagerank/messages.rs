//! PageRank by messages.
//!
//! Definition: as in `edge_map.rs`, with agreement to about 1e-12 of each rank (with single precision to the roundings
//! stated there) and to the rounding of shares below: dangling vertices, personalization and stop rule are the same.
//!
//! Paper: Page, Brin, Motwani and Winograd, Stanford 1999, as a program of MultiLogVC (Matam, Hashemi, Annavaram, 2021,
//! section VII). Stops when the sum of absolute changes falls below the tolerance, or after a fixed number of
//! iterations.
//!
//! Returns: `pagerank` (f64 or f32), never null.
//!
//! Memory: one value per vertex (8 bytes; 4 with single precision), in memory or on disk. Messages: a share of a rank
//! (8 bytes), one per edge and iteration; they are combined.
//!
//! Passes over the edges: one per iteration, and one more if a tolerance ends the run.
//!
//! Deviations: shares are sent as the nearest integer multiple of 2^-62, so that sums are independent of the order and
//! the result does not depend on threads: each share is off by at most 1e-19, which is significant for ranks of less
//! than 1e-7 per in-edge, with a personalization or a hundred million vertices. There is one superstep more than there
//! are iterations, in which shares are sent for the first time.

use super::params::{PageRankParams, outcome};
use super::power_iteration::{CHANGE, DANGLING, PowerIteration, change_of};
use crate::models::Place;
use crate::models::interval::Real;
use crate::models::messages::{MessageWork, requirements, send_by_weight};
use crate::outcome::{Convergence, Outcome};
use crate::probability::fixed62::{nearest_amount, probability_of};
use crate::probability::out_weights::sum_of;
use crate::weights::{Refuse, Refused};
use outcrop_engine::Directions;
use outcrop_messages::{Edges, MessageEngine, MessageProgram, Next, Superstep, Vertex};
use outcrop_types::Result;
use std::marker::PhantomData;

/// Returns the needs of the program with values of `F`.
pub const fn work<F: Real>(place: Place) -> MessageWork {
    MessageWork::new(requirements::<Scores<'_, F>>(place, Directions::Out), F::BYTES)
}

/// Runs power iteration, with edge weights if `by_weight` is given. The vertices of a personalization ascend, possibly
/// with duplicates.
///
/// # Errors
///
/// Returns the error that `by_weight` creates from an edge with an invalid weight, or an error if a read fails or the
/// data is damaged, if the budget is too small, if the disk is full, or if the run is interrupted.
pub fn pagerank<F: Real>(
    engine: &MessageEngine<'_>,
    parameters: &PageRankParams<'_>,
    by_weight: Option<Refuse<'_>>,
) -> Result<Outcome> {
    let refused = Refused::new();
    let program = Scores::<F>::new(engine.vertices(), parameters, by_weight.map(|_| &refused));
    let mut scores = engine.values(|_| program.begin())?;
    let iterations = program.iteration.run(engine, &program, &mut scores)?;
    by_weight.map_or(Ok(()), |refuse| refused.check(refuse))?;
    Ok(outcome(F::values(scores), iterations, program.convergence()))
}

/// Program of power iteration: the values that arrive in a superstep form the rank, which is propagated in the same
/// superstep.
#[derive(Debug)]
pub struct Scores<'p, F> {
    iteration: PowerIteration<'p>,
    values: PhantomData<fn() -> F>,
}

impl<'p, F: Real> Scores<'p, F> {
    /// Creates the program for `vertices` vertices; `refused`, if given, enables edge weights and receives invalid
    /// ones, which end the run.
    pub fn new(vertices: u32, parameters: &PageRankParams<'p>, refused: Option<&'p Refused>) -> Self {
        Self { iteration: PowerIteration::new(vertices, parameters, refused), values: PhantomData }
    }

    /// Returns the initial rank of every vertex.
    pub fn begin(&self) -> F {
        F::of(self.iteration.uniform)
    }

    /// Returns the convergence of the run.
    pub fn convergence(&self) -> Option<Convergence> {
        self.iteration.convergence()
    }
}

impl<F: Real> MessageProgram for Scores<'_, F> {
    type Value = F;
    /// Amount of probability.
    type Message = i64;
    type Record = ();

    const COMBINES: bool = true;

    #[inline]
    fn combine(&self, one: i64, other: i64) -> i64 {
        one.wrapping_add(other)
    }

    #[inline]
    fn receive(&self, vertex: &mut Vertex<'_, Self>) -> Next {
        let Superstep { number, totals, .. } = *vertex.superstep();
        if number == 0 {
            return Next::Compute;
        }
        let arrived = probability_of(vertex.messages().iter().copied().fold(0, i64::wrapping_add));
        let PowerIteration { alpha, teleport, most, .. } = &self.iteration;
        let jumps = (1.0 - alpha) + alpha * totals[DANGLING];
        let rank = F::of(jumps * teleport.probability(vertex.id()) + alpha * arrived);
        vertex.contribute(CHANGE, (rank.get() - vertex.value().get()).abs());
        *vertex.value_mut() = rank;
        if number == *most { Next::Done } else { Next::Compute }
    }

    fn compute(&self, vertex: &mut Vertex<'_, Self>, edges: &Edges<'_>) {
        let rank = vertex.value().get();
        if let Some(refused) = self.iteration.refused {
            return match sum_of(edges.out, vertex.id(), refused) {
                0.0 => vertex.contribute(DANGLING, rank),
                sum => send_by_weight(vertex, edges, |weight| nearest_amount(rank / sum * weight)),
            };
        }
        match edges.out.len() {
            0 => vertex.contribute(DANGLING, rank),
            links => vertex.send_to_all(edges.out.ids(), nearest_amount(rank / links as f64)),
        }
    }

    fn continues(&self, ended: &Superstep) -> bool {
        self.iteration.follows(ended)
    }

    fn change(&self, ended: &Superstep) -> Option<f64> {
        change_of(ended)
    }
}
