//! Triangles.
//!
//! Definition: the number of triangles through a vertex, which is the number of pairs of its neighbors that are
//! adjacent. The graph is taken as undirected and simple: loops and duplicate edges are ignored, and `u -> v` and
//! `v -> u` are one edge. The sum over all vertices is three times the number of triangles.
//!
//! Paper: lists oriented by degree, in batches: Hu, Tao and Chung, SIGMOD 2013 (MGT); see `oriented.rs`. Bit rows of
//! hubs: `hubs.rs`.
//!
//! Returns: `triangles` u64, never null.
//!
//! Memory: 8 bytes per vertex, both indexes, and in-memory lists: 4 bytes per edge to fit all, at least 4 bytes per
//! vertex and a few times the square root of the number of edges; up to 128 MiB of bits of hubs.
//!
//! Passes over the edges: one to load all batches of oriented lists, one more per batch, and one for hubs.
//!
//! Deviations: none; the result does not depend on memory, threads, order or layout.

use crate::outcome::{Column, Outcome, Values};
use crate::triangles::hubs::EdgeWeights;
use crate::triangles::opposite::count;
use outcrop_engine::Engine;
use outcrop_engine::neighborhood::Neighborhoods;
use outcrop_types::{MemoryPlan, Purpose, Result, VertexValues};

/// Returns the memory for `vertices` vertices, including one array of degrees but without the indexes and in-memory
/// lists.
pub fn memory(vertices: u32) -> MemoryPlan {
    MemoryPlan::new()
        .with(Purpose::VertexValues, VertexValues::<u32>::bytes(u64::from(vertices)))
        .with(Purpose::Degrees, VertexValues::<u32>::bytes(u64::from(vertices)))
}

/// Counts triangles, with `held` bytes for lists; `entries` are the numbers of list entries over both directions.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, or if the run is interrupted.
pub fn triangles(
    engine: &Engine<'_>,
    neighborhoods: &Neighborhoods<'_>,
    entries: VertexValues<u32>,
    held: u64,
) -> Result<Outcome> {
    let weights = EdgeWeights { single: 1, double: 1 };
    let (through, iterations) = count(engine, neighborhoods, &entries, weights, None, held)?;
    drop(entries);
    let through = through.into_values(engine.budget(), |_, count| count)?;
    Ok(Outcome::new(vec![Column::new("triangles", Values::LargeCount(through))], iterations))
}
