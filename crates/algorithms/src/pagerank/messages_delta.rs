//! PageRank by messages that hold changes only.
//!
//! Definition: as in `edge_map_delta.rs`, with the same bound on the answer: once no vertex has a change to hand on of
//! more than `delta` of its rank, the absolute errors of all ranks sum to at most 4 alpha delta / (1 - alpha). With
//! `delta` 0, iterations are those of `edge_map.rs`. Paper: MultiLogVC (Matam, Hashemi, Annavaram, 2021, section VII;
//! PageRank-Delta of Ligra, Shun and Blelloch, PPoPP 2013). The paper's threshold of 0.4 is an amount of ranks that sum
//! to the number of vertices, 1 on average: of a vertex of average rank, it is a `delta` of 0.4. Returns: `pagerank`
//! (f64 or f32), never null; ranks sum to 1. Memory: 16 bytes a vertex in memory or on disk, and the result besides (8
//! bytes; 4 with single precision). Messages: a change (8 bytes) for every edge whose source hands one on; they are
//! combined. Passes over the edges: the out-lists of vertices that hand something on. Deviations: changes are whole
//! multiples of 2^-62, so the answer does not depend on threads; an edge loses at most one of them a superstep. In
//! graphs with vertices without out-edges all vertices look at their values in every superstep, for a jump that may
//! come. There is one superstep more than there are iterations, in which whole ranks are handed on. With asynchronous
//! delivery changes are handed on sooner; the bound is the same, the answer within it depends on memory.

use super::dangling::DanglingMass;
use super::params::{PageRankParams, outcome};
use super::parts::{Parts, parts, rank, sent, sum_of_ranks, unsent};
use super::power_iteration::{CHANGE, DANGLING, PowerIteration, change_of};
use crate::models::Place;
use crate::models::interval::Real;
use crate::models::messages::{Work, requirements, send_by_weight};
use crate::outcome::{Convergence, Outcome};
use crate::probability::fixed62::{amount_of, part_of, probability_of};
use crate::probability::out_weights::{OutEdges, sum_of};
use crate::weights::{Refuse, Refused};
use outcrop_engine::{Directions, State};
use outcrop_messages::{Edges, MessageEngine, MessageProgram, Next, Superstep, Vertex};
use outcrop_types::Result;

/// Needs of the program with ranks of `F`.
pub const fn work<F: Real>(place: Place) -> Work {
    Work::new(requirements::<Changes<'_>>(place, Directions::Out), 16 + F::BYTES)
}

/// Hands on changes of more than `delta`, along edges by weight with `by_weight`. The vertices of a personalisation
/// ascend; one may be named several times.
///
/// # Errors
/// What `by_weight` makes of an edge with a weight that must not be; a failed or damaged read, a budget that is too
/// small, a full disk, interruption.
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

/// Changes under way.
#[derive(Debug)]
pub struct Changes<'p> {
    iteration: PowerIteration<'p>,
    delta: f64,
    /// Rank mass of vertices without out-edges.
    dangling: DanglingMass,
}

impl<'p> Changes<'p> {
    /// Creates the program for `vertices` vertices; `refused`, if given, enables edge weights and takes invalid ones.
    pub fn new(vertices: u32, parameters: &PageRankParams<'p>, delta: f64, refused: Option<&'p Refused>) -> Self {
        Self { iteration: PowerIteration::new(vertices, parameters, refused), delta, dangling: DanglingMass::new() }
    }

    /// State that every vertex begins with.
    pub const fn begin(&self) -> Parts {
        parts(self.iteration.uniform, 0)
    }

    /// Convergence of the run.
    pub fn convergence(&self) -> Option<Convergence> {
        self.iteration.convergence()
    }
}

impl MessageProgram for Changes<'_> {
    type Value = Parts;
    /// An amount of probability.
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
        // In the first two supersteps every rank changes, those at which nothing arrives as well.
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
