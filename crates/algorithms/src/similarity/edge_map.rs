//! Similarity to a vertex, by its neighbors and theirs.
//!
//! Definition: a function of the sets of out-neighbors of the source and of a vertex, see [`Measure`]; repeated edges
//! count once and loops are ignored.
//!
//! Papers: Liben-Nowell and Kleinberg, JASIST 2007 (common neighbors, Jaccard, Adamic and Adar); Zhou, Lü and Zhang,
//! European Physical Journal B 2009 (resource allocation); Salton and McGill 1983 (cosine).
//!
//! Returns: `similarity` f64; null for the source and for vertices without a common neighbor.
//!
//! Memory: 8 bytes per vertex, 12 if the measure depends on numbers of neighbors, frontiers, both indexes.
//!
//! Passes over the edges: the out-list of the source; the in-lists of its out-neighbors once, or twice if their lengths
//! matter; the out-lists of the vertices found, if their sizes matter and lists may have repeated edges or loops.
//!
//! Deviations: terms are summed as integers, multiples of a power of two that is at most 2^-60 of the greatest possible
//! sum, so that the result does not depend on threads, order or layout.

use super::measure::{Measure, Sums};
use crate::outcome::{Column, Outcome, Values};
use outcrop_engine::neighborhood::Distinct;
use outcrop_engine::{Engine, Gather};
use outcrop_store::access::Neighbors;
use outcrop_types::{
    Direction, MemoryPlan, Purpose, Result, RunEnd, VertexId, VertexSet, VertexValues, index_from, number_from,
};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Location of checkpoints.
const SUMS: &str = "sums";

/// Returns the memory for `vertices` vertices, without frontiers and indexes.
pub(super) fn memory(vertices: u32, measure: Measure) -> MemoryPlan {
    let plan = MemoryPlan::new().with(Purpose::VertexValues, VertexValues::<u64>::bytes(u64::from(vertices)));
    match measure.needs_sizes() || measure.needs_popularity() {
        true => plan.with(Purpose::Degrees, VertexValues::<u32>::bytes(u64::from(vertices))),
        false => plan,
    }
}

/// Computes the similarity of all vertices to `source`; `sizes` are their numbers of out-neighbors, if known.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, or if the run is interrupted.
pub(super) fn similarity(
    engine: &Engine<'_>,
    source: VertexId,
    measure: Measure,
    sizes: Option<VertexValues<u32>>,
) -> Result<Outcome> {
    engine.set_end(RunEnd::Iterations { most: 1, tolerance: None });
    let alone = VertexSet::from_members(vec![source], engine.vertices());
    let neighbors = engine.collect(|next| engine.gather_over(&alone, Direction::Out, &Each(|_, id| next.add(id))))?;
    let own = number_from(neighbors.len());
    let terms = Sums::new(measure, own);
    let sums = engine.vertex_values(|_| AtomicU64::new(0))?;
    if !engine.resumes_at(SUMS) {
        let popularity = match measure.needs_popularity() {
            true => Some(count(engine, &neighbors, Direction::In, |_| true)?),
            false => None,
        };
        let add = |neighbor: VertexId, id: VertexId| {
            let count = popularity.as_ref().map_or(0, |counts| counts[neighbor as usize]);
            sums[id as usize].fetch_add(terms.term(count), Relaxed);
        };
        engine.gather_over(&neighbors, Direction::In, &Each(add))?;
        sums[source as usize].store(0, Relaxed);
    }
    engine.checkpoint(SUMS, |state| state.shared(&sums))?;
    let everything = VertexSet::all(engine.vertices());
    let sizes = match (sizes, measure.needs_sizes()) {
        (None, true) => {
            let similar = engine.vertex_filter(&everything, |vertex| sums[vertex as usize].load(Relaxed) > 0);
            Some(count(engine, &similar, Direction::Out, |_| true)?)
        }
        (sizes, _) => sizes,
    };
    let value = |vertex: VertexId| {
        let sum = sums[vertex as usize].load(Relaxed);
        let size = sizes.as_ref().map_or(0, |sizes| sizes[vertex as usize]);
        if sum == 0 { f64::INFINITY } else { measure.similarity(terms.of(sum), [own, size]) }
    };
    engine.vertex_map(&everything, |vertex| sums[vertex as usize].store(value(vertex).to_bits(), Relaxed));
    let iterations = engine.end_iteration(None);
    let similarity = Values::Float64(sums.map(|sum| f64::from_bits(sum.into_inner())));
    Ok(Outcome::new(vec![Column::new("similarity", similarity)], iterations))
}

/// Returns the number of distinct neighbors that `counts` in one direction of the members of `set`; 0 for other
/// vertices.
pub(super) fn count(
    engine: &Engine<'_>,
    set: &VertexSet,
    direction: Direction,
    counts: impl Fn(VertexId) -> bool + Sync,
) -> Result<VertexValues<u32>> {
    let numbers = VertexValues::new(engine.budget(), Purpose::Degrees, index_from(engine.vertices().into()), |_| {
        AtomicU32::new(0)
    })?;
    let add = |vertex: VertexId, neighbor| {
        if counts(neighbor) {
            numbers[vertex as usize].fetch_add(1, Relaxed);
        }
    };
    engine.gather_over(set, direction, &Each(add))?;
    Ok(numbers.map(AtomicU32::into_inner))
}

/// Calls a function with each gathered vertex and each of its distinct neighbors.
pub(super) struct Each<F>(pub(super) F);

impl<F: Fn(VertexId, VertexId) + Sync> Gather for Each<F> {
    type Sum = (VertexId, Distinct);

    fn begin(&self, vertex: VertexId) -> Self::Sum {
        (vertex, Distinct::new())
    }

    #[inline]
    fn gather(&self, (vertex, distinct): &mut Self::Sum, piece: Neighbors<'_>) {
        distinct.for_each(*vertex, piece, |id| (self.0)(*vertex, id));
    }

    fn apply(&self, _: VertexId, _: Self::Sum) {}
}
