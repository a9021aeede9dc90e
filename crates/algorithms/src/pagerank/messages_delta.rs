//! PageRank by messages that contain only changes.
//!
//! Definition: as in `edge_map_delta.rs`, with the same error bound: once no vertex has an unsent change of more than
//! `delta` of its rank, the absolute errors of all ranks sum to at most 4 alpha delta / (1 - alpha). With `delta` 0,
//! iterations are those of `edge_map.rs`.
//!
//! Paper: MultiLogVC (Matam, Hashemi, Annavaram, 2021, section VII; PageRank-Delta of Ligra, Shun and Blelloch, PPoPP
//! 2013). The paper's threshold of 0.4 applies to ranks that sum to the number of vertices, 1 on average: for a vertex
//! of average rank, it is a `delta` of 0.4.
//!
//! Returns: `pagerank` (f64 or f32), never null; ranks sum to 1.
//!
//! Memory: 16 bytes per vertex in memory or on disk, and the result (8 bytes; 4 with single precision). Messages: a
//! change (8 bytes) per edge whose source propagates one; they are combined.
//!
//! Passes over the edges: the out-lists of propagating vertices.
//!
//! Deviations: changes are integer multiples of 2^-62, so the result does not depend on threads; an edge loses at most
//! one unit per superstep. In graphs with vertices without out-edges, all vertices check their values in every
//! superstep for a possible jump. There is one superstep more than there are iterations, in which whole ranks are
//! propagated. Delivery is synchronous: with asynchronous delivery, a vertex propagates a change before all of it has
//! arrived, and Kronecker 20 takes 19 supersteps instead of 8.

use super::params::{PageRankParams, outcome};
use super::parts::{Parts, parts, rank, sent, sum_of_ranks, unsent};
use super::power_iteration::{CHANGE, DANGLING, PowerIteration, change_of};
use super::withheld_dangling_mass::DanglingMass;
use crate::models::Place;
use crate::models::interval::Real;
use crate::models::messages::{MessageWork, requirements, send_by_weight};
use crate::outcome::{Convergence, Outcome};
use crate::probability::fixed62::{amount_of, part_of, probability_of};
use crate::probability::out_weights::{OutEdges, sum_of};
use crate::weights::{Refuse, Refused};
use outcrop_engine::{Directions, State};
use outcrop_messages::{Edges, MessageEngine, MessageProgram, Next, Superstep, Vertex};
use outcrop_types::Result;

/// Returns the needs of the program with ranks of `F`.
pub const fn work<F: Real>(place: Place) -> MessageWork {
    MessageWork::new(requirements::<Changes<'_>>(place, Directions::Out), 16 + F::BYTES)
}

/// Propagates changes of more than `delta`, with edge weights if `by_weight` is given. The vertices of a
/// personalization ascend, possibly with duplicates.
///
/// # Errors
///
/// Returns the error that `by_weight` creates from an edge with an invalid weight, or an error if a read fails or the
/// data is damaged, if the budget is too small, if the disk is full, or if the run is interrupted.
pub fn pagerank_delta<F: Real>(
    engine: &MessageEngine<'_>,
    parameters: &PageRankParams<'_>,
    delta: f64,
    by_weight: Option<Refuse<'_>>,
) -> Result<Outcome> {
    let refused = Refused::new();
    let changes = Changes::new(engine.vertices(), parameters, delta, by_weight.map(|_| &refused));
    let mut parts = engine.values(|_| changes.begin())?;
    let iterations = changes.iteration.run(engine, &changes, &mut parts)?;
    by_weight.map_or(Ok(()), |refuse| refused.check(refuse))?;
    let sum = sum_of_ranks(&parts)?;
    let ranks = engine.project(&parts, |parts: Parts| F::of(rank(parts) / sum))?;
    Ok(outcome(F::values(ranks), iterations, changes.convergence()))
}

/// Program that propagates changes.
#[derive(Debug)]
pub struct Changes<'p> {
    iteration: PowerIteration<'p>,
    delta: f64,
    /// Rank mass of vertices without out-edges.
    dangling: DanglingMass,
}

impl<'p> Changes<'p> {
    /// Creates the program for `vertices` vertices; `refused`, if given, enables edge weights and receives invalid
    /// ones.
    pub fn new(vertices: u32, parameters: &PageRankParams<'p>, delta: f64, refused: Option<&'p Refused>) -> Self {
        Self { iteration: PowerIteration::new(vertices, parameters, refused), delta, dangling: DanglingMass::new() }
    }

    /// Returns the initial state of every vertex.
    pub const fn begin(&self) -> Parts {
        parts(self.iteration.uniform, 0)
    }

    /// Returns the convergence of the run.
    pub fn convergence(&self) -> Option<Convergence> {
        self.iteration.convergence()
    }
}

impl MessageProgram for Changes<'_> {
    type Value = Parts;
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
        let (number, jump) = (vertex.superstep().number, self.iteration.teleport.probability(vertex.id()));
        let arrived = vertex.messages().iter().copied().fold(0, i64::wrapping_add);
        let (sent, before) = (sent(*vertex.value()), unsent(*vertex.value()));
        let by_jumps = match number {
            0 => (1.0 - self.iteration.alpha) * jump - sent,
            _ => self.dangling.now() * jump,
        };
        let unsent = before.wrapping_add(arrived).wrapping_add(amount_of(by_jumps));
        *vertex.value_mut() = parts(sent, unsent);
        // In the first two supersteps every rank changes, even if nothing arrives.
        if number > 0 && !self.dangling.may_come() {
            vertex.deactivate();
        }
        if number == 0 {
            return Next::Compute;
        }
        let change = probability_of(unsent).abs();
        if change <= self.delta * rank(*vertex.value()).abs() {
            return Next::Done;
        }
        vertex.contribute(CHANGE, change);
        if number == self.iteration.most { Next::Done } else { Next::Compute }
    }

    fn compute(&self, vertex: &mut Vertex<'_, Self>, edges: &Edges<'_>) {
        let (sent, unsent) = (sent(*vertex.value()), unsent(*vertex.value()));
        let amount = match vertex.superstep().number {
            0 => amount_of(sent),
            _ => {
                *vertex.value_mut() = parts(sent + probability_of(unsent), 0);
                unsent
            }
        };
        let handed = part_of(amount, self.iteration.alpha);
        if let Some(refused) = self.iteration.refused {
            let sum = sum_of(edges.out, vertex.id(), refused);
            if sum.is_none() {
                return vertex.contribute(DANGLING, probability_of(handed));
            }
            let share = sum.share(handed);
            return send_by_weight(vertex, edges, |weight| f64::along(share, weight));
        }
        match i64::try_from(edges.out.len()) {
            Ok(links @ 1..) => vertex.send_to_all(edges.out.ids(), handed / links),
            _ => vertex.contribute(DANGLING, probability_of(handed)),
        }
    }

    fn continues(&self, ended: &Superstep) -> bool {
        self.dangling.decide(ended.totals[DANGLING], self.delta);
        self.iteration.follows(ended) && change_of(ended).is_none_or(|change| change > 0.0)
    }

    fn visit(&self, state: &mut State<'_>) -> Result<()> {
        self.dangling.visit(state)
    }

    fn change(&self, ended: &Superstep) -> Option<f64> {
        change_of(ended)
    }
}
