//! Personalized PageRank of one source, by forward push.
//!
//! Definition: as in `pagerank/edge_map.rs`, with all jumps leading to the source, including those from vertices
//! without out-edges.
//!
//! Paper: Andersen, Chung and Lang, Local Graph Partitioning using PageRank Vectors, FOCS 2006; with decreasing
//! thresholds, as in Wu, Gan, Wei and Zhang, Unifying the Global and Local Approaches: An Efficient Power Iteration
//! with Forward Push, SIGMOD
//! 2021. The residual of a vertex is the probability that arrived and was not processed yet. A vertex is active while
//!       its residual exceeds `threshold * max(out-degree, 1)`. In each round all active vertices keep 1 - alpha of
//!       their residuals and push the rest to their out-neighbors. Without an active vertex, the threshold falls to 1/8
//!       of the largest residual per out-edge. The run ends when the sum of all residuals is less than `tol` times the
//!       highest rank: no rank lacks more than that sum, whatever the degrees and weights.
//!
//! Returns: `pagerank` (f64 or f32), the kept probability of each vertex; 0 if nothing arrived. It never exceeds the
//! exact rank, and the sum of all errors is the difference to a sum of 1.
//!
//! Memory: 20 bytes per vertex and a value (28 bytes; 24 with single precision), frontiers, and the index of the
//! out-lists.
//!
//! Passes over the edges: the out-lists of active vertices once per round. High thresholds only reach vertices near the
//! source; if probability spreads over the whole graph, the last rounds are passes over most lists. While few vertices
//! are active, a round accesses no others, except when the threshold falls.
//!
//! Deviations: residuals are integer multiples of 2^-62, and an indivisible remainder is kept: the result does not
//! depend on threads, order or layout, except for the rounding of kept values with single precision. Duplicate edges
//! count with their multiplicity, loops once. With weights, an out-edge gets its share of the sum of the weights of all
//! out-edges; a vertex with a sum of 0 is like one without out-edges. The sums of active vertices are computed from
//! their lists, which are read once more for that (8 more bytes per vertex, and a set). Shares are rounded in double
//! precision and then down to a multiple of 2^-62. The loss of an edge is in no residual, but counts as missing; the
//! result depends on order and layout no more than that.

use crate::AtomicFloat;
use crate::outcome::{Column, Convergence, Outcome, Values};
use crate::probability::fixed62::{Fixed62, ONE, part_of, probability_of};
use crate::probability::out_weights::{OutEdges, SumWeights};
use crate::weights::{Refused, RefusedEdge};
use outcrop_engine::{EdgeMap, EdgeMapOutput, Engine};
use outcrop_types::{
    Direction, Error, MemoryPlan, Purpose, Result, RunEnd, VertexId, VertexRange, VertexSet, VertexValues,
};
use std::sync::atomic::AtomicU64;

/// Number of vertices per unit of work of a thread.
const BLOCK: u32 = 1 << 13;
/// Factor by which the threshold falls below the largest residual per out-edge.
const FALL: i64 = 8;

/// Parameters of a run.
#[derive(Clone, Copy, Debug)]
pub struct PprParams {
    /// Vertex where the walk starts and jumps lead.
    pub source: VertexId,
    /// Probability of following an edge.
    pub alpha: f64,
    /// The sum of all errors, as a fraction of the highest rank, below which the run ends.
    pub tolerance: f64,
    /// Maximum number of rounds.
    pub at_most: u32,
}

/// Returns the memory for `vertices` vertices with values of `F`, including the out-degrees and sums of weights but
/// without the index.
pub fn memory<F: AtomicFloat>(vertices: u32, weighted: bool) -> MemoryPlan {
    let values =
        VertexValues::<F>::bytes(u64::from(vertices)) + 2 * VertexValues::<Fixed62>::bytes(u64::from(vertices));
    let plan = MemoryPlan::new()
        .with(Purpose::VertexValues, values)
        .with(Purpose::Degrees, VertexValues::<u32>::bytes(u64::from(vertices)));
    match weighted {
        false => plan,
        // Plus a set of vertices whose sums are unknown.
        true => plan
            .with(Purpose::VertexValues, VertexValues::<f64>::bytes(u64::from(vertices)))
            .with(Purpose::Frontier, VertexSet::bytes(vertices)),
    }
}

/// Pushes until the tolerance is reached; `as_values` wraps the ranks.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, or if the run is interrupted.
pub fn ppr<F: AtomicFloat>(
    engine: &Engine<'_>,
    out_degrees: VertexValues<u32>,
    parameters: &PprParams,
    as_values: impl Fn(VertexValues<F::Plain>) -> Values,
) -> Result<Outcome> {
    let refuse = |_| Error::internal("an ignored weight was refused");
    push::<F, _>(engine, out_degrees, Alike, parameters, as_values, &refuse)
}

/// Pushes along weighted edges.
///
/// # Errors
///
/// Returns an error under the same conditions as [`ppr`], or the error that `refuse` creates from an edge of an active
/// vertex with an invalid weight.
pub fn by_weight<F: AtomicFloat>(
    engine: &Engine<'_>,
    out_degrees: VertexValues<u32>,
    parameters: &PprParams,
    as_values: impl Fn(VertexValues<F::Plain>) -> Values,
    refuse: impl Fn(RefusedEdge) -> Error,
) -> Result<Outcome> {
    let _held = engine.budget().reserve(VertexSet::bytes(engine.vertices()), Purpose::Frontier)?;
    push::<F, _>(engine, out_degrees, Sums::unknown(engine)?, parameters, as_values, &refuse)
}

fn push<F: AtomicFloat, E: Shares>(
    engine: &Engine<'_>,
    degrees: VertexValues<u32>,
    shares: E,
    parameters: &PprParams,
    as_values: impl Fn(VertexValues<F::Plain>) -> Values,
    refuse: &dyn Fn(RefusedEdge) -> Error,
) -> Result<Outcome> {
    let mut state = Push::<F, E>::start(engine, degrees, shares, parameters)?;
    let (source, tolerance) = (parameters.source, parameters.tolerance);
    let mut frontier = VertexSet::from_members(vec![source], engine.vertices());
    let mut iterations = 0;
    engine.set_end(RunEnd::Iterations { most: parameters.at_most, tolerance: Some(tolerance) });
    while iterations < parameters.at_most && state.error() >= tolerance {
        engine.checkpoint("push", |saved| {
            saved.number(&mut iterations)?;
            saved.number(&mut state.threshold)?;
            saved.number(&mut state.missing)?;
            saved.number(&mut state.highest)?;
            saved.frontier(&mut frontier)?;
            saved.shared(&state.kept)?;
            saved.shared(&state.residual)
        })?;
        if frontier.is_empty() {
            frontier = state.lower_threshold(engine);
        }
        if frontier.is_empty() {
            // Only the loss by rounding is missing.
            break;
        }
        state.shares.know(engine, &frontier, refuse)?;
        let back = state.settle(engine, &frontier);
        frontier = engine.edge_map(&frontier, &state, EdgeMapOutput::Frontier)?;
        state.residual[source as usize].add(back);
        if back > 0 && state.is_active(source) && !frontier.contains(source) {
            frontier = frontier.union(VertexSet::from_members(vec![source], engine.vertices()));
        }
        iterations = engine.end_iteration(Some(state.error()));
    }
    let convergence = Some(Convergence { change: state.error(), tolerance });
    let values = as_values(state.kept.map(F::into_plain));
    Ok(Outcome { convergence, ..Outcome::new(vec![Column::new("pagerank", values)], iterations) })
}

/// Division of pushed amounts among out-edges.
trait Shares: Sync {
    /// Computes missing data of these vertices.
    ///
    /// # Errors
    ///
    /// Returns the error that `refuse` creates from an invalid edge.
    fn know(&self, engine: &Engine<'_>, vertices: &VertexSet, refuse: &dyn Fn(RefusedEdge) -> Error) -> Result<()>;

    /// Returns the share per edge or unit of weight of an `amount` that `vertex` pushes, and the pushed part of it;
    /// `None` if it follows no edge.
    fn split(&self, vertex: VertexId, degree: u32, amount: i64) -> Option<(i64, i64)>;

    /// Returns the amount along an edge, given the share.
    fn along(share: i64, weight: f64) -> i64;
}

/// Edges of equal weight; an indivisible remainder is kept.
struct Alike;

impl Shares for Alike {
    fn know(&self, _: &Engine<'_>, _: &VertexSet, _: &dyn Fn(RefusedEdge) -> Error) -> Result<()> {
        Ok(())
    }

    #[inline]
    fn split(&self, _: VertexId, degree: u32, amount: i64) -> Option<(i64, i64)> {
        (degree > 0).then(|| (degree.share(amount), amount - amount % i64::from(degree)))
    }

    #[inline]
    fn along(share: i64, weight: f64) -> i64 {
        <u32 as OutEdges>::along(share, weight)
    }
}

/// Weighted edges, with the sums of the weights of out-edges.
struct Sums {
    /// Sums; NaN if unknown.
    sums: VertexValues<AtomicU64>,
    refused: Refused,
}

impl Sums {
    fn unknown(engine: &Engine<'_>) -> Result<Self> {
        let sums = engine.vertex_values(|_| AtomicFloat::new(f64::NAN))?;
        Ok(Self { sums, refused: Refused::new() })
    }

    #[inline]
    fn of(&self, vertex: VertexId) -> f64 {
        AtomicFloat::load(&self.sums[vertex as usize])
    }
}

impl Shares for Sums {
    fn know(&self, engine: &Engine<'_>, vertices: &VertexSet, refuse: &dyn Fn(RefusedEdge) -> Error) -> Result<()> {
        let unknown = engine.vertex_filter(vertices, |vertex| self.of(vertex).is_nan());
        if !unknown.is_empty() {
            let program = SumWeights { sums: &self.sums, refused: &self.refused };
            engine.gather_over(&unknown, Direction::Out, &program)?;
        }
        self.refused.check(refuse)
    }

    #[inline]
    fn split(&self, vertex: VertexId, _: u32, amount: i64) -> Option<(i64, i64)> {
        let sum = self.of(vertex);
        (!sum.is_none()).then(|| (sum.share(amount), amount))
    }

    #[inline]
    fn along(share: i64, weight: f64) -> i64 {
        <f64 as OutEdges>::along(share, weight)
    }
}

/// State of the push.
struct Push<F, E> {
    alpha: f64,
    source: VertexId,
    degrees: VertexValues<u32>,
    shares: E,
    kept: VertexValues<F>,
    residual: VertexValues<Fixed62>,
    /// Amount that each vertex of the frontier pushes along each out-edge, or per unit of weight.
    share: VertexValues<Fixed62>,
    /// Residual per out-edge above which a vertex is active.
    threshold: i64,
    /// Amount that no vertex has kept.
    missing: i64,
    /// Highest rank.
    highest: f64,
}

/// Effect of settling the residuals of some vertices.
#[derive(Default)]
struct Settled {
    kept: i64,
    /// Amount that vertices without out-edges push back to the source.
    back: i64,
    highest: f64,
}

impl<F: AtomicFloat, E: Shares> Push<F, E> {
    fn start(engine: &Engine<'_>, degrees: VertexValues<u32>, shares: E, parameters: &PprParams) -> Result<Self> {
        let kept = engine.vertex_values(|_| F::new(0.0))?;
        let (residual, share) = (Fixed62::zeroes(engine)?, Fixed62::zeroes(engine)?);
        let (source, alpha) = (parameters.source, parameters.alpha);
        residual[source as usize].set(ONE);
        let threshold = ONE / i64::from(degrees[source as usize].max(1)) / FALL;
        Ok(Self { alpha, source, degrees, shares, kept, residual, share, threshold, missing: ONE, highest: 0.0 })
    }

    /// Returns the missing rank mass as a fraction of the highest rank.
    fn error(&self) -> f64 {
        if self.missing <= 0 { 0.0 } else { probability_of(self.missing) / self.highest }
    }

    /// Returns the residual above which `vertex` is active.
    #[inline]
    fn bound(&self, vertex: VertexId) -> i64 {
        self.threshold.saturating_mul(i64::from(self.degrees[vertex as usize].max(1)))
    }

    #[inline]
    fn is_active(&self, vertex: VertexId) -> bool {
        self.residual[vertex as usize].get() > self.bound(vertex)
    }

    /// Lowers the threshold so that some vertices become active; returns these, or none if no residual is left.
    fn lower_threshold(&mut self, engine: &Engine<'_>) -> VertexSet {
        let steepness =
            |vertex: VertexId| self.residual[vertex as usize].get() / i64::from(self.degrees[vertex as usize].max(1));
        let of_block = |block: VertexRange| block.iter().map(steepness).fold(0, i64::max);
        let steepest = engine.workers().map_blocks(engine.vertices(), BLOCK, of_block).into_iter().fold(0, i64::max);
        self.threshold = steepest / FALL;
        engine.vertex_filter(&VertexSet::all(engine.vertices()), |vertex| self.is_active(vertex))
    }

    /// Splits the residual of each vertex of `frontier` into a kept and a pushed part; returns the amount pushed back
    /// to the source.
    fn settle(&mut self, engine: &Engine<'_>, frontier: &VertexSet) -> i64 {
        let of_block = |positions: VertexRange| {
            let mut settled = Settled::default();
            frontier.for_each_in(positions, |vertex| self.settle_one(vertex, &mut settled));
            settled
        };
        let mut back = 0;
        for settled in engine.workers().map_blocks(frontier.positions(), BLOCK, of_block) {
            self.missing = self.missing.wrapping_sub(settled.kept);
            self.highest = self.highest.max(settled.highest);
            back = settled.back.wrapping_add(back);
        }
        back
    }

    fn settle_one(&self, vertex: VertexId, settled: &mut Settled) {
        let at = vertex as usize;
        let residual = self.residual[at].get();
        self.residual[at].set(0);
        // An alpha of almost 1 could round up.
        let amount = part_of(residual, self.alpha).min(residual);
        let pushed = match self.shares.split(vertex, self.degrees[at], amount) {
            // A walk that jumps from the source to the source stays there.
            None if vertex == self.source => 0,
            None => {
                settled.back = settled.back.wrapping_add(amount);
                amount
            }
            Some((share, pushed)) => {
                self.share[at].set(share);
                pushed
            }
        };
        let rank = self.kept[at].load() + probability_of(residual - pushed);
        self.kept[at].store(rank);
        settled.kept = settled.kept.wrapping_add(residual - pushed);
        settled.highest = settled.highest.max(rank);
    }
}

impl<F: AtomicFloat, E: Shares> EdgeMap for Push<F, E> {
    /// Returns true for the edge that lifts the target above its bound: sums only grow within a round, so exactly one
    /// edge does.
    #[inline]
    fn update_atomic(&self, source: VertexId, target: VertexId, weight: f64) -> bool {
        let share = E::along(self.share[source as usize].get(), weight);
        let before = self.residual[target as usize].add(share);
        let bound = self.bound(target);
        before <= bound && before.saturating_add(share) > bound
    }

    #[inline]
    fn settled(&self, _: VertexId) -> bool {
        false
    }
}
