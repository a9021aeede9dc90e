//! PageRank.
//!
//! Definition: the stationary distribution of a walk that follows a random out-edge with probability `alpha` and jumps otherwise
//! (to a vertex at random, or as `personalization` says); from a vertex without out-edges it always jumps, in the same way. Ranks
//! sum to 1. Repeated edges count as often as they are stored, loops once, weights not at all; in an undirected graph every edge
//! counts in both directions.
//! Paper: Page, Brin, Motwani and Winograd, Stanford 1999; power iteration, pulling as in the GAP benchmark (Beamer, Asanović and
//! Patterson, 2015). Stops when the sum of absolute changes falls below the tolerance, or after a fixed number of iterations.
//! Returns: `pagerank` (f64 or f32), never null.
//! Memory: two values and the out-degree a vertex (20 bytes; 12 with single precision; one value more if personalised), and the
//! index of the in-lists. Passes over the edges: one an iteration. For the variant that hands on changes only, see
//! `pagerank_delta.rs`. Deviations: with single precision only the values that are kept
//! are rounded; sums are of double precision. Sums are taken in the order of the lists, piece by piece as the layout hands them
//! over, and in fixed blocks of vertices, so the answer does not depend on threads. Other orders and layouts agree to about 1e-12 of
//! each rank; with single precision to 3 roundings an iteration, which fade by alpha: 1.8e-7 / (1 - alpha). Changes then bottom
//! out at about 1e-7, and a tolerance below that may never be reached.

use crate::AtomicFloat;
use crate::outcome::{Column, Convergence, Outcome, Values};
use outcrop_engine::{Engine, Gather, sum_in_lanes};
use outcrop_store::access::Neighbours;
use outcrop_types::{MemoryBudget, MemoryPlan, Purpose, Result, VertexId, VertexValues};

/// When the iteration ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stop {
    /// After exactly so many iterations.
    After(u32),
    /// When the sum of absolute changes is below the tolerance, or after so many iterations.
    Below {
        /// The tolerance.
        tolerance: f64,
        /// The most iterations.
        at_most: u32,
    },
}

impl Stop {
    /// The most iterations, and the tolerance.
    pub(crate) const fn limits(self) -> (u32, Option<f64>) {
        match self {
            Self::After(iterations) => (iterations, None),
            Self::Below { tolerance, at_most } => (at_most, Some(tolerance)),
        }
    }
}

/// The parameters of a run.
#[derive(Clone, Copy, Debug)]
pub struct Parameters<'p> {
    /// The probability of following an edge.
    pub alpha: f64,
    /// When to stop.
    pub stop: Stop,
    /// Vertices to jump to and their weights, which need not sum to 1; `None` for all alike.
    pub personalization: Option<&'p [(VertexId, f64)]>,
}

/// Memory over `vertices` vertices with values of `F`, the out-degrees included, but for the index.
pub fn memory<F: AtomicFloat>(vertices: u32, personalized: bool) -> MemoryPlan {
    let values = VertexValues::<F>::bytes(u64::from(vertices));
    let vectors = if personalized { 3 } else { 2 };
    MemoryPlan::new()
        .with(Purpose::VertexValues, vectors * values)
        .with(Purpose::Degrees, VertexValues::<u32>::bytes(u64::from(vertices)))
}

/// Iterates; `as_values` wraps the ranks. `out_degrees` is given back to the budget before the result is.
///
/// # Errors
/// A failed or damaged read, a budget that is too small, interruption.
pub fn pagerank<F: AtomicFloat>(
    engine: &Engine<'_>,
    out_degrees: VertexValues<u32>,
    parameters: &Parameters<'_>,
    as_values: impl Fn(VertexValues<F::Plain>) -> Values,
) -> Result<Outcome> {
    let mut walk = Walk::<F>::start(engine, out_degrees, parameters)?;
    let (most, tolerance) = parameters.stop.limits();
    let (mut iterations, mut change) = (0, f64::INFINITY);
    while iterations < most && tolerance.is_none_or(|tolerance| change >= tolerance) {
        change = walk.step(engine)?;
        iterations = engine.end_iteration(Some(change));
    }
    let ranks = walk.next.map(F::into_plain);
    Ok(Outcome {
        convergence: tolerance.map(|tolerance| Convergence { change, tolerance }),
        ..Outcome::new(vec![Column::new("pagerank", as_values(ranks))], iterations)
    })
}

/// The ranks under way.
struct Walk<F> {
    alpha: f64,
    degrees: VertexValues<u32>,
    /// What each vertex hands to each of its out-neighbours; its whole rank where it has none.
    share: VertexValues<F>,
    /// The ranks of the next iteration, and in the end of the last.
    next: VertexValues<F>,
    /// The rank of vertices without out-edges, summed.
    dangling: f64,
    jump: Jump<F>,
}

/// Where jumps lead.
pub(crate) enum Jump<F> {
    /// To each vertex with this probability.
    Uniform(f64),
    /// To each vertex with its own.
    To(VertexValues<F>),
}

impl<F: AtomicFloat> Jump<F> {
    /// As `personalization` says, or to all vertices alike.
    pub(crate) fn new(
        budget: &MemoryBudget,
        vertices: u32,
        personalization: Option<&[(VertexId, f64)]>,
    ) -> Result<Self> {
        let Some(weights) = personalization else { return Ok(Self::Uniform(1.0 / f64::from(vertices.max(1)))) };
        let none = VertexValues::new(budget, Purpose::VertexValues, vertices as usize, |_| F::new(0.0))?;
        Ok(Self::To(probabilities(none, weights)))
    }

    #[inline]
    pub(crate) fn probability(&self, vertex: VertexId) -> f64 {
        match self {
            Self::Uniform(probability) => *probability,
            Self::To(probabilities) => probabilities[vertex as usize].load(),
        }
    }
}

impl<F: AtomicFloat> Walk<F> {
    fn start(engine: &Engine<'_>, degrees: VertexValues<u32>, parameters: &Parameters<'_>) -> Result<Self> {
        let count = engine.vertices() as usize;
        let values = |value: f64| VertexValues::new(engine.budget(), Purpose::VertexValues, count, |_| F::new(value));
        let uniform = 1.0 / f64::from(engine.vertices().max(1));
        let jump = Jump::new(engine.budget(), engine.vertices(), parameters.personalization)?;
        let mut walk =
            Self { alpha: parameters.alpha, degrees, share: values(0.0)?, next: values(uniform)?, dangling: 0.0, jump };
        walk.hand_out(engine);
        Ok(walk)
    }

    /// One iteration; the sum of absolute changes.
    fn step(&mut self, engine: &Engine<'_>) -> Result<f64> {
        engine.gather(self)?;
        Ok(self.hand_out(engine))
    }

    /// Turns the ranks in `next` into shares, in one pass; the sum of absolute changes to the ranks before.
    fn hand_out(&mut self, engine: &Engine<'_>) -> f64 {
        let blocks = engine.workers().map_zipped(&mut self.share, &mut self.next, &self.degrees, hand_out_block);
        let (change, dangling) = blocks.into_iter().fold((0.0, 0.0), |sum, block| (sum.0 + block.0, sum.1 + block.1));
        self.dangling = dangling;
        change
    }
}

/// Of some vertices: turns ranks into shares; the sum of absolute changes, and the ranks of vertices without out-edges.
fn hand_out_block<F: AtomicFloat>(shares: &mut [F], ranks: &mut [F], degrees: &[u32]) -> (f64, f64) {
    let (mut change, mut dangling) = (0.0, 0.0);
    for ((share, rank), degree) in shares.iter_mut().zip(ranks).zip(degrees) {
        let (rank, links) = (rank.get(), f64::from((*degree).max(1)));
        change += (rank - share.get() * links).abs();
        dangling += if *degree == 0 { rank } else { 0.0 };
        share.set(rank / links);
    }
    (change, dangling)
}

/// Weights as probabilities.
fn probabilities<F: AtomicFloat>(probabilities: VertexValues<F>, weights: &[(VertexId, f64)]) -> VertexValues<F> {
    let total: f64 = weights.iter().map(|(_, weight)| weight).sum();
    for (vertex, weight) in weights {
        let probability = &probabilities[*vertex as usize];
        probability.store(probability.load() + weight / total);
    }
    probabilities
}

impl<F: AtomicFloat> Gather for Walk<F> {
    type Sum = f64;

    fn begin(&self, _: VertexId) -> f64 {
        0.0
    }

    /// Each piece is summed by itself: in a long list, equal terms would otherwise all be rounded to the same side.
    #[inline]
    fn gather(&self, sum: &mut f64, piece: Neighbours<'_>) {
        *sum += sum_in_lanes(piece.ids(), |_, source| self.share[source as usize].load());
    }

    #[inline]
    fn apply(&self, vertex: VertexId, sum: f64) {
        let jumps = (1.0 - self.alpha) + self.alpha * self.dangling;
        self.next[vertex as usize].store(jumps * self.jump.probability(vertex) + self.alpha * sum);
    }
}
