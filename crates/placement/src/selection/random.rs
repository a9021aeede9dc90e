//! Vertices drawn at random: the baseline (BASC, section 5.1: Rand).

use super::Candidates;
use outcrop_store::access::Pages;
use outcrop_types::{MemoryBudget, Purpose, Result, VertexId};

/// Vertices in an order that depends on `seed` alone, `entries` entries together at the most.
///
/// # Errors
/// The budget has fewer than 4 bytes a vertex left.
pub fn random<A: Pages>(
    of: &Candidates<'_, A>,
    entries: u64,
    seed: u64,
    budget: &MemoryBudget,
) -> Result<Vec<VertexId>> {
    let _held = budget.reserve(4 * u64::from(of.lists.num_vertices()), Purpose::IdMap)?;
    let mut vertices: Vec<VertexId> = of.vertices().collect();
    vertices.sort_unstable_by_key(|vertex| (mixed(seed, *vertex), *vertex));
    Ok(of.within(vertices, entries))
}

/// SplitMix64 of both.
const fn mixed(seed: u64, vertex: VertexId) -> u64 {
    let mut bits = seed.wrapping_add((vertex as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}
