//! Triangles.
//!
//! Definition: the number of triangles through a vertex, which is the number of pairs of its neighbours that are
//! neighbours of each other. The graph counts as undirected and simple: loops and repeated edges do not count, and `u
//! -> v` and `v -> u` are one edge. The sum over all vertices is three times the number of triangles. Paper: lists
//! oriented by degree, in batches: Hu, Tao and Chung, SIGMOD 2013 (MGT); see `oriented.rs`. Rows of bits of hubs:
//! `hubs.rs`. Returns: `triangles` u64, never null. Memory: 8 bytes a vertex, both indexes, and held lists: 4 bytes an
//! edge where all are to fit, at the least 4 bytes a vertex and a few times the square root of the number of edges; up
//! to 128 MiB of bits of hubs. Passes over the edges: one for all batches of oriented lists that are held, one more for
//! each of them, and one for hubs. Deviations: none; the answer does not depend on memory, threads, order or layout.

use crate::outcome::{Column, Outcome, Values};
use crate::triangles::hubs::EdgeWeights;
use crate::triangles::opposite::count;
use outcrop_engine::Engine;
use outcrop_engine::neighbourhood::Neighbourhoods;
use outcrop_types::{MemoryPlan, Purpose, Result, VertexValues};

/// Memory over `vertices` vertices, one array of degrees included, but for the indexes and held lists.
pub fn memory(vertices: u32) -> MemoryPlan {
    MemoryPlan::new()
        .with(Purpose::VertexValues, VertexValues::<u32>::bytes(u64::from(vertices)))
        .with(Purpose::Degrees, VertexValues::<u32>::bytes(u64::from(vertices)))
}

/// Counts triangles, with `held` bytes for lists; `entries` are the numbers of list entries over both directions.
///
/// # Errors
/// A failed or damaged read, a budget that is too small, interruption.
pub fn triangles(
    engine: &Engine<'_>,
    neighbourhoods: &Neighbourhoods<'_>,
    entries: VertexValues<u32>,
    held: u64,
) -> Result<Outcome> {
    let weights = EdgeWeights { single: 1, double: 1 };
    let (through, iterations) = count(engine, neighbourhoods, &entries, weights, None, held)?;
    drop(entries);
    let through = through.into_values(engine.budget(), |_, count| count)?;
    Ok(Outcome::new(vec![Column::new("triangles", Values::LargeCount(through))], iterations))
}
