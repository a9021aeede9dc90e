//! Centralities by distance from estimated sizes of balls.
//!
//! Definition: the ball of radius t around v is the set of vertices u with d(u, v) <= t, of size b(t). The sum of the
//! distances to v is the sum over t >= 1 of t (b(t) - b(t - 1)); with 1 / t instead of t, it is the harmonic
//! centrality; the number of vertices that reach v is the last b(t).
//!
//! Paper: HyperBall (Boldi and Vigna, "In-Core Computation of Geometric Centralities with HyperBall", ICDMW 2013): a
//! counter per vertex, united with the counters of its in-neighbors until none changes.
//!
//! Returns: `closeness` or `harmonic` (f64), never null. The relative standard error of a ball is 1.04 divided by the
//! square root of the number of registers; that of a harmonic centrality, which is a sum of multiples of balls, is at
//! most as large.
//!
//! Memory: two counters, of 1 byte per register, and a sum (8 bytes) per vertex; frontiers, both indexes, ranks.
//!
//! Passes over the edges: the lists of a vertex once for each radius at which its counter changes.
//!
//! Deviations: balls grow only from vertices whose counters changed. Counters hash ranks among the original IDs; the
//! result does not depend on threads, order or layout. Duplicate edges and loops make no difference.

use super::counters::{Counters, unite};
use super::measure::{Measure, Reached};
use crate::outcome::Outcome;
use crate::search::levels::{LevelSearch, by_levels};
use crate::{AtomicFloat, IdOrder};
use outcrop_engine::{EdgeMap, Engine};
use outcrop_types::{MemoryPlan, Purpose, Result, VertexId, VertexSet, VertexValues};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Returns the memory for `vertices` vertices, without the indexes.
pub(super) fn memory(vertices: u32, counters: Counters) -> MemoryPlan {
    let words = 2 * counters.words() as u64 + 1;
    MemoryPlan::new().with(Purpose::VertexValues, words * VertexValues::<u64>::bytes(u64::from(vertices)))
}

/// Computes the centrality `measure` from counters.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, or if the run is interrupted.
pub(super) fn by_balls(
    engine: &Engine<'_>,
    ranks: IdOrder<'_>,
    counters: Counters,
    measure: Measure,
) -> Result<Outcome> {
    let words = counters.words();
    let singletons = || {
        let word = |at: usize| AtomicU64::new(counters.word_of(ranks.of((at / words) as VertexId), at % words));
        VertexValues::new(engine.budget(), Purpose::VertexValues, engine.vertices() as usize * words, word)
    };
    let sums = engine.vertex_values(|_| AtomicFloat::new(0.0))?;
    let (before, now) = (singletons()?, singletons()?);
    let mut balls = Balls { counters, before, now, sums, measure, distance: 0, iterations: 0 };
    by_levels(engine, &mut balls, VertexSet::all(engine.vertices()).into())?;
    let Balls { now, sums, iterations, .. } = balls;
    measure.outcome(engine, sums, iterations, |vertex| {
        let all = if measure.counts() { counters.estimate(of(&now, vertex, words)) } else { 0.0 };
        Reached { count: all - counters.estimate_of(ranks.of(vertex)), weight: 1.0 }
    })
}

/// Returns the counter of `vertex`.
#[inline]
fn of(all: &[AtomicU64], vertex: VertexId, words: usize) -> &[AtomicU64] {
    &all[vertex as usize * words..][..words]
}

/// Balls around all vertices.
struct Balls {
    counters: Counters,
    /// Balls of the previous radius.
    before: VertexValues<AtomicU64>,
    now: VertexValues<AtomicU64>,
    /// Sum of the terms of the estimated vertices.
    sums: VertexValues<AtomicU64>,
    measure: Measure,
    /// Radius.
    distance: u32,
    iterations: u32,
}

impl LevelSearch for Balls {
    fn begin_level(&mut self, distance: u32) -> Result<()> {
        self.distance = distance;
        Ok(())
    }

    fn checkpoint(&mut self, engine: &Engine<'_>, depth: &mut u32, farthest: &mut VertexSet) -> Result<()> {
        engine.checkpoint("balls", |state| {
            state.number(depth)?;
            state.frontier(farthest)?;
            state.shared(&self.sums)?;
            state.shared(&self.now)?;
            // Between levels, both are the same.
            self.before.iter().zip(self.now.iter()).for_each(|(before, now)| before.store(now.load(Relaxed), Relaxed));
            Ok(())
        })
    }

    fn end_level(&mut self, engine: &Engine<'_>, found: &VertexSet) {
        let (words, term) = (self.counters.words(), self.measure.term(self.distance));
        engine.vertex_map(found, |vertex| {
            let (before, now) = (of(&self.before, vertex, words), of(&self.now, vertex, words));
            let more = self.counters.estimate(now) - self.counters.estimate(before);
            let sum: &AtomicU64 = &self.sums[vertex as usize];
            AtomicFloat::store(sum, AtomicFloat::load(sum) + term * more);
            before.iter().zip(now).for_each(|(before, now)| before.store(now.load(Relaxed), Relaxed));
        });
        self.iterations = engine.end_iteration(None);
    }
}

/// Adds the previous ball of the source to the ball of the target.
impl EdgeMap for Balls {
    #[inline]
    fn update_atomic(&self, source: VertexId, target: VertexId, _: f64) -> bool {
        let words = self.counters.words();
        unite(of(&self.now, target, words), of(&self.before, source, words))
    }
}
