//! Arcs inserted and deleted since a result, according to the journal of the store.

use crate::update::edges::{UNKNOWN, vertices_of};
use outcrop_engine::Changes;
use outcrop_io::IoChoice;
use outcrop_store::journal::{GivenEdges, came_from};
use outcrop_store::{Dedup, GraphIdentity, Order, OriginalIdReader, Store};
use outcrop_types::{Cancellation, MemoryBudget, Purpose, Result, VertexId, index_from, memory};
use serde::{Deserialize, Serialize};

/// Context for reading the changes of a graph.
pub(crate) struct Reader<'r> {
    pub(crate) store: &'r Store,
    pub(crate) io: IoChoice,
    pub(crate) budget: &'r MemoryBudget,
    /// Minimum memory to leave free, in bytes.
    pub(crate) spare: u64,
    pub(crate) cancellation: &'r Cancellation,
}

/// Version of the graph of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Version {
    /// Identity of the graph, including all updates.
    pub(super) graph: GraphIdentity,
    /// Number of vertices.
    vertices: u32,
    /// Number of vertices with a list in the files, if a merge changes the numbers of others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    listed: Option<u32>,
}

impl Version {
    /// Returns the current version of the graph of `store`.
    pub(super) fn of(store: &Store) -> Self {
        let manifest = store.manifest();
        let listed = Some(manifest.listed_vertices()).filter(|_| !manifest.is_in_rank_order());
        Self { graph: manifest.identity(), vertices: manifest.graph.vertices, listed }
    }

    /// Returns true if a merge may have renumbered vertices that were pending at the time of the result.
    fn is_renumbered_in(&self, store: &Store) -> bool {
        let original = store.manifest().numbering.order == Order::Original;
        let merged = self.listed.is_some_and(|listed| listed != store.manifest().listed_vertices());
        merged && original
    }
}

/// Maximum number of edges whose ends are looked up at once: positions of IDs have 32 bits.
const MOST: u64 = 1 << 30;

/// Returns the memory for looking up the vertices of `edges` changed edges with IDs of `id_bytes`, in bytes: positions
/// and vertices of both ends, and distinct IDs.
fn look_up_bytes(edges: u64, id_bytes: u64, store: &Store) -> u64 {
    2 * edges * (4 + 4) + id_bytes + OriginalIdReader::memory(store.manifest())
}

/// Returns the arcs that may have changed since version `since` of the graph, or a reason if they are unknown or exceed
/// the remaining memory. They are the arcs of all updates: an arc may be included although it was inserted and deleted
/// again, or existed all along.
///
/// # Errors
///
/// Returns an error if the journal is damaged or cannot be read, or if the run is interrupted.
pub(super) fn changes_since(graph: &Reader<'_>, since: &Version) -> Result<std::result::Result<Changes, String>> {
    let Reader { store, io, budget, spare, cancellation } = *graph;
    let manifest = store.manifest();
    let generation = since.graph.generation;
    if !came_from(store, &since.graph, io)? {
        let message = "the previous result belongs to another graph, or to a generation older than the journal";
        return Ok(Err(message.to_owned()));
    }
    let Some((edges, id_bytes)) = GivenEdges::count(store, generation, io)? else {
        return Ok(Err("the changes since the previous result are unknown".to_owned()));
    };
    // An edge whose weights are summed, or of which the maximum counts, is both deleted and inserted.
    let most = if manifest.graph.directed { 2 * edges } else { 4 * edges };
    let arcs_bytes = Changes::bytes(most);
    // The memory of the run is not in use yet, and serves for the lookup.
    let looking_up = if edges == 0 { 0 } else { look_up_bytes(edges, id_bytes, store) };
    let (reading, free) = (looking_up + GivenEdges::memory(store, id_bytes), budget.available());
    if edges > MOST || arcs_bytes > spare || arcs_bytes + reading > free {
        let most = "need more memory than the run leaves; increase --memory, or use smaller updates";
        return Ok(Err(format!("the {edges} edges changed since the previous result {most}")));
    }
    let held = budget.reserve(arcs_bytes, Purpose::Updates)?;
    let _looking_up = budget.reserve(looking_up, Purpose::Updates)?;
    let given = GivenEdges::after(store, generation, id_bytes, io, budget, cancellation)?;
    // Look up all IDs at once, since each lookup may read all IDs of the store.
    let vertices = match given.ids.is_empty() {
        true => Vec::new(),
        false => vertices_of(&given.ids, store, io, budget, cancellation)?.0,
    };
    let inserted = given.vertices(&vertices).flatten().any(|vertex| *vertex < since.vertices);
    if inserted || since.is_renumbered_in(store) {
        return Ok(Err(
            "a merge inserted new vertices between existing ones since the previous result (--order original)"
                .to_owned(),
        ));
    }
    let added = arcs(given.added(&vertices), edges, manifest.graph.directed)?;
    let mut removed = arcs(given.removed(&vertices), edges, manifest.graph.directed)?;
    if manifest.graph.weighted && matches!(manifest.rules.dedup, Dedup::Sum | Dedup::Max) {
        removed.extend_from_slice(&added);
        removed.sort_unstable();
    }
    Ok(Ok(Changes { added, removed, held }))
}

/// Returns the arcs between the ends of edges, in order; for undirected edges in both directions. Skips edges with an
/// end that the store does not have.
fn arcs<'v>(
    ends: impl Iterator<Item = &'v [VertexId]>,
    edges: u64,
    directed: bool,
) -> Result<Vec<(VertexId, VertexId)>> {
    let most = index_from(if directed { edges } else { 2 * edges });
    let mut arcs = memory::with_room_for(most, Purpose::Updates)?;
    let pairs = ends.flat_map(|stretch| stretch.as_chunks::<2>().0).copied();
    for [source, target] in pairs.filter(|pair| !pair.contains(&UNKNOWN)) {
        arcs.push((source, target));
        if !directed && source != target {
            arcs.push((target, source));
        }
    }
    arcs.sort_unstable();
    arcs.dedup();
    Ok(arcs)
}
