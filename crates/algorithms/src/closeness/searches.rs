//! Centralities by distance from breadth-first searches.
//!
//! Definition: the sum over all vertices u other than v of d(u, v) or 1 / d(u, v), and the number of u that reach v.
//! With k of n vertices as sources, sums and numbers over the sources are multiplied by n / k.
//!
//! Papers: Eppstein and Wang, "Fast Approximation of Centrality", JGAA 2004; MS-BFS (Then et al., PVLDB 2014): a
//! breadth-first search from each source, 64 at once, with one bit per source.
//!
//! Returns: `closeness` or `harmonic` (f64), never null.
//!
//! Memory: 24 bytes per vertex, 28 for closeness; frontiers, both indexes.
//!
//! Passes over the edges per 64 sources: the lists of a vertex once for each distance at which a source newly reaches
//! it.
//!
//! Deviations: the sample is chosen by rank among the original IDs; the result does not depend on threads or layout.
//! Duplicate edges and loops make no difference. If all vertices are sources, another vertex order can change the
//! last bits of a harmonic centrality.

use super::measure::{Measure, Reached};
use crate::AtomicFloat;
use crate::outcome::Outcome;
use crate::search::multi_source::{self, Bits, LANES, Paths, Record};
use outcrop_engine::{Engine, State};
use outcrop_types::{MemoryPlan, ProgressUnit, Purpose, Result, RunEnd, VertexId, VertexValues, number_from};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Returns the memory for `vertices` vertices, without the indexes.
pub(super) fn memory(vertices: u32, measure: Measure) -> MemoryPlan {
    let vertices_long = u64::from(vertices);
    let counts = if measure.counts() { VertexValues::<u32>::bytes(vertices_long) } else { 0 };
    multi_source::memory(vertices).with(Purpose::VertexValues, VertexValues::<u64>::bytes(vertices_long) + counts)
}

/// Computes the centrality `measure` from searches from `sources`, or from all vertices.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, or if the run is interrupted.
pub(super) fn by_searches(engine: &Engine<'_>, sources: Option<&[VertexId]>, measure: Measure) -> Result<Outcome> {
    let total = sources.map_or(engine.vertices(), |sources| number_from(sources.len()));
    let mut bits = Bits::new(engine)?;
    let sums = engine.vertex_values(|_| AtomicFloat::new(0.0))?;
    let counts = measure.counts().then(|| engine.vertex_values(|_| AtomicU32::new(0))).transpose()?;
    let mut found = Found { measure, sums, counts, distance: 0 };
    let (mut iterations, mut done) = (0, 0);
    engine.set_end(RunEnd::Count { unit: ProgressUnit::Sources, total: total.into(), at_most: false });
    while done < total {
        engine.checkpoint("batches", |state| {
            state.number(&mut iterations)?;
            state.bounded(&mut done, u64::from(total) - 1)?;
            found.visit(state)
        })?;
        engine.set_done(done.into());
        let batch = done..total.min(done + LANES as u32);
        done = batch.end;
        let batch: Vec<VertexId> = match sources {
            None => batch.collect(),
            Some(sources) => sources[batch.start as usize..batch.end as usize].to_vec(),
        };
        iterations = bits.search(engine, &batch, Paths::OUT, &mut found)?;
    }
    engine.set_done(total.into());
    let weight = f64::from(engine.vertices()) / f64::from(total);
    let Found { sums, counts, .. } = found;
    measure.outcome(engine, sums, iterations, |vertex| {
        let count = counts.as_ref().map_or(0, |counts| counts[vertex as usize].load(Relaxed));
        Reached { count: count.into(), weight }
    })
}

/// Sums over the sources that reach each vertex.
struct Found {
    measure: Measure,
    sums: VertexValues<AtomicU64>,
    /// Number of sources other than the vertex.
    counts: Option<VertexValues<AtomicU32>>,
    /// Distance of the vertices found in this step.
    distance: u32,
}

impl Found {
    fn visit(&self, state: &mut State<'_>) -> Result<()> {
        state.shared(&self.sums)?;
        self.counts.as_ref().map_or(Ok(()), |counts| state.shared(counts))
    }
}

impl Record for Found {
    fn begin_level(&mut self, distance: u32) -> Result<()> {
        self.distance = distance;
        Ok(())
    }

    #[inline]
    fn note(&self, vertex: VertexId, sources: u64) {
        if self.distance == 0 {
            return;
        }
        let (sum, sources): (&AtomicU64, _) = (&self.sums[vertex as usize], sources.count_ones());
        AtomicFloat::store(sum, AtomicFloat::load(sum) + f64::from(sources) * self.measure.term(self.distance));
        if let Some(counts) = &self.counts {
            counts[vertex as usize].fetch_add(sources, Relaxed);
        }
    }
}
