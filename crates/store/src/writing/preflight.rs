//! Check of free disk space before anything is written.

use super::checkpoint::BuildCheckpoints;
use super::context::BuildContext;
use super::edges::{BuildInput, IdKind};
use super::options::BuildOptions;
use super::record::{Arc, KeyedEdge, KeyedRank, WeightedArc};
use crate::layout::LayoutKind;
use crate::owned::require_own_place;
use crate::work_context::WorkContext;
use outcrop_io::Storage;
use outcrop_types::{Error, Result, WeightType, length_from};
use std::path::Path;

/// Bytes per edge of IDs, degrees and the index in a store, for about seven edges per vertex.
const TABLE_BYTES: u64 = 4;
/// Minimum bytes of the texts of both ends of an edge.
const LEAST_TEXT_BYTES: u64 = 16;
/// Bytes per edge in a journal: two ends, a weight and a time.
const JOURNALED_BYTES: u64 = 32;

/// Maximum space that a build needs, in bytes.
struct Space {
    /// Bytes in the store.
    store: u64,
    /// Bytes in temporary files, which are largest before lists are written.
    temporary: u64,
    /// Maximum of both at the same time, in bytes.
    together: u64,
}

/// Refuses a build whose estimated space exceeds the free space.
///
/// # Errors
/// Returns [`Error::DiskFull`] with the needed and the free space.
pub(super) fn check_space(input: &BuildInput, options: &BuildOptions<'_>, work: WorkContext<'_>) -> Result<()> {
    // A resumed build already has a part of its files.
    let resumes = options.checkpoints.is_some_and(BuildCheckpoints::resumes);
    let Some(edges) = input.edges.edges_estimate().filter(|_| !resumes) else { return Ok(()) };
    let space = estimate(edges, input, options, work.budget.available());
    let (target, temporary) = (options.target_folder(), options.temp_folder());
    if target == temporary {
        return require(work.storage, &target, space.together);
    }
    require(work.storage, &target, space.store)?;
    require(work.storage, &temporary, space.temporary)
}

/// Refuses to continue if `folder` has less than `needed` bytes of free space.
///
/// # Errors
///
/// Returns [`Error::DiskFull`] with the needed and the free space, or an error if the folder is that of a store.
pub(super) fn require(storage: &dyn Storage, folder: &Path, needed: u64) -> Result<()> {
    require_own_place(folder)?;
    match storage.free_bytes(folder)? {
        Some(free) if free < needed => Err(Error::DiskFull { path: folder.to_owned(), needed: Some((needed, free)) }),
        _ => Ok(()),
    }
}

/// Method of numbering the IDs of a build, which determines its files.
#[derive(Clone, Copy, Debug)]
pub enum IdFiles {
    /// IDs are the vertices.
    None,
    /// Integers that are marked in a bitmap in memory.
    Ticked,
    /// Integers too large for a bitmap, which are sorted.
    Sorted,
    /// Strings, with their bytes per edge.
    Texts(u64),
}

impl IdFiles {
    fn of(input: &BuildInput, options: &BuildOptions<'_>, edges: u64) -> Self {
        match input.edges.id_kind() {
            _ if options.dense_ids => Self::None,
            IdKind::Integer => Self::Ticked,
            IdKind::Text => {
                let bytes = input.edges.bytes_total().map_or(LEAST_TEXT_BYTES, |bytes| bytes / edges.max(1));
                Self::Texts(bytes.max(LEAST_TEXT_BYTES))
            }
        }
    }

    /// Returns the bytes per edge of keyed edges, and of the ranks of both of its ends (assuming that no other edge
    /// shares them).
    fn bytes(self) -> (u64, u64) {
        match self {
            Self::None | Self::Ticked => (0, 0),
            Self::Sorted => (size_in_file::<KeyedEdge<u64>>(), 2 * size_in_file::<KeyedRank<u64>>()),
            Self::Texts(_) => (size_in_file::<KeyedEdge<u128>>(), 2 * size_in_file::<KeyedRank<u128>>()),
        }
    }

    /// Returns the bytes per edge of sorted IDs.
    fn sorted(self) -> u64 {
        match self {
            Self::None | Self::Ticked => 0,
            Self::Sorted => 2 * size_in_file::<u64>(),
            Self::Texts(bytes) => bytes,
        }
    }
}

fn size_in_file<T>() -> u64 {
    length_from(size_of::<T>())
}

/// Returns the maximum bytes of temporary files of a build with both directions: while IDs are mapped to ranks, or
/// while edges that were spooled until ranks or order were known are sorted.
pub fn temporary_bytes(edges: u64, weighted: bool, ids: IdFiles, ordered: bool) -> u64 {
    let sorted = arc_bytes(weighted);
    let (keyed, ranks) = ids.bytes();
    // First IDs and edges by source; then these and edges by target; then these and arcs, or edges spooled until the
    // order is known.
    let joining = keyed + ranks + ids.sorted().max(keyed);
    let sorting = match ids {
        IdFiles::Sorted | IdFiles::Texts(_) if ordered => (keyed + ranks + sorted).max(3 * sorted),
        IdFiles::Sorted | IdFiles::Texts(_) => keyed + ranks + 2 * sorted,
        IdFiles::None if !ordered => 2 * sorted,
        IdFiles::None | IdFiles::Ticked => 3 * sorted,
    };
    edges.saturating_mul(joining.max(sorting))
}

fn arc_bytes(weighted: bool) -> u64 {
    if weighted { size_in_file::<WeightedArc>() } else { size_in_file::<Arc>() }
}

/// Refuses to sort IDs if the disk has too little space.
///
/// # Errors
///
/// Returns [`Error::DiskFull`] with the needed and the free space.
pub(super) fn check_sorting(context: &BuildContext<'_>, edges: Option<u64>, weighted: bool) -> Result<()> {
    let Some(edges) = edges else { return Ok(()) };
    let needed = temporary_bytes(edges, weighted, IdFiles::Sorted, context.options.order.is_some());
    if needed <= context.work.budget.available() {
        return Ok(());
    }
    require(context.work.storage, &context.options.temp_folder(), needed)
}

fn estimate(edges: u64, input: &BuildInput, options: &BuildOptions<'_>, memory: u64) -> Space {
    let weighted = input.edges.weighted();
    let kind = weighted.then(|| options.weights.requested().unwrap_or(WeightType::F64));
    let stored = 4 + WeightType::bytes_of(kind);
    let ids = IdFiles::of(input, options, edges);
    let temporary = temporary_bytes(edges, weighted, ids, options.order.is_some());
    let spills = temporary > memory || options.checkpoints.is_some();
    let (temporary, sorted) = if spills { (temporary, edges.saturating_mul(2 * arc_bytes(weighted))) } else { (0, 0) };
    // Lists are spilled to disk until their shards are written.
    let ends = if options.undirected { 2 } else { 1 };
    let waiting = if options.layout.kind() == LayoutKind::Sliding { edges.saturating_mul(ends * stored) } else { 0 };
    let journal = edges.saturating_mul(input.edges.times().map_or(0, |_| JOURNALED_BYTES));
    let store = edges.saturating_mul(2 * stored + TABLE_BYTES).saturating_add(journal);
    let lists = store.saturating_add(sorted).saturating_add(waiting);
    Space {
        store,
        temporary: temporary.max(sorted.saturating_add(waiting)),
        together: lists.max(temporary.saturating_add(journal)),
    }
}
