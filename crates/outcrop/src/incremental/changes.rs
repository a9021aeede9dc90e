//! Arcs that came and went since a result.

use outcrop_engine::Changes;
use outcrop_io::IoChoice;
use outcrop_store::Store;
use outcrop_store::updates::{Change, EdgeChange, load_changes};
use outcrop_types::{Cancellation, Direction, MemoryBudget, Purpose, Result, memory};
use serde::{Deserialize, Serialize};

/// The graph that a result is of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Version {
    /// The store, while its lists are those that were written.
    store: String,
    /// The number of its updates.
    pub(crate) generation: u64,
    /// Checksums of the changes beside its lists: a copy of the store may have had as many others.
    changes: Vec<String>,
    /// Number of vertices.
    vertices: u32,
}

impl Version {
    /// The graph of `store` as it is now.
    pub(crate) fn of(store: &Store) -> Self {
        let manifest = store.manifest();
        let updates = manifest.updates.as_ref();
        let name = |direction| updates.map(|updates| updates.file_name(direction));
        let names = [Direction::Out, Direction::In].map(name);
        let beside = manifest.files.iter().filter(|file| names.iter().flatten().any(|name| *name == file.name));
        Self {
            store: manifest.uuid.clone(),
            generation: updates.map_or(0, |updates| updates.generation),
            changes: beside.map(|file| file.checksum.clone()).collect(),
            vertices: manifest.vertices,
        }
    }
}

/// Memory of the arcs that changed since any version that they are known of, in bytes.
pub(crate) fn changes_bytes(store: &Store) -> u64 {
    let lists = store.manifest().updates.as_ref().and_then(|updates| updates.lists(Direction::Out));
    lists.map_or(0, |lists| Changes::bytes(u64::from(lists.removed) + u64::from(lists.added)))
}

/// The arcs that may have come and gone since version `since` of the graph of `store`; none where that is not known. The changes beside the lists
/// say it of the lists as they were written.
///
/// # Errors
/// The budget is too small; the changes are damaged or cannot be read; interruption.
pub(crate) fn changes_since(
    store: &Store,
    since: &Version,
    io: IoChoice,
    budget: &MemoryBudget,
    cancellation: &Cancellation,
) -> Result<Option<Changes>> {
    let now = Version::of(store);
    if since.store != now.store || since.vertices != now.vertices {
        return Ok(None);
    }
    if *since == now {
        let held = budget.reserve(0, Purpose::Updates)?;
        return Ok(Some(Changes { added: Vec::new(), removed: Vec::new(), held }));
    }
    if since.generation != 0 {
        return Ok(None);
    }
    let held = budget.reserve(changes_bytes(store), Purpose::Updates)?;
    let Some(beside) = load_changes(store, Direction::Out, io, budget, cancellation)? else { return Ok(None) };
    let counts = beside.counts();
    let room = |count: u32| memory::with_room_for(count as usize, Purpose::Updates);
    let (mut added, mut removed) = (room(counts.added)?, room(counts.removed)?);
    for EdgeChange { vertex, neighbour, change } in beside.iter() {
        match change {
            Change::Added { .. } => added.push((vertex, neighbour)),
            Change::Removed { .. } => removed.push((vertex, neighbour)),
        }
    }
    Ok(Some(Changes { added, removed, held }))
}
