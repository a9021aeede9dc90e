//! Verification of a whole store: every unit, every file, and the consistency of the parts.

mod lists;
mod parts;
mod sound;

pub use sound::SoundLists;

use crate::access::Workers;
use crate::component::Component;
use crate::journal::{SegmentReader, id_kind};
use crate::layout::chunked::{chunks_name, verify_chunks};
use crate::layout::sliding::{BLOCKS_NAME, verify_blocks};
use crate::manifest::OriginalIds;
use crate::original_ids::{
    INTEGERS_NAME, OriginalIdReader, RANK_OF_VERTEX_NAME, TEXT_ENDS_NAME, TEXTS_NAME, VERTEX_OF_RANK_NAME, ranks,
    ranks_memory,
};
use crate::owned::{foreign, is_selection_name};
use crate::selection;
use crate::store::{LOCK_NAME, Store};
use crate::work_context::WorkContext;
use crate::writing::IdBatch;
use outcrop_io::IoChoice;
use outcrop_types::{
    Direction, Error, MemoryBudget, MemoryPlan, Phase, ProgressUnit, Purpose, Result, VertexId, index_from,
};

/// Number of IDs compared at once, and the bytes of their texts.
const BATCH_IDS: u32 = 1 << 13;
const BATCH_BYTES: u64 = 1 << 20;

/// Returns the memory for checking a store: the larger of IDs with their order, and lists.
pub(crate) fn check_memory(store: &Store, workers: &Workers) -> MemoryPlan {
    let ids = MemoryPlan::new()
        .with(Purpose::IoBuffers, id_bytes(store).max(journal_bytes(store)))
        .with(Purpose::IdMap, ranks_memory(store.manifest()));
    let largest = |one: MemoryPlan, other: MemoryPlan| if one.total() > other.total() { one } else { other };
    let both = [Direction::Out, Direction::In];
    let lists = both.map(|direction| lists::memory(store, direction, workers));
    let selections = both.map(|direction| selection::check::memory(store, direction, workers));
    lists.into_iter().chain(selections).fold(ids, largest)
}

/// Returns the memory for comparing IDs, in bytes: readers, and batches of texts with their starts.
fn id_bytes(store: &Store) -> u64 {
    OriginalIdReader::memory(store.manifest()) + 8 * BATCH_BYTES
}

/// Returns the memory for checking the journal, in bytes.
fn journal_bytes(store: &Store) -> u64 {
    store.manifest().changes.journal.as_ref().map_or(0, |_| SegmentReader::memory(id_kind(store)))
}

/// Verifies every unit of every file, the checksums in the manifest, and the consistency of lists, degrees, IDs and
/// orders.
///
/// # Errors
/// Returns [`Error::Corrupt`] for the first fault, or an error if the budget is too small or the check is interrupted.
pub fn check(store: &Store, work: WorkContext<'_>) -> Result<()> {
    let WorkContext { io, budget, workers, .. } = work;
    budget.require(&check_memory(store, workers))?;
    check_files(store, work)?;
    check_lock(store)?;
    let ids = budget.reserve(id_bytes(store), Purpose::IoBuffers)?;
    check_ids(store, io, workers)?;
    check_order(store, io, budget, workers)?;
    drop(ids);
    let journal = budget.reserve(journal_bytes(store), Purpose::IoBuffers)?;
    crate::journal::check(store, io, workers.cancellation())?;
    drop(journal);
    parts::check_lengths(store, io)?;
    let mut found = Vec::new();
    for direction in [Direction::Out, Direction::In] {
        found.extend(lists::check(store, direction, work)?);
        selection::check::check(store, direction, work)?;
    }
    parts::check_arcs(store, &found)?;
    if store.manifest().changes.updates.is_none() || store.manifest().graph.arc_hash.is_none() {
        return Ok(());
    }
    // The hash covers the lists before updates.
    let (written, mut found) = (store.as_written(), Vec::new());
    for direction in written.stored_directions() {
        found.extend(lists::check(&written, direction, work)?);
    }
    parts::check_hash(&written, &found)
}

fn check_files(store: &Store, work: WorkContext<'_>) -> Result<()> {
    let WorkContext { io, budget, workers, observer, .. } = work;
    let total = Some(store.manifest().bytes());
    observer.phase(&Phase { name: "verifying files", unit: ProgressUnit::Bytes, total });
    let _buffers = budget.reserve(Component::READER_BYTES, Purpose::IoBuffers)?;
    let mut done = 0;
    let mut tell = |bytes| {
        done += bytes;
        observer.progress(done);
    };
    // Files that do not consist of units of one size.
    let mut others: Vec<String> =
        store.manifest().lists.chunked.iter().map(|entry| chunks_name(entry.direction)).collect();
    others.extend(store.manifest().lists.sliding.iter().map(|_| BLOCKS_NAME.to_owned()));
    for entry in store.manifest().files.iter().filter(|entry| !others.contains(&entry.name)) {
        store.component(&entry.name, io)?.reader()?.verify(entry, workers.cancellation(), &mut tell)?;
    }
    let written = &store.as_written();
    for entry in &store.manifest().lists.chunked {
        verify_chunks(written, entry, io, budget, workers.cancellation(), &mut tell)?;
    }
    if store.manifest().lists.sliding.is_some() {
        verify_blocks(written, io, budget, workers, &mut tell)?;
    }
    match foreign(store.place(), Some(store.manifest()))?.first() {
        Some(name) => {
            let path = store.folder().join(name);
            if name.to_str().is_some_and(is_selection_name) {
                return Err(selection::with_remedy(Error::corrupt(path, "it is damaged, or outcrop did not write it")));
            }
            Err(Error::Usage(format!("{} does not belong to the store; move it elsewhere", path.display())))
        }
        None => Ok(()),
    }
}

/// Checks that the lock file is empty.
fn check_lock(store: &Store) -> Result<()> {
    match store.files().length(LOCK_NAME)? {
        Some(0) => Ok(()),
        _ => Err(Error::corrupt(store.folder().join(LOCK_NAME), "it is not empty")),
    }
}

/// Checks that IDs ascend, and thus are unique, and that strings are UTF-8.
fn check_ids(store: &Store, io: IoChoice, workers: &Workers) -> Result<()> {
    let name = match store.manifest().numbering.ids {
        OriginalIds::Dense => return Ok(()),
        OriginalIds::Integer => INTEGERS_NAME,
        OriginalIds::Text => TEXT_ENDS_NAME,
    };
    let mut reader = OriginalIdReader::open(store, io)?;
    let vertices = store.manifest().graph.vertices;
    let mut last: Option<Vec<u8>> = None;
    let mut start = 0;
    while start < vertices {
        workers.cancellation().check()?;
        let end = reader.batch_end(start..start.saturating_add(BATCH_IDS).min(vertices), BATCH_BYTES)?;
        let ids = reader.ids(start..end)?;
        if ids.texts().any(|text| str::from_utf8(text).is_err()) {
            return Err(Error::corrupt(store.folder().join(TEXTS_NAME), "an ID is not UTF-8"));
        }
        let ids = sortable(ids);
        start = end;
        let ascending =
            ids.is_sorted_by(|a, b| a < b) && last.as_ref().zip(ids.first()).is_none_or(|(last, first)| last < first);
        if !ascending {
            return Err(Error::corrupt(store.folder().join(name), "its IDs are not sorted"));
        }
        last = ids.into_iter().next_back();
    }
    Ok(())
}

fn sortable(ids: IdBatch) -> Vec<Vec<u8>> {
    match ids {
        IdBatch::Integers(ids) => ids.into_iter().map(|id| id.to_be_bytes().to_vec()).collect(),
        IdBatch::Texts { bytes, ends } => {
            let starts = std::iter::once(0).chain(ends.iter().copied());
            // Default: strings whose ends do not ascend are empty.
            starts.zip(&ends).map(|(start, end)| bytes.get(start..*end).unwrap_or_default().to_vec()).collect()
        }
    }
}

/// Checks that the two tables of an order are inverse to each other.
fn check_order(store: &Store, io: IoChoice, budget: &MemoryBudget, workers: &Workers) -> Result<()> {
    let Some(ranks) = ranks(store, io, budget, workers.cancellation())? else { return Ok(()) };
    let mut reader = OriginalIdReader::open(store, io)?;
    let vertices = store.manifest().graph.vertices;
    for start in (0..vertices).step_by(index_from(u64::from(BATCH_IDS))) {
        workers.cancellation().check()?;
        let batch = start..start.saturating_add(BATCH_IDS).min(vertices);
        let undone = |(rank, vertex): (u32, &VertexId)| ranks.get(index_from(u64::from(*vertex))) == Some(&rank);
        if !batch.clone().zip(&reader.vertices(batch)?).all(undone) {
            let message = format!("it is not the inverse of {RANK_OF_VERTEX_NAME}");
            return Err(Error::corrupt(store.folder().join(VERTEX_OF_RANK_NAME), message));
        }
    }
    Ok(())
}
