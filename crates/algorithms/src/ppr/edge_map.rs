//! Personalized PageRank of one source, by forward push.
//!
//! Definition: as in `pagerank/edge_map.rs`, with all jumps leading to the source, those from vertices without
//! out-edges included. Paper: Andersen, Chung and Lang, Local Graph Partitioning using PageRank Vectors, FOCS 2006;
//! with thresholds that fall, as in Wu, Gan, Wei and Zhang, Unifying the Global and Local Approaches: An Efficient
//! Power Iteration with Forward Push, SIGMOD 2021. The probability that arrives at a vertex and was not dealt with is
//! its residual. A vertex is active while its residual is more than `threshold * max(out-degree, 1)`. In each round all
//! active vertices keep 1 - alpha of their residuals and push the rest to their out-neighbors. Without an active
//! vertex, the threshold falls to 1/8 of the largest residual per out-edge. The run ends when all residuals together
//! are below `tol` times the highest rank: no rank lacks more than that sum, whatever the degrees and weights. Returns:
//! `pagerank` (f64 or f32), what each vertex has kept; 0 where nothing arrived. It is never more than the exact rank,
//! and what is missing from a sum of 1 is the sum of all errors. Memory: 20 bytes a vertex and a value (28 bytes; 24
//! with single precision), frontiers, and the index of the out-lists. Passes over the edges: the out-lists of active
//! vertices once a round. High thresholds reach only vertices near the source; where probability spreads over the whole
//! graph, the last rounds are passes over most lists. A round looks at no other vertices while few are active, but for
//! each fall of the threshold. Deviations: residuals are whole multiples of 2^-62, and what does not divide among
//! out-neighbors is kept: the answer does not depend on threads, order or layout, but for the rounding of what is kept
//! with single precision. Repeated edges count as often as they are stored, loops once. By weight: an out-edge gets its
//! part of the sum of the weights of all out-edges; a vertex where that sum is 0 is as one without out-edges. The sums
//! of active vertices are computed from their lists, which are read once more for that (8 bytes a vertex more, and a
//! set). Parts are rounded in double precision and then down to a multiple of 2^-62. What an edge loses is in no
//! residual, but counts as missing; the answer depends on order and layout no more than that.

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

/// Vertices that a thread takes at once.
const BLOCK: u32 = 1 << 13;
/// Factor by which the threshold falls below the largest residual per out-edge.
const FALL: i64 = 8;

/// The parameters of a run.
#[derive(Clone, Copy, Debug)]
pub struct PprParams {
    /// Vertex where the walk starts and jumps lead.
    pub source: VertexId,
    /// The probability of following an edge.
    pub alpha: f64,
    /// The sum of all errors, as a fraction of the highest rank, below which the run ends.
    pub tolerance: f64,
    /// Maximum number of rounds.
    pub at_most: u32,
}

/// Memory over `vertices` vertices with values of `F`, the out-degrees and sums of weights included, but for the index.
pub fn memory<F: AtomicFloat>(vertices: u32, weighted: bool) -> MemoryPlan {
    let values =
        VertexValues::<F>::bytes(u64::from(vertices)) + 2 * VertexValues::<Fixed62>::bytes(u64::from(vertices));
    let plan = MemoryPlan::new()
        .with(Purpose::VertexValues, values)
        .with(Purpose::Degrees, VertexValues::<u32>::bytes(u64::from(vertices)));
    match weighted {
        false => plan,
        // Besides, a set of vertices whose sums are to be found.
        true => plan
            .with(Purpose::VertexValues, VertexValues::<f64>::bytes(u64::from(vertices)))
            .with(Purpose::Frontier, VertexSet::bytes(vertices)),
    }
}

/// Pushes until the tolerance is reached; `as_values` wraps the ranks.
///
/// # Errors
/// A failed or damaged read, a budget that is too small, interruption.
pub fn ppr<F: AtomicFloat>(
    engine: &Engine<'_>,
    out_degrees: VertexValues<u32>,
    parameters: &PprParams,
    as_values: impl Fn(VertexValues<F::Plain>) -> Values,
) -> Result<Outcome> {
    let refuse = |_| Error::internal("an ignored weight was refused");
    push::<F, _>(engine, (out_degrees, Alike), parameters, as_values, &refuse)
}

/// Pushes along edges by weight.
///
/// # Errors
/// As for [`ppr`]; what `refuse` makes of an edge with a weight that must not be, of an active vertex.
pub fn by_weight<F: AtomicFloat>(
    engine: &Engine<'_>,
    out_degrees: VertexValues<u32>,
    parameters: &PprParams,
    as_values: impl Fn(VertexValues<F::Plain>) -> Values,
    refuse: impl Fn(RefusedEdge) -> Error,
) -> Result<Outcome> {
    let _held = engine.budget().reserve(VertexSet::bytes(engine.vertices()), Purpose::Frontier)?;
    push::<F, _>(engine, (out_degrees, Sums::unknown(engine)?), parameters, as_values, &refuse)
}

fn push<F: AtomicFloat, E: Shares>(
    engine: &Engine<'_>,
    edges: (VertexValues<u32>, E),
    parameters: &PprParams,
    as_values: impl Fn(VertexValues<F::Plain>) -> Values,
    refuse: &dyn Fn(RefusedEdge) -> Error,
) -> Result<Outcome> {
    let mut state = Push::<F, E>::start(engine, edges, parameters)?;
    let (source, tolerance) = (parameters.source, parameters.tolerance);
    let mut frontier = VertexSet::from_members(vec![source], engine.vertices());
    let mut iterations = 0;
    engine.ends(RunEnd::Iterations { most: parameters.at_most, tolerance: Some(tolerance) });
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
            // Only what rounding has lost is missing.
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

/// Division of what a vertex pushes among its out-edges.
trait Shares: Sync {
    /// Computes what is not known yet of these vertices; fails with what `refuse` makes of an edge that must not be.
    fn know(&self, engine: &Engine<'_>, vertices: &VertexSet, refuse: &dyn Fn(RefusedEdge) -> Error) -> Result<()>;

    /// The share of an edge or of a unit of weight of an `amount` that `vertex` pushes, and the part of it that is
    /// pushed; `None` where it follows no edge.
    fn split(&self, vertex: VertexId, degree: u32, amount: i64) -> Option<(i64, i64)>;

    /// Amount that goes along an edge, of such a share.
    fn along(share: i64, weight: f64) -> i64;
}

/// Edges that all count the same; what does not divide among them is kept.
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

/// Edges that count by weight, with the sums of the weights of out-edges.
struct Sums {
    /// NaN where it is not known.
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

/// The ranks so far.
struct Push<F, E> {
    alpha: f64,
    source: VertexId,
    degrees: VertexValues<u32>,
    shares: E,
    kept: VertexValues<F>,
    residual: VertexValues<Fixed62>,
    /// Amount that each vertex of the frontier pushes along each out-edge, or for each unit of weight.
    share: VertexValues<Fixed62>,
    /// Residual per out-edge above which a vertex is active.
    threshold: i64,
    /// Amount that no vertex has kept.
    missing: i64,
    /// The highest rank.
    highest: f64,
}

/// Effect of some vertices that have settled their residuals.
#[derive(Default)]
struct Settled {
    kept: i64,
    /// Amount that vertices without out-edges push back to the source.
    back: i64,
    highest: f64,
}

impl<F: AtomicFloat, E: Shares> Push<F, E> {
    fn start(engine: &Engine<'_>, (degrees, shares): (VertexValues<u32>, E), parameters: &PprParams) -> Result<Self> {
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

    /// Residual above which `vertex` is active.
    #[inline]
    fn bound(&self, vertex: VertexId) -> i64 {
        self.threshold.saturating_mul(i64::from(self.degrees[vertex as usize].max(1)))
    }

    #[inline]
    fn is_active(&self, vertex: VertexId) -> bool {
        self.residual[vertex as usize].get() > self.bound(vertex)
    }

    /// Lowers the threshold so that some vertices become active: these, or none where no residual is left.
    fn lower_threshold(&mut self, engine: &Engine<'_>) -> VertexSet {
        let steepness =
            |vertex: VertexId| self.residual[vertex as usize].get() / i64::from(self.degrees[vertex as usize].max(1));
        let of_block = |block: VertexRange| block.iter().map(steepness).fold(0, i64::max);
        let steepest = engine.workers().map_blocks(engine.vertices(), BLOCK, of_block).into_iter().fold(0, i64::max);
        self.threshold = steepest / FALL;
        engine.vertex_filter(&VertexSet::all(engine.vertices()), |vertex| self.is_active(vertex))
    }

    /// Each vertex of `frontier` splits its residual into what it keeps and what it pushes; the amount that goes back
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
    /// A vertex becomes active by the edge that lifts it above its bound: sums only grow within a round, so one does in
    /// any order.
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
