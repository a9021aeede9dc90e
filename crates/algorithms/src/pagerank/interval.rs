//! PageRank, interval by interval.
//!
//! Definition: as in `../pagerank.rs`, which this agrees with to about 1e-12 of each rank (with single precision to the roundings that
//! are stated there): dangling vertices, personalisation and stop rule are the same.
//! Paper: Page, Brin, Motwani and Winograd, Stanford 1999, as a vertex-centric program of LOSC (Xu, Wang, Jiang et al., JPDC 172, 2023,
//! section 3). Stops when the sum of absolute changes falls below the tolerance, or after a fixed number of iterations.
//! Returns: `pagerank` (f64 or f32), never null.
//! Memory: two values a vertex (16 bytes; 8 with single precision), in memory with the out-degree (4 bytes), on disk with nothing that
//! grows with the graph but what the engine constructs of an interval. Passes over the edges: one an iteration. On disk, an iteration
//! reads all shares once for each interval, and reads and writes all shares and ranks once.
//! Deviations: ranks are replaced all at once (Jacobi), not interval by interval, so that the iterations are those of power iteration and
//! do not depend on memory. The share of a vertex's rank that goes along each of its edges is what neighbours read, in place of rank and
//! degree. With values on disk, lists are summed window by window, which rounds otherwise than in memory.

use super::edge_map::Parameters;
use crate::models::interval::{Place, Real, Work};
use crate::outcome::{Column, Convergence, Outcome};
use outcrop_engine::interval::{Demand, IntervalEngine, IntervalGather, IntervalValues, Sources};
use outcrop_types::{Direction, Result, VertexId};
use std::marker::PhantomData;

/// What it takes with values of `F`.
pub const fn work<F: Real>(place: Place) -> Work {
    let demand = Demand { degrees: true, ..place.folding(Direction::In, F::BYTES, size_of::<f64>() as u64) };
    Work { demand, value_bytes: 2 * F::BYTES }
}

/// Iterates. The vertices of a personalisation ascend; one may be named several times.
///
/// # Errors
/// A failed or damaged read, a budget that is too small, a full disk, interruption.
pub fn pagerank<F: Real>(engine: &IntervalEngine<'_>, parameters: &Parameters<'_>) -> Result<Outcome> {
    let (residence, vertices) = (engine.residence(), engine.vertices());
    let mut shares = IntervalValues::new(&residence, vertices, |_| F::of(0.0))?;
    let mut ranks = IntervalValues::new(&residence, vertices, |_| F::of(1.0 / f64::from(vertices.max(1))))?;
    let [_, mut dangling] = engine.pass(&mut shares, &mut ranks, hand_out)?;
    let (most, tolerance) = parameters.stop.limits();
    let (mut iterations, mut change) = (0, f64::INFINITY);
    while iterations < most && tolerance.is_none_or(|tolerance| change >= tolerance) {
        let walk = Walk::<F>::new(vertices, parameters, dangling);
        engine.gather(&walk, Direction::In, &shares, &mut ranks)?;
        [change, dangling] = engine.pass(&mut shares, &mut ranks, hand_out)?;
        iterations = engine.end_iteration(Some(change));
    }
    drop(shares);
    Ok(Outcome {
        convergence: tolerance.map(|tolerance| Convergence { change, tolerance }),
        ..Outcome::new(vec![Column::new("pagerank", F::values(ranks.into_storage()))], iterations)
    })
}

/// Turns a rank into the share that each out-neighbour gets, or all of it where there is none; how much the rank has changed, and what
/// of it goes along no edge.
fn hand_out<F: Real>(_: VertexId, share: &mut F, rank: &mut F, degree: u32) -> [f64; 2] {
    let (now, links) = (rank.get(), f64::from(degree.max(1)));
    let change = (now - share.get() * links).abs();
    *share = F::of(now / links);
    [change, if degree == 0 { now } else { 0.0 }]
}

/// An iteration.
struct Walk<'p, F> {
    alpha: f64,
    /// The probability of a jump.
    jumps: f64,
    jump: Jump<'p>,
    values: PhantomData<fn() -> F>,
}

/// Where jumps lead.
#[derive(Debug)]
pub(crate) enum Jump<'p> {
    /// To each vertex with this probability.
    Uniform(f64),
    /// To these vertices, ascending, by their weights, which sum to a number.
    To(&'p [(VertexId, f64)], f64),
}

impl<'p, F> Walk<'p, F> {
    fn new(vertices: u32, parameters: &Parameters<'p>, dangling: f64) -> Self {
        let (alpha, jump) = (parameters.alpha, Jump::new(vertices, parameters.personalization));
        Self { alpha, jumps: (1.0 - alpha) + alpha * dangling, jump, values: PhantomData }
    }
}

impl<'p> Jump<'p> {
    /// As `personalization` says, or to all vertices alike.
    pub(crate) fn new(vertices: u32, personalization: Option<&'p [(VertexId, f64)]>) -> Self {
        match personalization {
            None => Self::Uniform(1.0 / f64::from(vertices.max(1))),
            Some(weights) => Self::To(weights, weights.iter().map(|(_, weight)| weight).sum()),
        }
    }

    #[inline]
    pub(crate) fn probability(&self, vertex: VertexId) -> f64 {
        match self {
            Self::Uniform(probability) => *probability,
            Self::To(weights, total) => {
                let named = weights.get(weights.partition_point(|(known, _)| *known < vertex)..).unwrap_or_default();
                named.iter().take_while(|(known, _)| *known == vertex).map(|(_, weight)| weight / total).sum()
            }
        }
    }
}

impl<F: Real> IntervalGather for Walk<'_, F> {
    type Source = F;
    type Target = F;
    type Sum = f64;

    fn looks_at_targets(&self) -> bool {
        false
    }

    fn begin(&self, _: VertexId) -> f64 {
        0.0
    }

    #[inline]
    fn gather(&self, sum: &mut f64, sources: &Sources<'_, F>) {
        *sum += sources.sum(F::get);
    }

    #[inline]
    fn apply(&self, vertex: VertexId, _: F, sum: f64) -> F {
        F::of(self.jumps * self.jump.probability(vertex) + self.alpha * sum)
    }
}
