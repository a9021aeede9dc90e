//! Betweenness centrality.
//!
//! Definition: for each vertex, the sum over pairs of other vertices of the fraction of their shortest paths that
//! contain it. Path length is the number of edges, along their direction. With `normalized`, it is divided by the
//! number of pairs, (n-1)(n-2); otherwise, in an undirected graph, each pair counts once. From a sample of k sources,
//! sums are scaled up: by (n-1)/k, or by (n-1)/(k-1) for the sources themselves, which contribute to one sum less.
//! Duplicate edges count once, loops never. With weights, the length of a path is the sum of its weights, which must be
//! positive except for loops; among duplicate edges the smallest weight counts.
//!
//! Paper: Brandes, Journal of Mathematical Sociology 2001; with levels of frontiers as in Ligra (Shun and Blelloch,
//! PPoPP 2013, section 4.2); a sample of sources as in Brandes and Pich, 2007; several sources at once as in MS-BFS
//! (Then et al., PVLDB 2014).
//!
//! Returns: `betweenness_centrality` f64, like the NetworkX function of that name; null for the source if there is only
//! one and it is a sample.
//!
//! Memory: with one source at a time 21 bytes per vertex, with a single source 17, frontiers, both indexes. With a
//! batch of B sources, 2 to 16: 14 bytes and a bit per vertex and 9 for each of the B. With weights, one source at a
//! time: 32 bytes and a bit per vertex, and two sets of vertices.
//!
//! Passes over the edges per source: a breadth-first search, which counts paths while pulling; the in-lists of vertices
//! that were pushed to, once, except for the first level; then the out-lists of all reached vertices once, except for
//! the last level. Reached vertices are linked in a chain, level by level, and only pulls access vertices that a source
//! does not reach. With a batch, the same passes for all B together, but the lists of a vertex are read once for each
//! distance at which a source newly reaches it, and each level takes a pass over the levels of all vertices. Searches
//! of more than 254 levels run one at a time. An iteration is a batch. With weights, see `weighted.rs`.
//!
//! Deviations: paths are counted by pulling into each level, and dependencies along out-lists, each sum by one thread
//! in list order: the result does not depend on threads, and between orders, layouts and batches sums differ only by
//! rounding, within 1e-9 of a value. Counts are f64, as in NetworkX; more than 1.8e308 shortest paths to one vertex are
//! an error here, but NaN there. With weights, paths have equal length if the sums of their weights, added up from the
//! source on, are bitwise equal, as in NetworkX; a weight that is lost in such a sum is an error here, while there the
//! number of paths depends on the order of edges.

use super::params::BcParams;
use super::{batch, single, weighted};
use crate::AtomicFloat;
use crate::outcome::{Column, Outcome, Values};
use crate::weights::RefusedEdge;
use outcrop_engine::Engine;
use outcrop_types::{Error, MemoryPlan, ProgressUnit, Purpose, Result, RunEnd, VertexId, VertexSet, VertexValues};
use std::sync::atomic::AtomicU64;

/// Largest graph whose vertices are all sources by default; a larger one needs an explicit sample size.
pub const MOST_UNASKED: u32 = 20_000;

/// Maximum number of sources per batch.
pub const MOST_AT_ONCE: u32 = batch::LANES as u32;

/// Returns the memory for `vertices` vertices with `batch` of the `sources` at once, without the indexes.
pub fn memory(vertices: u32, sources: u32, batch: u32) -> MemoryPlan {
    let searches = if batch > 1 { batch::memory(vertices, batch) } else { single::memory(vertices, sources) };
    searches.with(Purpose::VertexValues, VertexValues::<u64>::bytes(u64::from(vertices)))
}

/// Returns the memory for `vertices` vertices with weights, without the indexes.
pub fn memory_by_weight(vertices: u32) -> MemoryPlan {
    weighted::memory(vertices).with(Purpose::VertexValues, VertexValues::<u64>::bytes(u64::from(vertices)))
}

/// Sums the contributions of all sources.
///
/// # Errors
///
/// Returns an error if there are too many shortest paths to count, if a read fails or the data is damaged, if the
/// budget is too small, or if the run is interrupted.
pub fn bc(engine: &Engine<'_>, parameters: &BcParams<'_>) -> Result<Outcome> {
    summed(engine, parameters, |sum| {
        let (mut done, mut iterations) = (0, 0);
        if parameters.batch > 1 && !engine.resumes_at(single::ALONE) {
            (done, iterations) = batch::add(engine, parameters, sum)?;
        }
        if done < parameters.count(engine.vertices()) {
            iterations = single::add(engine, parameters, done, sum)?;
        }
        Ok(iterations)
    })
}

/// Sums the contributions of all sources for weighted paths.
///
/// # Errors
///
/// Returns an error under the same conditions as [`bc`], or the error that `refuse` creates from an edge and a
/// description of the fault of its weight.
pub fn by_weight(
    engine: &Engine<'_>,
    parameters: &BcParams<'_>,
    refuse: &dyn Fn(RefusedEdge, &str) -> Error,
) -> Result<Outcome> {
    summed(engine, parameters, |sum| weighted::add(engine, parameters, sum, refuse))
}

/// Returns the sums computed by `add`, scaled; `add` returns the number of iterations.
fn summed(
    engine: &Engine<'_>,
    parameters: &BcParams<'_>,
    add: impl FnOnce(&[AtomicU64]) -> Result<u32>,
) -> Result<Outcome> {
    let sum = engine.vertex_values(|_| AtomicU64::new(0))?;
    let total = parameters.count(engine.vertices()).into();
    engine.set_end(RunEnd::Count { unit: ProgressUnit::Sources, total, at_most: false });
    let iterations = add(&sum)?;
    scale(engine, parameters, &sum);
    let values = Values::Float64(sum.map(AtomicFloat::into_plain));
    Ok(Outcome::new(vec![Column::new("betweenness_centrality", values)], iterations))
}

fn scale(engine: &Engine<'_>, parameters: &BcParams<'_>, sum: &[AtomicU64]) {
    let others = f64::from(engine.vertices()) - 1.0;
    if others < 2.0 {
        return;
    }
    let count = f64::from(parameters.count(engine.vertices()));
    let factor = match (parameters.normalized, parameters.directed) {
        (true, _) => 1.0 / (others - 1.0),
        (false, true) => others,
        (false, false) => others / 2.0,
    };
    let times = |vertex: VertexId, factor: f64| {
        let sum = &sum[vertex as usize];
        AtomicFloat::store(sum, AtomicFloat::load(sum) * factor);
    };
    // If all vertices are sources, each is excluded once; in a sample, only its members are. Compensate the others.
    let Some(sources) = parameters.sources else {
        return engine.vertex_map(&VertexSet::all(engine.vertices()), |vertex| times(vertex, factor / others));
    };
    engine.vertex_map(&VertexSet::all(engine.vertices()), |vertex| times(vertex, factor / count));
    for source in sources {
        let sum = &sum[*source as usize];
        let scaled = if count > 1.0 { AtomicFloat::load(sum) * (count / (count - 1.0)) } else { f64::INFINITY };
        AtomicFloat::store(sum, scaled);
    }
}
