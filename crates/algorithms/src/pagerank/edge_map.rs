//! PageRank.
//!
//! Definition: the stationary distribution of a random walk that follows a random out-edge with probability `alpha` and
//! otherwise jumps (to a uniformly random vertex, or according to `personalization`); from a vertex without out-edges
//! it always jumps. Ranks sum to 1. Duplicate edges count with their multiplicity, loops once; in an undirected graph
//! every edge counts in both directions. With weights, an out-edge is followed with a probability proportional to its
//! weight among the out-edges of its vertex, and a vertex whose out-edges all have weight 0 is like one without.
//!
//! Paper: Page, Brin, Motwani and Winograd, Stanford 1999; power iteration, pulling as in the GAP benchmark (Beamer,
//! Asanović and Patterson, 2015). Stops when the sum of absolute changes falls below the tolerance, or after a fixed
//! number of iterations.
//!
//! Returns: `pagerank` (f64 or f32), never null.
//!
//! Acceleration: on request, with 16 bytes more per vertex, iterations start from a combination of the last three
//! results ([`crate::probability::anderson`]). The change that ends the run is that of a power iteration.
//!
//! Memory: two values and the out-degree per vertex (20 bytes; 12 with single precision; one more value if
//! personalized), and the index of the in-lists; with weights, the sum of weights instead of the out-degree (4 bytes
//! more; 8 with single precision), and the index of the out-lists.
//!
//! Passes over the edges: one per iteration; with weights, one over the out-lists before. For the variant that
//! propagates only changes, see `edge_map_delta.rs`.
//!
//! Deviations: with single precision only stored values are rounded; sums are in double precision. Sums are in the
//! order of the lists, in the pieces of the layout, and in fixed blocks of vertices, so the result does not depend on
//! threads. Other orders and layouts agree to about 1e-12 of each rank; with single precision to 3 roundings per
//! iteration, which decay by alpha: 1.8e-7 / (1 - alpha). Changes then bottom out at about 1e-7, and a smaller
//! tolerance may never be reached.

use super::params::{PageRankParams, outcome};
use crate::AtomicFloat;
use crate::outcome::{Outcome, Values};
use crate::probability::anderson::{self, Anderson};
use crate::probability::out_weights::OutEdges;
use outcrop_engine::{Engine, Gather, State, unrolled_sum};
use outcrop_store::access::Neighbors;
use outcrop_types::{MemoryBudget, MemoryPlan, Purpose, Result, VertexId, VertexValues};

/// Returns the memory for `vertices` vertices with values of `F`, including the out-degrees or sums of weights but
/// without the indexes.
pub fn memory<F: AtomicFloat>(vertices: u32, personalized: bool, weighted: bool, accelerated: bool) -> MemoryPlan {
    let values = VertexValues::<F>::bytes(u64::from(vertices)) * if personalized { 2 } else { 1 };
    let shares = match weighted {
        false => VertexValues::<<u32 as OutEdges>::Share<F>>::bytes(u64::from(vertices)),
        true => VertexValues::<<f64 as OutEdges>::Share<F>>::bytes(u64::from(vertices)),
    };
    let past = if accelerated { Anderson::bytes(vertices) } else { 0 };
    with_out_edges(MemoryPlan::new().with(Purpose::VertexValues, values + shares + past), vertices, weighted)
}

/// Adds the memory of the out-degrees, or of the sums of weights, to `memory`.
pub(super) fn with_out_edges(memory: MemoryPlan, vertices: u32, weighted: bool) -> MemoryPlan {
    match weighted {
        false => memory.with(Purpose::Degrees, VertexValues::<u32>::bytes(u64::from(vertices))),
        true => memory.with(Purpose::VertexValues, VertexValues::<f64>::bytes(u64::from(vertices))),
    }
}

/// Runs power iteration, accelerated on request; `as_values` wraps the ranks. The memory of `out_edges`
/// is released before the result.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, or if the run is interrupted.
pub fn pagerank<F: AtomicFloat, E: OutEdges>(
    engine: &Engine<'_>,
    out_edges: VertexValues<E>,
    parameters: &PageRankParams<'_>,
    accelerated: bool,
    as_values: impl Fn(VertexValues<F::Plain>) -> Values,
) -> Result<Outcome> {
    let mut scores = Scores::<F, E>::start(engine, out_edges, parameters)?;
    scores.acceleration = accelerated.then(|| Anderson::new(engine)).transpose()?;
    let (mut iterations, mut change) = (0, f64::INFINITY);
    engine.set_end(parameters.stop.end(0));
    while parameters.stop.should_continue(iterations, change) {
        engine.checkpoint("ranks", |state| {
            state.number(&mut iterations)?;
            state.number(&mut change)?;
            scores.visit(state)
        })?;
        change = scores.step(engine)?;
        iterations = engine.end_iteration(Some(change));
    }
    if accelerated {
        // Combinations may have negative weights.
        engine.workers().for_each_value(&mut scores.next, |_, rank| {
            let positive = rank.get().max(0.0);
            rank.set(positive);
        });
        normalize(engine, &mut scores.next);
    }
    engine.save_result(|state| state.by_vertex(&scores.next))?;
    let scores = as_values(scores.next.map(F::into_plain));
    Ok(outcome(scores, iterations, parameters.stop.convergence(change)))
}

/// Number of vertices whose values are summed together.
const BLOCK: usize = 1 << 13;

/// State of the iteration.
struct Scores<F: AtomicFloat, E: OutEdges> {
    alpha: f64,
    edges: VertexValues<E>,
    /// Amount that each vertex propagates along each edge, or per unit of weight; its whole rank if there are none.
    share: VertexValues<E::Share<F>>,
    /// Ranks of the next iteration and, at the end, of the last.
    next: VertexValues<F>,
    /// Total rank of vertices without out-edges.
    dangling: f64,
    teleport: Teleport<F>,
    acceleration: Option<Anderson>,
}

/// Targets of jumps.
pub(super) enum Teleport<F> {
    /// Jumps to every vertex with this probability.
    Uniform(f64),
    /// Jumps to each vertex with its own probability.
    To(VertexValues<F>),
}

impl<F: AtomicFloat> Teleport<F> {
    /// Creates the targets from `personalization`, or uniform ones without it.
    pub(crate) fn new(
        budget: &MemoryBudget,
        vertices: u32,
        personalization: Option<&[(VertexId, f64)]>,
    ) -> Result<Self> {
        let Some(weights) = personalization else { return Ok(Self::Uniform(1.0 / f64::from(vertices.max(1)))) };
        let probabilities = VertexValues::new(budget, Purpose::VertexValues, vertices as usize, |_| F::new(0.0))?;
        let total: f64 = weights.iter().map(|(_, weight)| weight).sum();
        for (vertex, weight) in weights {
            let probability: &F = &probabilities[*vertex as usize];
            probability.store(probability.load() + weight / total);
        }
        Ok(Self::To(probabilities))
    }

    #[inline]
    pub(crate) fn probability(&self, vertex: VertexId) -> f64 {
        match self {
            Self::Uniform(probability) => *probability,
            Self::To(probabilities) => probabilities[vertex as usize].load(),
        }
    }
}

impl<F: AtomicFloat, E: OutEdges> Scores<F, E> {
    fn start(engine: &Engine<'_>, edges: VertexValues<E>, parameters: &PageRankParams<'_>) -> Result<Self> {
        let uniform = 1.0 / f64::from(engine.vertices().max(1));
        let share = engine.vertex_values(|_| AtomicFloat::new(0.0))?;
        let mut next = engine.vertex_values(|_| F::new(uniform))?;
        if engine.restore_result(|state| state.by_vertex(&next))?.is_some() {
            engine.touch(u64::from(engine.vertices()));
            normalize(engine, &mut next);
        }
        let teleport = Teleport::new(engine.budget(), engine.vertices(), parameters.personalization)?;
        let mut scores =
            Self { alpha: parameters.alpha, edges, share, next, dangling: 0.0, teleport, acceleration: None };
        scores.hand_out(engine);
        Ok(scores)
    }

    /// Serializes the state at the start of an iteration: shares determine ranks.
    fn visit(&mut self, state: &mut State<'_>) -> Result<()> {
        state.number(&mut self.dangling)?;
        state.shared(&self.share)?;
        self.acceleration.as_mut().map_or(Ok(()), |acceleration| acceleration.visit(state))
    }

    /// Runs one iteration and returns the sum of absolute changes.
    fn step(&mut self, engine: &Engine<'_>) -> Result<f64> {
        engine.gather(self)?;
        Ok(self.hand_out(engine))
    }

    /// Turns the ranks in `next` into shares, in one pass, or with acceleration into those of the combination that the
    /// next iteration starts from, in two. Returns the sum of absolute changes from the previous ranks.
    fn hand_out(&mut self, engine: &Engine<'_>) -> f64 {
        let Self { share, next, edges, acceleration, .. } = self;
        let (change, dangling) = match acceleration {
            Some(acceleration) => hand_out_combined(engine, share, next, edges, acceleration),
            None => {
                let blocks = engine.workers().map_zipped(share, next, edges, hand_out_block);
                blocks.into_iter().fold((0.0, 0.0), |sum, block| (sum.0 + block.0, sum.1 + block.1))
            }
        };
        self.dangling = dangling;
        change
    }
}

/// Turns the combination of `ranks` with the results of previous iterations into shares. Returns the sum of absolute
/// changes from the previous ranks, and the dangling mass.
fn hand_out_combined<S: AtomicFloat, F: AtomicFloat, E: OutEdges>(
    engine: &Engine<'_>,
    shares: &mut [S],
    ranks: &[F],
    edges: &[E],
    acceleration: &mut Anderson,
) -> (f64, f64) {
    let workers = engine.workers();
    let sums = workers.map_runs(BLOCK, shares, &mut acceleration.past, |start, shares, past| {
        let (mut products, mut change) = ([0.0; 6], 0.0);
        for (place, (share, past)) in (start..).zip(shares.iter_mut().zip(past)) {
            let changed = ranks[place].load() - share.get() * edges[place].divisor();
            change += changed.abs();
            anderson::add(&mut products, &anderson::products(changed, past));
        }
        (products, change)
    });
    let (mut products, mut change) = ([0.0; 6], 0.0);
    for (block, changed) in &sums {
        anderson::add(&mut products, block);
        change += changed;
    }
    let weights = acceleration.weights(change, &products);
    let dangling = workers.map_runs(BLOCK, shares, &mut acceleration.past, |start, shares, past| {
        let mut dangling = 0.0;
        for (place, (share, past)) in (start..).zip(shares.iter_mut().zip(past)) {
            let (edges, links) = (edges[place], edges[place].divisor());
            let value = share.get() * links;
            let change = ranks[place].load() - value;
            share.set((value + anderson::distance(&weights, change, past)) / links);
            let rounded = share.get() * links;
            anderson::record(past, change, rounded - value);
            dangling += if edges.is_none() { rounded } else { 0.0 };
        }
        dangling
    });
    (change, dangling.into_iter().sum())
}

/// Scales ranks to sum to 1.
fn normalize<F: AtomicFloat>(engine: &Engine<'_>, ranks: &mut [F]) {
    let total = engine.sum(|vertex| ranks[vertex as usize].load());
    engine.workers().for_each_value(ranks, |_, rank| {
        let part = rank.get() / total;
        rank.set(part);
    });
}

/// Turns the ranks of some vertices into shares; returns the sum of absolute changes and the dangling mass.
fn hand_out_block<S: AtomicFloat, F: AtomicFloat, E: OutEdges>(
    shares: &mut [S],
    ranks: &mut [F],
    edges: &[E],
) -> (f64, f64) {
    let (mut change, mut dangling) = (0.0, 0.0);
    for ((share, rank), edges) in shares.iter_mut().zip(ranks).zip(edges) {
        let (rank, links) = (rank.get(), edges.divisor());
        change += (rank - share.get() * links).abs();
        dangling += if edges.is_none() { rank } else { 0.0 };
        share.set(rank / links);
    }
    (change, dangling)
}

impl<F: AtomicFloat, E: OutEdges> Gather for Scores<F, E> {
    type Sum = f64;

    fn begin(&self, _: VertexId) -> f64 {
        0.0
    }

    /// Sums each piece separately: otherwise all equal terms of a long list would be rounded to the same side.
    #[inline]
    fn gather(&self, sum: &mut f64, piece: Neighbors<'_>) {
        let share = |source: VertexId| self.share[source as usize].load();
        *sum += match piece.weights() {
            Some(weights) if E::WEIGHTED => unrolled_sum(piece.ids(), |place, source| weights[place] * share(source)),
            _ => unrolled_sum(piece.ids(), |_, source| share(source)),
        };
    }

    #[inline]
    fn apply(&self, vertex: VertexId, sum: f64) {
        let jumps = (1.0 - self.alpha) + self.alpha * self.dangling;
        self.next[vertex as usize].store(jumps * self.teleport.probability(vertex) + self.alpha * sum);
    }
}
