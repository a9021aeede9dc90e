//! Vertices drawn at random: the baseline (BASC, section 5.1: Rand).

use super::candidates::Candidates;
use outcrop_types::{MemoryBudget, Purpose, Result, SplitMix64, VertexId};

/// Vertices in an order that depends on `seed` alone, `entries` entries together at most.
///
/// # Errors
/// The budget has fewer than 4 bytes per vertex left.
pub fn random(of: &Candidates<'_>, entries: u64, seed: u64, budget: &MemoryBudget) -> Result<Vec<VertexId>> {
    let _held = budget.reserve(4 * u64::from(of.lists.num_vertices()), Purpose::IdMap)?;
    let mut vertices: Vec<VertexId> = of.vertices().collect();
    let numbers = SplitMix64::new(seed, 0);
    vertices.sort_unstable_by_key(|vertex| (numbers.at(u64::from(*vertex)), *vertex));
    Ok(of.within(vertices, entries))
}
