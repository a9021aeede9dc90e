//! Builds a store from a stream of edges in bounded memory: endpoints become ranks, ranks become vertices, arcs are sorted and
//! written, and the whole appears at once or not at all.

mod arcs;
mod convert;
mod edge_source;
mod grow;
mod id_map;
mod options;
mod order;
mod preflight;
mod renumber;
mod reorder;
mod sort;
#[cfg(test)]
mod speed;
mod staging;
mod text_sort;
mod waiting;

pub(crate) use staging::LOCK_NAME;

use crate::component::{ComponentWriter, StoreId};
use crate::layout::csr::INTERVAL_ARCS;
use crate::manifest::{FORMAT_VERSION, FileEntry, Manifest, Order, OriginalIds};
use arcs::ArcSorters;
use id_map::MappedIds;
use order::{EdgeCounts, OrderTables};
use outcrop_io::{SpillFolder, Storage};
use outcrop_types::{
    Cancellation, Error, InputSummary, MAX_VERTICES, MemoryBudget, Observer, Purpose, Reservation, Result, VertexId,
};
use sort::{Arc as PlainArc, ArcRecord, WeightedArc};
use staging::Staging;
use std::sync::Arc;

pub use convert::{ConvertOptions, convert, convert_grown};
pub use edge_source::{EdgeBatch, EdgeSource, IdBatch, IdKind, VertexSource};
pub use grow::Growth;
pub use options::{BuildOptions, BuildReport, Numbering, VertexOrder};
pub use renumber::Renumbering;
pub use reorder::{ListOrder, reorder};
pub use staging::{name_beside, publish, publish_over, remove_left_over};

/// Everything a build works with.
struct Workshop<'b> {
    storage: &'b dyn Storage,
    options: &'b BuildOptions<'b>,
    budget: &'b MemoryBudget,
    cancellation: &'b Cancellation,
    observer: &'b dyn Observer,
    spill: Arc<SpillFolder>,
    /// List entries of an interval.
    interval_arcs: u64,
}

/// Input of a build: edges, and vertices that may have none.
pub struct BuildInput {
    /// The edges.
    pub edges: Box<dyn EdgeSource>,
    /// Further vertices.
    pub vertices: Option<Box<dyn VertexSource>>,
}

/// Builds a store at `options.target`.
///
/// # Errors
/// Bad input with its place; a budget or disk that is too small; an existing target; failures of writing; interruption. In all
/// cases nothing is left behind, and a store that was to be replaced is as it was.
pub fn build(
    storage: &dyn Storage,
    input: BuildInput,
    options: &BuildOptions<'_>,
    budget: &MemoryBudget,
    cancellation: &Cancellation,
    observer: &dyn Observer,
) -> Result<BuildReport> {
    build_with_intervals(storage, input, options, budget, cancellation, observer, INTERVAL_ARCS)
}

/// [`build`] with intervals that are closed once they have `interval_arcs` list entries: for tests of what lies across them.
///
/// # Errors
/// As for [`build`].
#[doc(hidden)]
pub fn build_with_intervals(
    storage: &dyn Storage,
    input: BuildInput,
    options: &BuildOptions<'_>,
    budget: &MemoryBudget,
    cancellation: &Cancellation,
    observer: &dyn Observer,
    interval_arcs: u64,
) -> Result<BuildReport> {
    options.layout.validate()?;
    budget.require(&options.memory(&input))?;
    preflight::check_space(storage, &input, options, budget)?;
    let spill = Arc::new(storage.spill_folder(&options.temp_folder())?);
    let shop = Workshop { storage, options, budget, cancellation, observer, spill, interval_arcs };
    if input.edges.weighted() { build_arcs::<WeightedArc>(&shop, input) } else { build_arcs::<PlainArc>(&shop, input) }
}

fn build_arcs<A: ArcRecord>(shop: &Workshop<'_>, input: BuildInput) -> Result<BuildReport> {
    let staging = Staging::begin(shop.storage, &shop.options.target, shop.options.overwrite)?;
    let id = StoreId::random()?;
    let writing = Writing {
        shop,
        staging: &staging,
        id,
        _buffers: shop.budget.reserve(shop.options.writer_bytes(A::WEIGHTED), Purpose::IoBuffers)?,
    };
    let ranked = writing.rank::<A>(input)?;
    let lists = ranked.sorters.write(&writing, ranked.vertices)?;
    let mut rounding = ranked.input.rounding();
    rounding.add(lists.rounding.clone());
    let manifest = Manifest {
        format_version: FORMAT_VERSION,
        uuid: id.to_hex(),
        vertices: ranked.vertices,
        edges: lists.edges,
        arc_hash: Some(lists.arc_hash),
        directed: !shop.options.undirected,
        weighted: A::WEIGHTED,
        weight_type: lists.weights,
        weight_rounding: Some(rounding).filter(|rounding| !rounding.is_none()),
        ids: ranked.ids,
        order: shop.options.order.map_or(Order::Original, |order| order.name),
        order_parameters: shop.options.order.and_then(|order| order.parameters.any()),
        dedup: shop.options.dedup,
        self_loops: shop.options.self_loops,
        csr: lists.csr,
        chunked: lists.chunked,
        compact: lists.compact,
        sliding: lists.sliding,
        updates: None,
        files: ranked.files.into_iter().chain(lists.files).collect(),
    };
    staging.publish(&manifest)?;
    let EdgeCounts { edges, loops, loops_dropped } = ranked.counts;
    let duplicates_merged = edges.saturating_sub(loops_dropped).saturating_sub(manifest.edges);
    let input = InputSummary { edges, loops, duplicates_merged, ..ranked.input };
    Ok(BuildReport { skipped_lines: ranked.skipped_lines, loops_dropped, input, rounding: lists.rounding, manifest })
}

/// Context of the parts of a build that write files.
struct Writing<'b, 's> {
    shop: &'b Workshop<'s>,
    staging: &'b Staging<'b>,
    id: StoreId,
    _buffers: Reservation,
}

impl Writing<'_, '_> {
    fn component(&self, name: &str) -> Result<ComponentWriter> {
        ComponentWriter::create(self.shop.storage, self.staging.folder(), self.id, name)
    }
}

/// The arcs of a graph whose vertices have their final numbers, ready to be written.
struct Ranked<A: ArcRecord> {
    vertices: u32,
    ids: OriginalIds,
    sorters: ArcSorters<A>,
    files: Vec<FileEntry>,
    skipped_lines: u64,
    counts: EdgeCounts,
    input: InputSummary,
}

impl Writing<'_, '_> {
    /// Reads the input and turns every endpoint into a vertex.
    fn rank<A: ArcRecord>(&self, mut input: BuildInput) -> Result<Ranked<A>> {
        let mut sink = order::EdgeSink::<A>::new(self.shop)?;
        let (vertices, ids, mut files) = if self.shop.options.dense_ids {
            let vertices = id_map::read_dense(self.shop, &mut input, &mut sink)?;
            (vertices, OriginalIds::Dense, Vec::new())
        } else {
            let MappedIds { vertices, kind, files } = id_map::read_mapped(self, &mut input, &mut sink)?;
            (vertices, kind, files)
        };
        let skipped_lines = input.edges.skipped();
        let kind = match input.edges.id_kind() {
            IdKind::Integer => "integer",
            IdKind::Text => "text",
        };
        let summary = InputSummary { ids: kind.to_owned(), ..input.edges.summary() };
        drop(input);
        let counts = sink.counts();
        let OrderTables { sorters, files: tables } = sink.finish(self, vertices)?;
        files.extend(tables);
        Ok(Ranked { vertices, ids, sorters, files, skipped_lines, counts, input: summary })
    }
}

/// The number of vertices as the format holds it.
fn vertex_count(count: u64) -> Result<u32> {
    VertexId::try_from(count).ok().filter(|_| count <= MAX_VERTICES).ok_or_else(|| {
        Error::Usage(format!("the graph has {count} vertices, and a store holds at most {MAX_VERTICES}"))
    })
}
