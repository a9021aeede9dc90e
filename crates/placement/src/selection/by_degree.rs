//! Vertices by the length of their lists: for comparison (BASC, section 5.1: HighD and LowD).

use super::candidates::Candidates;
use outcrop_types::{MemoryBudget, Purpose, Result, VertexId};
use std::cmp::Reverse;

/// The vertices with the longest lists, `entries` entries together at most; of equal lengths, the lower number first.
///
/// # Errors
/// The budget has fewer than 4 bytes per vertex left.
pub fn high_degree(of: &Candidates<'_>, entries: u64, budget: &MemoryBudget) -> Result<Vec<VertexId>> {
    by_length(of, entries, budget, |length, vertex| (Reverse(length), vertex))
}

/// The vertices with the shortest lists, `entries` entries together at most; of equal lengths, the lower number first.
///
/// # Errors
/// The budget has fewer than 4 bytes per vertex left.
pub fn low_degree(of: &Candidates<'_>, entries: u64, budget: &MemoryBudget) -> Result<Vec<VertexId>> {
    by_length(of, entries, budget, |length, vertex| (length, vertex))
}

fn by_length<K: Ord>(
    of: &Candidates<'_>,
    entries: u64,
    budget: &MemoryBudget,
    key: impl Fn(u32, VertexId) -> K,
) -> Result<Vec<VertexId>> {
    let _held = budget.reserve(4 * u64::from(of.lists.num_vertices()), Purpose::IdMap)?;
    let mut vertices: Vec<VertexId> = of.vertices().collect();
    vertices.sort_unstable_by_key(|vertex| key(of.lengths[*vertex as usize], *vertex));
    Ok(of.within(vertices, entries))
}
