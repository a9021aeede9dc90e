//! Room on disk, which is asked for before anything is written.

use super::checkpoint::BuildCheckpoints;
use super::edges::{BuildInput, IdKind};
use super::options::BuildOptions;
use super::record::{Arc, KeyedEdge, WeightedArc};
use crate::layout::LayoutKind;
use crate::owned::require_own_place;
use outcrop_io::Storage;
use outcrop_types::{Error, MemoryBudget, Result, WeightType, length_from};
use std::path::Path;

/// Bytes of an edge in a journal: two ends, a weight and a time.
const JOURNALED_BYTES: u64 = 32;

/// Bytes that a build will need, at the most.
struct Space {
    /// In the store.
    store: u64,
    /// In temporary files.
    temporary: u64,
}

/// Refuses a build whose estimated space is not there.
///
/// # Errors
/// [`Error::DiskFull`] with what is needed and what is free.
pub(super) fn check_space(
    storage: &dyn Storage,
    input: &BuildInput,
    options: &BuildOptions<'_>,
    budget: &MemoryBudget,
) -> Result<()> {
    // A build that goes on has a part of what it needs.
    let resumes = options.checkpoints.is_some_and(BuildCheckpoints::resumes);
    let Some(edges) = input.edges.edges_estimate().filter(|_| !resumes) else { return Ok(()) };
    let space = estimate(edges, input, options, budget.available());
    let (target, temporary) = (options.target_folder(), options.temp_folder());
    if target == temporary {
        return require(storage, &target, space.store + space.temporary);
    }
    require(storage, &target, space.store)?;
    require(storage, &temporary, space.temporary)
}

/// Refuses to go on where `folder` has less than `needed` bytes of room.
///
/// # Errors
/// [`Error::DiskFull`] with what is needed and what is free; a folder of a store.
pub(super) fn require(storage: &dyn Storage, folder: &Path, needed: u64) -> Result<()> {
    require_own_place(folder)?;
    match storage.free_bytes(folder)? {
        Some(free) if free < needed => Err(Error::DiskFull { path: folder.to_owned(), needed: Some((needed, free)) }),
        _ => Ok(()),
    }
}

/// Bytes of temporary files of a build at the most: both directions, with ids of this kind looked up (`None` where they are the vertices), and
/// edges that wait for an order.
pub fn temporary_bytes(edges: u64, weighted: bool, ids: Option<IdKind>, ordered: bool) -> u64 {
    let sorted = if weighted { size_of::<WeightedArc>() } else { size_of::<Arc>() };
    let mapped = match ids {
        None => 0,
        // Edges by source and by target are on disk together; so are the ids.
        Some(IdKind::Integer) => 2 * size_of::<KeyedEdge<u64>>() + 16,
        Some(IdKind::Text) => 2 * size_of::<KeyedEdge<u128>>() + 64,
    };
    let aside = if ordered { sorted } else { 0 };
    edges.saturating_mul(length_from(2 * sorted + mapped + aside))
}

fn estimate(edges: u64, input: &BuildInput, options: &BuildOptions<'_>, memory: u64) -> Space {
    let weighted = input.edges.weighted();
    let kind = weighted.then(|| options.weights.asked().unwrap_or(WeightType::F64));
    let stored = 4 + WeightType::bytes_of(kind);
    let ids = (!options.dense_ids).then(|| input.edges.id_kind());
    let temporary = temporary_bytes(edges, weighted, ids, options.order.is_some());
    let temporary = if temporary > memory || options.checkpoints.is_some() { temporary } else { 0 };
    // Lists are set aside on disk until their shards are written.
    let ends = if options.undirected { 2 } else { 1 };
    let waiting = if options.layout.kind() == LayoutKind::Sliding { edges.saturating_mul(ends * stored) } else { 0 };
    let journal = input.edges.times().map_or(0, |_| JOURNALED_BYTES);
    Space { store: edges.saturating_mul(2 * stored + journal), temporary: temporary.saturating_add(waiting) }
}
