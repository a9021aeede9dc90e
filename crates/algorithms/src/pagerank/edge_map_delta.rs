//! PageRank that propagates only changes.
//!
//! Definition: as in `edge_map.rs`, also starting with equal ranks. A rank consists of a sent and an unsent part. In
//! each round the vertices whose unsent change exceeds `delta` of their rank are active: they propagate it, times
//! alpha, to their out-neighbors. The mass propagated by vertices without out-edges is collected, and distributed by
//! jumps once it exceeds `delta` of the mass distributed before. The run ends when no vertex is active, when the active
//! ones have less to propagate than the tolerance, or after the given number of rounds. With `delta` 0, rounds are the
//! iterations of `edge_map.rs`.
//!
//! Paper: PageRank-Delta of Ligra (Shun and Blelloch, PPoPP 2013, section 4.5).
//!
//! Returns: `pagerank` (f64 or f32), never null; ranks sum to 1.
//!
//! Memory: 20 bytes per vertex and a value (28 bytes; 24 with single precision; one more value if personalized),
//! frontiers, both indexes.
//!
//! Passes over the edges: the lists of active vertices once per round.
//!
//! Deviations: changes that are too small to be propagated are kept, while Ligra drops them, so they accumulate. Once
//! no vertex is active, the absolute errors of all ranks sum to at most 4 alpha delta / (1 - alpha): the unsent part is
//! at most `delta` of the ranks, which sum to 1, and of the same amount of pending jumps; it would ultimately
//! contribute 1 + alpha + ... times that, and scaling the sum to 1 may shift the same amount again. Changes are integer
//! multiples of 2^-62, so the result does not depend on threads; an edge loses at most one unit per round. Ranks are
//! rounded to their precision each time a vertex is active.

use super::edge_map::{Teleport, with_out_edges};
use super::params::{PageRankParams, outcome};
use crate::AtomicFloat;
use crate::outcome::{Outcome, Values};
use crate::probability::fixed62::{Fixed62, amount_of, part_of, probability_of};
use crate::probability::out_weights::OutEdges;
use outcrop_engine::{EdgeMap, EdgeMapOutput, Engine, State};
use outcrop_types::{MemoryPlan, Purpose, Result, VertexId, VertexRange, VertexSet, VertexValues};

/// Returns the memory for `vertices` vertices with values of `F`, including the out-degrees or sums of weights but
/// without the indexes.
pub fn memory<F: AtomicFloat>(vertices: u32, personalized: bool, weighted: bool) -> MemoryPlan {
    let values = VertexValues::<F>::bytes(u64::from(vertices)) * if personalized { 2 } else { 1 };
    let values = values + 2 * VertexValues::<Fixed62>::bytes(u64::from(vertices));
    with_out_edges(MemoryPlan::new().with(Purpose::VertexValues, values), vertices, weighted)
}

/// Propagates changes of more than `delta`; `as_values` wraps the ranks.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, or if the run is interrupted.
pub fn pagerank_delta<F: AtomicFloat, E: OutEdges>(
    engine: &Engine<'_>,
    out_edges: VertexValues<E>,
    parameters: &PageRankParams<'_>,
    delta: f64,
    as_values: impl Fn(VertexValues<F::Plain>) -> Values,
) -> Result<Outcome> {
    let mut changes = Changes::<F, E>::start(engine, out_edges, parameters, delta)?;
    let mut frontier = VertexSet::all(engine.vertices());
    let (mut iterations, mut change) = (0, f64::INFINITY);
    engine.set_end(parameters.stop.end(0));
    while parameters.stop.should_continue(iterations, change) && change > 0.0 {
        engine.checkpoint("changes", |state| {
            state.number(&mut iterations)?;
            state.number(&mut change)?;
            state.frontier(&mut frontier)?;
            changes.visit(state)
        })?;
        match iterations {
            0 => changes.hand_on_everything(engine),
            _ => changes.hand_on(engine, &frontier),
        }
        let touched = changes.arrive(engine, frontier)?;
        // In the first round every rank has changed, even if nothing arrived.
        let touched = if iterations == 0 { VertexSet::all(engine.vertices()) } else { touched };
        frontier = engine.vertex_filter(&touched, |vertex| changes.is_active(vertex));
        change = changes.unsent_of(engine, &frontier);
        iterations = engine.end_iteration(Some(change));
    }
    drop(frontier);
    let scores = as_values(changes.scores(engine).map(F::into_plain));
    Ok(outcome(scores, iterations, parameters.stop.convergence(change)))
}

/// State of the rounds.
struct Changes<F, E> {
    alpha: f64,
    delta: f64,
    edges: VertexValues<E>,
    /// Sent part of each rank.
    sent: VertexValues<F>,
    /// Unsent part of each rank.
    unsent: VertexValues<Fixed62>,
    /// Amount that each active vertex propagates along each edge, or per unit of weight.
    share: VertexValues<Fixed62>,
    teleport: Teleport<F>,
    /// Amount received from vertices without out-edges and not distributed by jumps yet.
    waiting: i64,
    /// Amount distributed by jumps.
    jumped: i64,
}

impl<F: AtomicFloat, E: OutEdges> Changes<F, E> {
    /// Creates the initial state: all vertices have the same rank, fully sent.
    fn start(engine: &Engine<'_>, edges: VertexValues<E>, parameters: &PageRankParams<'_>, delta: f64) -> Result<Self> {
        let uniform = 1.0 / f64::from(engine.vertices().max(1));
        let sent = engine.vertex_values(|_| F::new(uniform))?;
        let teleport = Teleport::new(engine.budget(), engine.vertices(), parameters.personalization)?;
        let (unsent, share, alpha) = (Fixed62::zeroes(engine)?, Fixed62::zeroes(engine)?, parameters.alpha);
        Ok(Self { alpha, delta, edges, sent, unsent, share, teleport, waiting: 0, jumped: 0 })
    }

    /// Serializes the state at the start of a round.
    fn visit(&mut self, state: &mut State<'_>) -> Result<()> {
        state.number(&mut self.waiting)?;
        state.number(&mut self.jumped)?;
        state.shared(&self.sent)?;
        state.shared(&self.unsent)
    }

    /// Splits `amount` among the out-neighbors of `vertex`; returns the amount to be distributed by jumps if it has
    /// none.
    fn split(&self, vertex: VertexId, amount: i64) -> i64 {
        let handed = part_of(amount, self.alpha);
        let edges = self.edges[vertex as usize];
        if edges.is_none() {
            return handed;
        }
        self.share[vertex as usize].set(edges.share(handed));
        0
    }

    /// Performs the first round: whole ranks are propagated, and the unsent part afterwards is the change.
    fn hand_on_everything(&mut self, engine: &Engine<'_>) {
        let of_vertex = |vertex: VertexId| {
            let rank = self.sent[vertex as usize].load();
            let jump = (1.0 - self.alpha) * self.teleport.probability(vertex);
            self.unsent[vertex as usize].set(amount_of(jump - rank));
            self.split(vertex, amount_of(rank))
        };
        self.waiting += sum_over(engine, &VertexSet::all(engine.vertices()), of_vertex);
    }

    /// Propagates the unsent part of the vertices of `frontier`.
    fn hand_on(&mut self, engine: &Engine<'_>, frontier: &VertexSet) {
        let of_vertex = |vertex: VertexId| {
            let (sent, unsent) = (&self.sent[vertex as usize], &self.unsent[vertex as usize]);
            let amount = unsent.get();
            unsent.set(0);
            sent.store(sent.load() + probability_of(amount));
            self.split(vertex, amount)
        };
        self.waiting += sum_over(engine, frontier, of_vertex);
    }

    /// Delivers the propagated amounts; returns the vertices that received any.
    fn arrive(&mut self, engine: &Engine<'_>, frontier: VertexSet) -> Result<VertexSet> {
        let mut touched = engine.edge_map(&frontier, self, EdgeMapOutput::Frontier)?;
        drop(frontier);
        if self.waiting != 0 && self.waiting.unsigned_abs() as f64 > self.delta * self.jumped.unsigned_abs() as f64 {
            touched = VertexSet::all(engine.vertices());
            let waiting = self.waiting;
            let arrived = sum_over(engine, &touched, |vertex| {
                let amount = part_of(waiting, self.teleport.probability(vertex));
                self.unsent[vertex as usize].add_alone(amount);
                amount
            });
            // An indivisible remainder stays pending, unless nothing else is left.
            self.jumped += arrived;
            self.waiting = if arrived == 0 { 0 } else { waiting - arrived };
        }
        Ok(touched)
    }

    fn is_active(&self, vertex: VertexId) -> bool {
        let unsent = probability_of(self.unsent[vertex as usize].get());
        let rank = self.sent[vertex as usize].load() + unsent;
        unsent.abs() > self.delta * rank.abs()
    }

    /// Returns the sum of the absolute changes that `frontier` has to propagate.
    fn unsent_of(&self, engine: &Engine<'_>, frontier: &VertexSet) -> f64 {
        let absolute = |vertex: VertexId| self.unsent[vertex as usize].get().saturating_abs() >> 1;
        2.0 * probability_of(sum_over(engine, frontier, absolute))
    }

    fn scores(self, engine: &Engine<'_>) -> VertexValues<F> {
        let rank =
            |vertex: VertexId| self.sent[vertex as usize].load() + probability_of(self.unsent[vertex as usize].get());
        let sum = engine.sum(rank);
        engine.vertex_map(&VertexSet::all(engine.vertices()), |vertex| {
            self.sent[vertex as usize].store(rank(vertex) / sum);
        });
        self.sent
    }
}

/// Returns the sum of `term` over `set`, which must fit; independent of the number of threads.
fn sum_over(engine: &Engine<'_>, set: &VertexSet, term: impl Fn(VertexId) -> i64 + Sync) -> i64 {
    const BLOCK: u32 = 1 << 13;
    let of_block = |positions: VertexRange| {
        let mut sum = 0;
        set.for_each_in(positions, |vertex| sum += term(vertex));
        sum
    };
    engine.workers().map_blocks(set.positions(), BLOCK, of_block).into_iter().sum()
}

impl<F: AtomicFloat, E: OutEdges> EdgeMap for Changes<F, E> {
    #[inline]
    fn update(&self, source: VertexId, target: VertexId, weight: f64) -> bool {
        self.unsent[target as usize].add_alone(E::along(self.share[source as usize].get(), weight));
        true
    }

    #[inline]
    fn update_atomic(&self, source: VertexId, target: VertexId, weight: f64) -> bool {
        let share = E::along(self.share[source as usize].get(), weight);
        if share != 0 {
            self.unsent[target as usize].add(share);
        }
        share != 0
    }

    #[inline]
    fn settled(&self, _: VertexId) -> bool {
        false
    }
}
