//! Local clustering coefficients.
//!
//! Definition: that of LDBC Graphalytics. The neighbors of a vertex are those of its out- and its in-edges; the
//! coefficient is the number of edges from one neighbor to another, counting directions separately, divided by the
//! possible number: d (d - 1) for d neighbors; it is 0 if d is less than 2. An edge of an undirected graph counts in
//! both directions. Loops and duplicate edges are ignored.
//!
//! Paper: Watts and Strogatz, Nature 1998; the Graphalytics benchmark, Iosup et al., PVLDB 2016. Triangles as in
//! `triangles/oriented.rs`: each adds the edges opposite a vertex.
//!
//! Returns: `clustering` f64 from 0 to 1, never null.
//!
//! Memory: 12 bytes per vertex, both indexes, and in-memory lists as for `triangles`.
//!
//! Passes over the edges: as for `triangles`.
//!
//! Deviations: NetworkX defines the coefficient of directed graphs differently (Fagiolo, 2007); for undirected ones it
//! is the same.

use crate::outcome::{Column, Outcome, Values};
use crate::triangles::hubs::EdgeWeights;
use crate::triangles::opposite::count;
use outcrop_engine::Engine;
use outcrop_engine::neighborhood::Neighborhoods;
use outcrop_types::{MemoryPlan, Purpose, Result, VertexValues};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Returns the memory for `vertices` vertices, including one array of degrees but without the indexes and in-memory
/// lists.
pub fn memory(vertices: u32) -> MemoryPlan {
    let numbers = VertexValues::<u32>::bytes(u64::from(vertices));
    MemoryPlan::new().with(Purpose::VertexValues, 2 * numbers).with(Purpose::Degrees, numbers)
}

/// Computes coefficients, with `held` bytes for lists; `entries` are the numbers of list entries over both directions.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, or if the run is interrupted.
pub fn clustering(
    engine: &Engine<'_>,
    neighborhoods: &Neighborhoods<'_>,
    entries: VertexValues<u32>,
    held: u64,
) -> Result<Outcome> {
    let single = if neighborhoods.directed() { 1 } else { 2 };
    coefficients(engine, neighborhoods, entries, held, EdgeWeights { single, double: 2 })
}

/// Same as [`clustering`] with every edge counted in both directions: the coefficients of the undirected graph.
///
/// # Errors
///
/// Returns an error under the same conditions as [`clustering`].
pub(crate) fn undirected(
    engine: &Engine<'_>,
    neighborhoods: &Neighborhoods<'_>,
    entries: VertexValues<u32>,
    held: u64,
) -> Result<Outcome> {
    coefficients(engine, neighborhoods, entries, held, EdgeWeights { single: 2, double: 2 })
}

/// Computes coefficients with these `weights` of edges between neighbors.
fn coefficients(
    engine: &Engine<'_>,
    neighborhoods: &Neighborhoods<'_>,
    entries: VertexValues<u32>,
    held: u64,
    weights: EdgeWeights,
) -> Result<Outcome> {
    let (vertices, budget) = (engine.vertices() as usize, engine.budget());
    let degrees = VertexValues::new(budget, Purpose::VertexValues, vertices, |_| AtomicU32::new(0))?;
    let (links, iterations) = count(engine, neighborhoods, &entries, weights, Some(&degrees), held)?;
    drop(entries);
    let coefficients = links.into_values(budget, |vertex, links| match u64::from(degrees[vertex].load(Relaxed)) {
        0 | 1 => 0.0,
        degree => links as f64 / (degree * (degree - 1)) as f64,
    })?;
    Ok(Outcome::new(vec![Column::new("clustering", Values::Float64(coefficients))], iterations))
}
