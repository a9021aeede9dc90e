//! Arcs that came and went since a result, as the journal of the store has them.

use crate::update::edges::{UNKNOWN, vertices_of};
use outcrop_engine::Changes;
use outcrop_io::IoChoice;
use outcrop_store::journal::GivenEdges;
use outcrop_store::writing::IdBatch;
use outcrop_store::{Dedup, OriginalIdReader, Store};
use outcrop_types::{Cancellation, MemoryBudget, Purpose, Result, VertexId, memory};
use serde::{Deserialize, Serialize};

/// The graph that a result is of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Version {
    /// Identity of the graph over the stores that took each other's place.
    lineage: String,
    /// The number of its updates.
    pub(crate) generation: u64,
    /// Hash of the last of them: a copy of the store may have had as many others.
    digest: Option<u64>,
    /// Number of vertices.
    vertices: u32,
}

impl Version {
    /// The graph of `store` as it is now.
    pub(crate) fn of(store: &Store) -> Self {
        let (manifest, generation) = (store.manifest(), store.manifest().generation());
        let digest = digest_of(store, generation);
        Self { lineage: manifest.lineage().to_owned(), generation, digest, vertices: manifest.vertices }
    }

    /// True if the graph of `store` was this one before its last updates, or is.
    fn came_before(&self, store: &Store) -> bool {
        let told = self.generation == 0 || self.digest.is_some();
        self.lineage == store.manifest().lineage() && told && self.digest == digest_of(store, self.generation)
    }
}

/// Hash of the update that made `generation`, where the journal has it.
fn digest_of(store: &Store, generation: u64) -> Option<u64> {
    let segments = store.manifest().journal.iter().flat_map(|journal| &journal.segments);
    segments.filter(|segment| segment.generation == generation).map(|segment| segment.digest).next()
}

/// Memory of `edges` that changed while their vertices are looked up, beside their ids: places and vertices of their ends, in bytes.
const fn look_up_bytes(edges: u64) -> u64 {
    2 * edges * (4 + 4 + 16)
}

/// The arcs that may have come and gone since version `since` of the graph of `store`, in `spare` bytes of memory; the reason where that is not
/// known. They are those that updates were given: an edge may be named that came and went again, or was there all along.
///
/// # Errors
/// The journal is damaged or cannot be read; interruption.
pub(crate) fn changes_since(
    store: &Store,
    since: &Version,
    io: IoChoice,
    (budget, spare): (&MemoryBudget, u64),
    cancellation: &Cancellation,
) -> Result<std::result::Result<Changes, String>> {
    let (manifest, unknown) = (store.manifest(), || "what changed since the last result is not known".to_owned());
    let counted = GivenEdges::count(store, since.generation).filter(|_| since.came_before(store));
    let Some((edges, bytes)) = counted else { return Ok(Err(unknown())) };
    let arcs = if manifest.directed { edges } else { 2 * edges };
    let arcs = if manifest.dedup == Dedup::Keep { arcs } else { 2 * arcs };
    let needed = Changes::bytes(arcs) + look_up_bytes(edges) + bytes + OriginalIdReader::MEMORY_BYTES;
    if needed > spare {
        let most = "takes more memory than is left; give more --memory, or update less at once";
        return Ok(Err(format!("what changed since the last result ({edges} edges) {most}")));
    }
    let held = budget.reserve(Changes::bytes(arcs), Purpose::Updates)?;
    let Some(given) = GivenEdges::after(store, since.generation, io, budget, cancellation)? else {
        return Ok(Err(unknown()));
    };
    let _looking_up = budget.reserve(look_up_bytes(edges) + OriginalIdReader::MEMORY_BYTES, Purpose::Updates)?;
    let new = vertices_of(&given.vertices, store, io, cancellation)?;
    if new.iter().any(|vertex| *vertex < since.vertices) {
        return Ok(Err("vertices came in among the others since the last result (--order original)".to_owned()));
    }
    let arcs = |ids: &IdBatch| arcs(&vertices_of(ids, store, io, cancellation)?, manifest.directed);
    let (added, mut removed) = (arcs(&given.added)?, arcs(&given.removed)?);
    if manifest.weighted && matches!(manifest.dedup, Dedup::Sum | Dedup::Max) {
        // An edge that was there already may weigh more now.
        removed.extend_from_slice(&added);
        removed.sort_unstable();
    }
    Ok(Ok(Changes { added, removed, held }))
}

/// Arcs between the ends of edges, in order; of undirected ones in both directions. Edges with an end that the store does not have are none.
fn arcs(ends: &[VertexId], directed: bool) -> Result<Vec<(VertexId, VertexId)>> {
    let pairs = ends.as_chunks::<2>().0;
    let most = if directed { pairs.len() } else { 2 * pairs.len() };
    let mut arcs = memory::with_room_for(most, Purpose::Updates)?;
    for [source, target] in pairs.iter().copied().filter(|pair| !pair.contains(&UNKNOWN)) {
        arcs.push((source, target));
        if !directed && source != target {
            arcs.push((target, source));
        }
    }
    arcs.sort_unstable();
    arcs.dedup();
    Ok(arcs)
}
