//! Sample searches: breadth-first from random vertices.

use outcrop_algorithms::EdgeMapWork;
use outcrop_algorithms::bfs::edge_map;
use outcrop_algorithms::sampling;
use outcrop_engine::Engine;
use outcrop_types::{MemoryPlan, Purpose, Result, VertexId, VertexValues, number_from};

/// Number of searches.
const SEARCHES: usize = 4;
/// Maximum number of vertices sampled to find enough non-isolated ones as sources.
const MOST_DRAWN: u32 = 64;

/// Returns the sources, drawn with `seed`.
pub(super) fn sources(out_degrees: &VertexValues<u32>, seed: u64) -> Vec<VertexId> {
    let drawn = sampling::shuffled(number_from(out_degrees.len()), MOST_DRAWN, seed).into_iter();
    drawn.filter(|vertex| out_degrees[*vertex as usize] > 0).take(SEARCHES).collect()
}

fn work(vertices: u32) -> EdgeMapWork {
    edge_map::work(vertices, false, false)
}

/// Returns the memory of a search without lists.
pub(super) fn memory(vertices: u32) -> MemoryPlan {
    let work = work(vertices);
    work.memory.with(Purpose::VertexValues, work.growth).with(Purpose::Frontier, Engine::frontier_bytes(vertices))
}

/// Searches from each of `sources`, with an engine of its own.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, or on interruption.
pub(super) fn search<'e>(sources: &[VertexId], engine: impl Fn() -> Engine<'e>) -> Result<()> {
    sources.iter().try_for_each(|source| {
        let engine = engine();
        edge_map::bfs(&engine, &[*source], None, false, u32::MAX, work(engine.vertices()).growth).map(drop)
    })
}
