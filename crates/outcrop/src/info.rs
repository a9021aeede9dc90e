//! What a store holds, for people and programs.

use outcrop_store::{Dedup, Order, OriginalIds, SelfLoops, Store};
use outcrop_types::Direction;
use serde::Serialize;

/// What a store holds.
#[derive(Clone, Debug, Serialize)]
pub struct GraphInfo {
    /// Where it lies.
    pub store: String,
    /// Its identity.
    pub uuid: String,
    /// The version of its format.
    pub format_version: u32,
    /// Number of vertices.
    pub vertices: u32,
    /// Number of edges; an undirected edge counts once.
    pub edges: u64,
    /// Whether edges have a direction.
    pub directed: bool,
    /// Whether edges have weights.
    pub weighted: bool,
    /// What the ids are.
    pub ids: OriginalIds,
    /// Which vertices lie beside which.
    pub order: Order,
    /// What was done with repeated edges.
    pub dedup: Dedup,
    /// What was done with loops.
    pub self_loops: SelfLoops,
    /// Bytes on disk.
    pub bytes: u64,
    /// The layouts that are there.
    pub layouts: Vec<LayoutInfo>,
}

/// One direction of a layout.
#[derive(Clone, Debug, Serialize)]
pub struct LayoutInfo {
    /// Its name.
    pub layout: &'static str,
    /// Whose lists these are; those of an undirected store serve as both.
    pub direction: Direction,
    /// List entries.
    pub arcs: u64,
    /// Vertex intervals.
    pub intervals: usize,
    /// Bytes of the lists.
    pub bytes: u64,
    /// Bytes of the lists for each entry.
    pub bytes_per_arc: f64,
    /// Memory of the index when it is open, in bytes.
    pub index_bytes: u64,
}

impl GraphInfo {
    pub(crate) fn of(store: &Store) -> Self {
        let manifest = store.manifest();
        let layouts = manifest.csr.iter().map(|entry| {
            let name = outcrop_store::layout::csr::edges_name(entry.direction);
            let bytes = manifest.file(&name).map_or(0, |file| file.bytes);
            LayoutInfo {
                layout: "csr",
                direction: entry.direction,
                arcs: entry.arcs,
                intervals: entry.intervals.len(),
                bytes,
                bytes_per_arc: if entry.arcs == 0 { 0.0 } else { bytes as f64 / entry.arcs as f64 },
                index_bytes: outcrop_store::layout::csr::RowIndex::bytes(manifest.vertices),
            }
        });
        Self {
            store: store.folder().display().to_string(),
            uuid: manifest.uuid.clone(),
            format_version: manifest.format_version,
            vertices: manifest.vertices,
            edges: manifest.edges,
            directed: manifest.directed,
            weighted: manifest.weighted,
            ids: manifest.ids,
            order: manifest.order,
            dedup: manifest.dedup,
            self_loops: manifest.self_loops,
            bytes: manifest.bytes(),
            layouts: layouts.collect(),
        }
    }
}
