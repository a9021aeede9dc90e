//! Stores vertices that are reached together consecutively (ChunkGraph, Wang et al., USENIX ATC 2024, section 3.3).
//!
//! Roots are processed by descending degree. From each, a breadth-first search takes two steps; reached vertices follow
//! the root and are no longer roots. Once most vertices have a position, the others follow in root order.
//!
//! Deviation: roots are processed in waves (`bounded_search.rs`).

use super::bounded_search::{BoundedSearch, MOST_ROOTS, search_bytes};
use outcrop_store::access::{Adjacency, Workers};
use outcrop_types::{MemoryBudget, Purpose, Result, VertexId, VertexValues};

/// Returns the memory for ordering `count` of `vertices` vertices besides `roots` and the result, in bytes.
pub const fn two_level_bytes(vertices: u32, count: u64) -> u64 {
    search_bytes(vertices, count)
}

/// Returns the vertices of `roots`, which are in root order, in their new order. A `share` of them, from 0 to 1, is
/// placed by search.
///
/// # Errors
/// Returns an error if the budget is too small, if a read fails or is damaged, or on interruption.
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
