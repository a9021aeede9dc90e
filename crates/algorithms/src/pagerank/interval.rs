//! PageRank, interval by interval.
//!
//! Definition: as in `edge_map.rs`, with agreement to about 1e-12 of each rank (with single precision to the roundings
//! stated there): dangling vertices, personalization and stop rule are the same.
//!
//! Paper: Page, Brin, Motwani and Winograd, Stanford 1999, as a vertex-centric program of LOSC (Xu, Wang, Jiang et al.,
//! JPDC 172, 2023, section 3). Stops when the sum of absolute changes falls below the tolerance, or after a fixed
//! number of iterations.
//!
//! Returns: `pagerank` (f64 or f32), never null.
//!
//! Memory: two values per vertex (16 bytes; 8 with single precision), in memory with the out-degree (4 bytes); on disk,
//! nothing else grows with the graph except the engine's data of an interval. With weights, the sum of the weights of
//! each vertex's out-edges instead of the out-degree (8 bytes; shares need 8 bytes); on disk, the data of an interval
//! includes the lists of both directions.
//!
//! Passes over the edges: one per iteration. On disk, an iteration reads all shares once per interval, and reads and
//! writes all shares and ranks once. With weights, one more pass over the out-lists before; on disk, an iteration also
//! reads the sums once.
//!
//! Deviations: ranks are replaced all at once (Jacobi), not interval by interval, so that the iterations are those of
//! power iteration and do not depend on memory. Neighbors read the share of a vertex's rank per edge, instead of rank
//! and degree. With values on disk, lists are summed window by window, which rounds differently than in memory.

use super::params::{PageRankParams, Teleport, outcome};
use crate::models::interval::{IntervalWork, Place, Real};
use crate::outcome::Outcome;
use crate::probability::out_weights::{OutEdges, WeightSum};
use crate::weights::{Refuse, Refused};
use outcrop_engine::VertexArray;
use outcrop_engine::interval::{Constructs, IntervalEngine, IntervalProgram, IntervalRequirements, Sources};
use outcrop_types::{Direction, Result, VertexId};
use std::marker::PhantomData;

/// Returns the needs of the program with values of `F`.
pub const fn work<F: Real>(place: Place) -> IntervalWork {
    let requirements =
        IntervalRequirements { degrees: true, ..place.folding(Direction::In, F::BYTES, size_of::<f64>() as u64) };
    IntervalWork { requirements, value_bytes: 2 * F::BYTES }
}

/// Returns the needs of the program with weights, which include the sums of weights and the out-lists.
pub const fn work_by_weight<F: Real>(place: Place) -> IntervalWork {
    let (constructs, sum_bytes) = match place.on_disk {
        true => (Constructs::Both, size_of::<WeightSum>()),
        false => (Constructs::Nothing, size_of::<f64>()),
    };
    let folding = place.folding(Direction::In, size_of::<f64>() as u64, sum_bytes as u64);
    let requirements = IntervalRequirements { constructs, weighted: true, third: true, ..folding };
    IntervalWork { requirements, value_bytes: F::BYTES + 2 * size_of::<f64>() as u64 }
}

/// Runs power iteration, with edge weights if `by_weight` is given. The vertices of a personalization ascend, possibly
/// with duplicates.
///
/// # Errors
///
/// Returns the error that `by_weight` creates from an edge with an invalid weight, or an error if a read fails or the
/// data is damaged, if the budget is too small, if the disk is full, or if the run is interrupted.
pub fn pagerank<F: Real>(
    engine: &IntervalEngine<'_>,
    parameters: &PageRankParams<'_>,
    by_weight: Option<Refuse<'_>>,
) -> Result<Outcome> {
    let Some(refuse) = by_weight else {
        let all = |shares: &mut _, ranks: &mut _| engine.vertex_map(shares, ranks, hand_out::<F, F, u32>);
        return iterate::<F, F, false>(engine, parameters, beginning(engine)?, all);
    };
    let (shares, ranks) = beginning::<f64, F>(engine)?;
    let (mut sums, refused) = (engine.values(|_| 0.0)?, Refused::new());
    if parameters.stop.limits().0 > 0 {
        engine.gather(&Sums { refused: &refused }, Direction::Out, &shares, &mut sums)?;
        refused.check(refuse)?;
    }
    let all = |shares: &mut _, ranks: &mut _| engine.vertex_map_with(shares, ranks, &sums, hand_out::<f64, F, f64>);
    iterate::<f64, F, true>(engine, parameters, (shares, ranks), all)
}

/// Initial shares of 0, and equal ranks. The share per unit of weight has double precision: that of a tiny weight may
/// be huge.
type Vectors<S, F> = (VertexArray<S>, VertexArray<F>);

fn beginning<S: Real, F: Real>(engine: &IntervalEngine<'_>) -> Result<Vectors<S, F>> {
    let vertices = engine.vertices();
    let shares = engine.values(|_| S::of(0.0))?;
    Ok((shares, engine.values(|_| F::of(1.0 / f64::from(vertices.max(1))))?))
}

/// Runs power iteration; `hand_out_all` calls [`hand_out`] for all vertices.
fn iterate<S: Real, F: Real, const WEIGHTED: bool>(
    engine: &IntervalEngine<'_>,
    parameters: &PageRankParams<'_>,
    (mut shares, mut ranks): Vectors<S, F>,
    hand_out_all: impl Fn(&mut VertexArray<S>, &mut VertexArray<F>) -> Result<[f64; 2]>,
) -> Result<Outcome> {
    let [_, mut dangling] = hand_out_all(&mut shares, &mut ranks)?;
    let (mut iterations, mut change) = (0, f64::INFINITY);
    engine.set_end(parameters.stop.end(0));
    while parameters.stop.should_continue(iterations, change) {
        engine.checkpoint("ranks", |state| {
            state.number(&mut iterations)?;
            state.number(&mut change)?;
            state.number(&mut dangling)?;
            state.array(&mut shares)
        })?;
        let iteration = Iteration::<S, F, WEIGHTED>::new(engine.vertices(), parameters, dangling);
        engine.gather(&iteration, Direction::In, &shares, &mut ranks)?;
        [change, dangling] = hand_out_all(&mut shares, &mut ranks)?;
        iterations = engine.end_iteration(Some(change));
    }
    drop(shares);
    Ok(outcome(F::values(ranks), iterations, parameters.stop.convergence(change)))
}

/// Converts a rank to the share per out-edge or unit of weight, or to the whole rank if there are none; returns the
/// change of the rank, and the mass that follows no edge.
fn hand_out<S: Real, F: Real, E: OutEdges>(_: VertexId, share: &mut S, rank: &mut F, edges: E) -> [f64; 2] {
    let (now, links) = (rank.get(), edges.divisor());
    let change = (now - share.get() * links).abs();
    *share = S::of(now / links);
    [change, if edges.is_none() { now } else { 0.0 }]
}

/// Fold that sums the weights of out-lists.
struct Sums<'r> {
    refused: &'r Refused,
}

impl IntervalProgram for Sums<'_> {
    /// Unused.
    type Source = f64;
    type Target = f64;
    type Sum = WeightSum;

    fn looks_at_targets(&self) -> bool {
        false
    }

    fn begin(&self, _: VertexId) -> WeightSum {
        WeightSum::new()
    }

    fn gather(&self, sum: &mut WeightSum, target: VertexId, _: f64, weight: f64) {
        sum.add(&[target], Some(&[weight]));
    }

    fn gather_list(&self, sum: &mut WeightSum, targets: &Sources<'_, f64>) {
        sum.add(targets.ids(), targets.weights());
    }

    fn apply(&self, source: VertexId, _: f64, sum: WeightSum) -> f64 {
        sum.of(source, self.refused)
    }
}

/// Program of one iteration.
struct Iteration<'p, S, F, const WEIGHTED: bool> {
    alpha: f64,
    /// Probability of a jump.
    jumps: f64,
    teleport: Teleport<'p>,
    values: PhantomData<fn(S) -> F>,
}

impl<'p, S, F, const WEIGHTED: bool> Iteration<'p, S, F, WEIGHTED> {
    fn new(vertices: u32, parameters: &PageRankParams<'p>, dangling: f64) -> Self {
        let (alpha, teleport) = (parameters.alpha, Teleport::new(vertices, parameters.personalization));
        Self { alpha, jumps: (1.0 - alpha) + alpha * dangling, teleport, values: PhantomData }
    }
}

impl<S: Real, F: Real, const WEIGHTED: bool> IntervalProgram for Iteration<'_, S, F, WEIGHTED> {
    type Source = S;
    type Target = F;
    type Sum = f64;

    fn looks_at_targets(&self) -> bool {
        false
    }

    fn begin(&self, _: VertexId) -> f64 {
        0.0
    }

    #[inline]
    fn gather(&self, sum: &mut f64, _: VertexId, share: S, weight: f64) {
        *sum += weight * share.get();
    }

    #[inline]
    fn gather_list(&self, sum: &mut f64, sources: &Sources<'_, S>) {
        *sum += if WEIGHTED { sources.weighted_sum(S::get) } else { sources.sum(S::get) };
    }

    #[inline]
    fn apply(&self, vertex: VertexId, _: F, sum: f64) -> F {
        F::of(self.jumps * self.teleport.probability(vertex) + self.alpha * sum)
    }
}
