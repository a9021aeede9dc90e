//! Vertices that are reached together, one after the other (ChunkGraph, Wang et al., USENIX ATC 2024, section 3.3).
//!
//! Roots are taken in descending degree; from each, breadth-first search goes two steps; who was reached comes behind
//! the root, and is no root any more. Once most vertices have a place, the rest follows as it stands.
//!
//! Deviation: roots are taken in waves (`bounded_search.rs`).

use super::bounded_search::{BoundedSearch, MOST_ROOTS, search_bytes};
use outcrop_store::access::{Adjacency, Workers};
use outcrop_types::{MemoryBudget, Purpose, Result, VertexId, VertexValues};

/// Memory that ordering `count` of `vertices` vertices takes besides `roots` and the result, in bytes.
pub const fn two_level_bytes(vertices: u32, count: u64) -> u64 {
    search_bytes(vertices, count)
}

/// The vertices of `roots`, which stand in the order in which they are to be roots, in the order of their places.
/// `share` of them, from 0 to 1, get theirs by search.
///
/// # Errors
/// A budget that is too small; a failed or damaged read; interruption.
pub fn two_level(
    lists: &dyn Adjacency,
    roots: &[VertexId],
    share: f64,
    workers: &Workers,
    budget: &MemoryBudget,
) -> Result<VertexValues<VertexId>> {
    let mut order = VertexValues::new(budget, Purpose::IdMap, roots.len(), |_| 0)?;
    let enough = (roots.len() as f64 * share.clamp(0.0, 1.0)).ceil() as usize;
    BoundedSearch::new(lists, roots.len(), MOST_ROOTS, workers, budget)?.number(roots, enough, &mut order)?;
    Ok(order)
}
