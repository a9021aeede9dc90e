//! Description of a store, for people and programs.

use outcrop_io::IoChoice;
use outcrop_placement::locality::Locality;
use outcrop_store::layout::chunked::{self, ChunkSettings};
use outcrop_store::layout::{compact, csr, sliding};
use outcrop_store::updates::UpdatesEntry;
use outcrop_store::{
    ChunkedEntry, Codec, CompactEntry, CsrEntry, Dedup, LevelFigures, Manifest, Order, OrderParameters, OriginalIds,
    SelectionInfo, SelfLoops, SlidingEntry, Store,
};
use outcrop_types::{Direction, TimeKind, TimeRule, TimeUnit, VertexValues, WeightRounding, WeightType};
use serde::Serialize;

/// Description of a store.
#[derive(Clone, Debug, Serialize)]
pub struct GraphInfo {
    /// Folder of the store.
    pub store: String,
    /// Identity of the store.
    pub uuid: String,
    /// Version of its format.
    pub format_version: u32,
    /// Number of vertices.
    pub vertices: u32,
    /// Number of edges; an undirected edge counts once.
    pub edges: u64,
    /// True if edges are directed.
    pub directed: bool,
    /// True if edges have weights.
    pub weighted: bool,
    /// Type of the weights on disk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight_type: Option<WeightType>,
    /// Weights rounded when the store was built.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight_rounding: Option<WeightRounding>,
    /// Kind of the IDs.
    pub ids: OriginalIds,
    /// Order of the vertices.
    pub order: Order,
    /// Parameters of the order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order_parameters: Option<OrderParameters>,
    /// Treatment of duplicate edges.
    pub dedup: Dedup,
    /// Treatment of loops.
    pub self_loops: SelfLoops,
    /// Number of updates since the graph was built.
    pub generation: u64,
    /// Times of edges.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub times: Option<TimesInfo>,
    /// Bytes on disk.
    pub bytes: u64,
    /// Layouts of the store.
    pub layouts: Vec<LayoutInfo>,
    /// Locality of the lists, if it was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locality: Option<LocalityInfo>,
    /// Pending updates, which the figures of the layouts do not include.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updates: Option<UpdatesInfo>,
    /// Selections of lists to pin.
    pub static_cache: Vec<StaticCacheInfo>,
}

/// Layout of the lists of one direction.
#[derive(Clone, Debug, Serialize)]
pub struct LayoutInfo {
    /// Name of the layout.
    pub layout: &'static str,
    /// Direction of these lists; those of an undirected store serve as both.
    pub direction: Direction,
    /// Number of list entries.
    pub arcs: u64,
    /// Bytes of the lists on disk, including those in the index.
    pub bytes: u64,
    /// Bytes per list entry.
    pub bytes_per_arc: f64,
    /// Memory of the open index in bytes, excluding the neighbors in it.
    pub index_bytes: u64,
    /// Memory of the index per vertex, in bytes.
    pub index_bytes_per_vertex: f64,
    /// Page size in bytes (`csr` only).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_bytes: Option<u32>,
    /// Number of vertex intervals (`csr` and `sliding` only).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intervals: Option<usize>,
    /// Encoding of neighbors (`compact` only).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub codec: Option<Codec>,
    /// Bytes on disk of list positions and lengths (`compact` only).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stored_index_bytes: Option<u64>,
    /// Chunks (`chunked` only).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunks: Option<ChunkInfo>,
}

/// Chunks of one direction.
#[derive(Clone, Debug, Serialize)]
pub struct ChunkInfo {
    /// Settings of the chunks.
    pub settings: ChunkSettings,
    /// List entries stored in the index.
    pub mini_entries: u64,
    /// Memory of these entries, in bytes.
    pub mini_bytes: u64,
    /// Vertices with a list in a chunk.
    pub located: u32,
    /// Figures of each level.
    pub levels: Vec<LevelFigures>,
}

/// Selection of one direction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum StaticCacheInfo {
    /// Selection as stored.
    Kept(SelectionInfo),
    /// Selection that cannot be read.
    Damaged {
        /// Direction of these lists.
        direction: Direction,
        /// Reason.
        damaged: String,
    },
}

impl StaticCacheInfo {
    /// Returns the selections of both directions, if any.
    pub(crate) fn all_of(store: &Store) -> Vec<Self> {
        let info = |direction| match store.selection(direction, IoChoice::Buffered) {
            Ok(info) => info.map(Self::Kept),
            Err(error) => Some(Self::Damaged { direction, damaged: error.to_string() }),
        };
        store.stored_directions().filter_map(info).collect()
    }
}

/// Times of the edges of a store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TimesInfo {
    /// Kind of the times.
    pub kind: TimeKind,
    /// Unit of the integers that the times were read from; `None` for dates, and for integers without a unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<TimeUnit>,
    /// First time, as a number: microseconds since 1970 if times are instants.
    pub first: i64,
    /// Last time.
    pub last: i64,
    /// First time, formatted for the user.
    pub from: String,
    /// Last time, formatted for the user.
    pub to: String,
    /// Number of edges with times, counting duplicates.
    pub edges: u64,
    /// Bytes on disk, including removed edges.
    pub bytes: u64,
}

impl TimesInfo {
    pub(crate) fn of(manifest: &Manifest) -> Option<Self> {
        let journal = manifest.changes.journal.as_ref()?;
        let (TimeRule { kind, unit }, (first, last)) = (journal.times?, journal.span()?);
        let files = manifest.journal_files();
        let edges = journal.segments.iter().map(|segment| segment.added).sum();
        let (from, to, bytes) = (kind.show(first), kind.show(last), files.map(|file| file.bytes).sum());
        Some(Self { kind, unit, first, last, from, to, edges, bytes })
    }
}

/// Pending updates of a store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UpdatesInfo {
    /// Number of updates since the lists were written.
    pub generation: u64,
    /// Number of removed list entries, in both directions of a directed store.
    pub removed_arcs: u64,
    /// Number of added list entries, in both directions of a directed store.
    pub added_arcs: u64,
    /// Number of vertices without a list in the files.
    pub new_vertices: u32,
    /// Bytes on disk.
    pub bytes: u64,
}

impl UpdatesInfo {
    pub(crate) fn of(manifest: &Manifest) -> Option<Self> {
        let entry: &UpdatesEntry = manifest.changes.updates.as_ref()?;
        let bytes = manifest.update_file_names().filter_map(|name| manifest.file(&name)).map(|file| file.bytes);
        Some(Self {
            generation: entry.generation,
            removed_arcs: entry.lists.iter().map(|lists| lists.removed_arcs).sum(),
            added_arcs: entry.lists.iter().map(|lists| u64::from(lists.added)).sum(),
            new_vertices: manifest.new_vertices(),
            bytes: bytes.sum(),
        })
    }

    /// Returns the ratio of pending entries to list entries, or of new vertices to all vertices if that is larger.
    pub(crate) fn share(&self, manifest: &Manifest) -> f64 {
        let directions = if manifest.graph.directed { 2 } else { 1 };
        let arcs = manifest.arcs(Direction::Out).map_or(0, |arcs| arcs * directions);
        let entries = (self.removed_arcs + self.added_arcs) as f64 / arcs.max(1) as f64;
        entries.max(f64::from(self.new_vertices) / f64::from(manifest.graph.vertices.max(1)))
    }
}

/// Locality of the lists, if lists are in vertex order with the bytes per entry that they have on disk. Distances are
/// in pages, from the list of a vertex to that of its neighbor.
#[derive(Clone, Debug, Serialize)]
pub struct LocalityInfo {
    /// Direction of the neighbors.
    pub direction: Direction,
    /// Page size in bytes.
    pub page_bytes: u64,
    /// Figures.
    #[serde(flatten)]
    pub figures: Locality,
}

fn per(bytes: u64, count: u64) -> f64 {
    if count == 0 { 0.0 } else { bytes as f64 / count as f64 }
}

/// Returns the description of lists in any layout.
fn lists_info(
    manifest: &Manifest,
    layout: &'static str,
    direction: Direction,
    arcs: u64,
    bytes: u64,
    index_bytes: u64,
) -> LayoutInfo {
    LayoutInfo {
        layout,
        direction,
        arcs,
        bytes,
        bytes_per_arc: per(bytes, arcs),
        index_bytes,
        index_bytes_per_vertex: per(index_bytes, manifest.listed_vertices().into()),
        page_bytes: None,
        intervals: None,
        codec: None,
        stored_index_bytes: None,
        chunks: None,
    }
}

fn bytes_of(manifest: &Manifest, name: &str) -> u64 {
    manifest.file(name).map_or(0, |file| file.bytes)
}

fn csr_info(manifest: &Manifest, entry: &CsrEntry) -> LayoutInfo {
    let bytes = bytes_of(manifest, &csr::edges_name(entry.direction));
    let index_bytes = csr::ListIndex::bytes(manifest.listed_vertices());
    LayoutInfo {
        page_bytes: Some(entry.page_bytes),
        intervals: Some(entry.intervals.len()),
        ..lists_info(manifest, "csr", entry.direction, entry.arcs, bytes, index_bytes)
    }
}

fn compact_info(manifest: &Manifest, entry: &CompactEntry) -> LayoutInfo {
    let bytes = bytes_of(manifest, &compact::shards_name(entry.direction));
    let index_bytes = csr::ListIndex::bytes(manifest.listed_vertices());
    LayoutInfo {
        codec: Some(entry.codec),
        stored_index_bytes: Some(entry.index_bytes),
        ..lists_info(manifest, "compact", entry.direction, entry.arcs, bytes, index_bytes)
    }
}

fn sliding_info(manifest: &Manifest, entry: &SlidingEntry) -> LayoutInfo {
    let degrees = VertexValues::<u32>::bytes(manifest.listed_vertices().into());
    let (bytes, index_bytes) =
        (bytes_of(manifest, sliding::BLOCKS_NAME), sliding::StoredShards::bytes(entry) + degrees);
    LayoutInfo {
        intervals: usize::try_from(entry.intervals).ok(),
        ..lists_info(manifest, "sliding", Direction::Out, entry.arcs, bytes, index_bytes)
    }
}

fn chunked_info(manifest: &Manifest, entry: &ChunkedEntry) -> LayoutInfo {
    let mini_bytes = entry.mini_entries * (4 + WeightType::bytes_of(manifest.weights()));
    let bytes = bytes_of(manifest, &chunked::chunks_name(entry.direction)) + mini_bytes;
    let chunks = ChunkInfo {
        settings: entry.settings.clone(),
        mini_entries: entry.mini_entries,
        mini_bytes,
        located: entry.located,
        levels: entry.levels.clone(),
    };
    let index_bytes = chunked::index_bytes(entry, manifest.listed_vertices());
    LayoutInfo {
        chunks: Some(chunks),
        ..lists_info(manifest, "chunked", entry.direction, entry.arcs, bytes, index_bytes)
    }
}

/// Returns the bytes per entry of the out-lists; 0 if there are none.
pub(crate) fn bytes_per_arc(manifest: &Manifest) -> f64 {
    let out = Direction::Out;
    let chunked = manifest.chunked(out).map(|entry| chunked_info(manifest, entry));
    let compact = || manifest.compact(out).map(|entry| compact_info(manifest, entry));
    let csr = || manifest.csr(out).map(|entry| csr_info(manifest, entry));
    let sliding = || manifest.lists.sliding.as_ref().map(|entry| sliding_info(manifest, entry));
    chunked.or_else(compact).or_else(sliding).or_else(csr).map_or(0.0, |info| info.bytes_per_arc)
}

impl GraphInfo {
    pub(crate) fn of(store: &Store) -> Self {
        let manifest = store.manifest();
        let csr = manifest.lists.csr.iter().map(|entry| csr_info(manifest, entry));
        let compact = manifest.lists.compact.iter().map(|entry| compact_info(manifest, entry));
        let chunked = manifest.lists.chunked.iter().map(|entry| chunked_info(manifest, entry));
        let sliding = manifest.lists.sliding.iter().map(|entry| sliding_info(manifest, entry));
        Self {
            store: store.folder().display().to_string(),
            uuid: manifest.uuid.clone(),
            format_version: manifest.format_version,
            vertices: manifest.graph.vertices,
            edges: manifest.graph.edges,
            directed: manifest.graph.directed,
            weighted: manifest.graph.weighted,
            weight_type: manifest.weights(),
            weight_rounding: manifest.graph.weight_rounding.clone(),
            ids: manifest.numbering.ids,
            order: manifest.numbering.order,
            order_parameters: manifest.numbering.order_parameters,
            dedup: manifest.rules.dedup,
            self_loops: manifest.rules.self_loops,
            generation: manifest.generation(),
            times: TimesInfo::of(manifest),
            bytes: manifest.bytes(),
            layouts: chunked.chain(compact).chain(sliding).chain(csr).collect(),
            locality: None,
            updates: UpdatesInfo::of(manifest),
            static_cache: StaticCacheInfo::all_of(store),
        }
    }
}
