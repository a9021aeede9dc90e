//! Stores made from edges.

use super::arc_sorters::ArcSorters;
use super::context::{BuildContext, Writing};
use super::edges::{BuildInput, EdgeCounts, EdgeSink, IdKind, Sunk};
use super::id_map::{self, Input, MappedIds};
use super::options::{BuildOptions, BuildReport, VertexOrder};
use super::preflight;
use super::record::{Arc as PlainArc, ArcRecord, WeightedArc};
use crate::journal::{JournalEntry, SegmentEntry, SegmentWriter};
use crate::layout::csr::INTERVAL_ARCS;
use crate::manifest::{FORMAT_VERSION, FileEntry, Manifest, Order, OriginalIds};
use outcrop_io::Storage;
use outcrop_types::{Cancellation, InputSummary, MemoryBudget, Observer, Result};
use std::sync::Arc;

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
    let context = BuildContext { storage, options, budget, cancellation, observer, spill, interval_arcs };
    let weighted = input.edges.weighted();
    context.write_store(options.buffer_bytes(weighted), |writing| match weighted {
        true => write_edges::<WeightedArc>(writing, input),
        false => write_edges::<PlainArc>(writing, input),
    })
}

/// Writes the files of a store from edges.
fn write_edges<A: ArcRecord>(writing: &Writing<'_>, input: BuildInput) -> Result<BuildReport> {
    let options = writing.context.options;
    let times = input.edges.times();
    let mut ranked = rank::<A>(writing, input)?;
    let journal = times.zip(ranked.journal.take()).map(|(times, (segment, files))| {
        ranked.files.extend(files);
        JournalEntry { times: Some(times), segments: vec![segment], ..JournalEntry::new(&writing.id.to_hex(), 0) }
    });
    let lists = ranked.sorters.write(writing, ranked.vertices)?;
    let mut rounding = ranked.input.rounding();
    rounding.add(lists.rounding.clone());
    let manifest = Manifest {
        format_version: FORMAT_VERSION,
        uuid: writing.id.to_hex(),
        vertices: ranked.vertices,
        edges: lists.edges,
        arc_hash: Some(lists.arc_hash),
        directed: !options.undirected,
        weighted: A::WEIGHTED,
        weight_type: lists.weights,
        weight_rounding: Some(rounding).filter(|rounding| !rounding.is_none()),
        ids: ranked.ids,
        order: ranked.order.map_or(Order::Original, |order| order.name),
        order_parameters: ranked.order.and_then(|order| order.parameters.any()),
        dedup: options.dedup,
        self_loops: options.self_loops,
        csr: lists.csr,
        chunked: lists.chunked,
        compact: lists.compact,
        sliding: lists.sliding,
        updates: None,
        journal,
        files: ranked.files.into_iter().chain(lists.files).collect(),
    };
    let EdgeCounts { edges, loops, loops_dropped } = ranked.counts;
    let duplicates_merged = edges.saturating_sub(loops_dropped).saturating_sub(manifest.edges);
    let input = InputSummary { edges, loops, duplicates_merged, ..ranked.input };
    Ok(BuildReport { skipped_lines: ranked.skipped_lines, loops_dropped, input, rounding: lists.rounding, manifest })
}

/// The arcs of a graph whose vertices have their final numbers, ready to be written.
struct Ranked<'o, A: ArcRecord> {
    vertices: u32,
    ids: OriginalIds,
    order: Option<VertexOrder<'o>>,
    sorters: ArcSorters<A>,
    files: Vec<FileEntry>,
    skipped_lines: u64,
    counts: EdgeCounts,
    input: InputSummary,
    /// Segment of the journal, where edges have times.
    journal: Option<(SegmentEntry, [FileEntry; 2])>,
}

/// Reads the input and turns every endpoint into a vertex.
fn rank<'o, A: ArcRecord>(writing: &Writing<'o>, input: BuildInput) -> Result<Ranked<'o, A>> {
    let context = writing.context;
    let shape = (input.edges.id_kind(), true);
    let segment = |_| SegmentWriter::new(|name| writing.component(name), 0, shape, context.budget);
    let journal = input.edges.times().map(segment).transpose()?;
    let BuildInput { edges, vertices } = input;
    let mut input = Input { edges, vertices, journal };
    let mut sink = EdgeSink::<A>::new(context);
    let (vertices, ids, mut files) = if context.options.dense_ids {
        let vertices = id_map::read_dense(context, &mut input, &mut sink)?;
        (vertices, OriginalIds::Dense, Vec::new())
    } else {
        let MappedIds { vertices, kind, files } = id_map::read_mapped(writing, &mut input, &mut sink)?;
        (vertices, kind, files)
    };
    let skipped_lines = input.edges.skipped();
    let kind = match input.edges.id_kind() {
        IdKind::Integer => "integer",
        IdKind::Text => "text",
    };
    let summary = InputSummary { ids: kind.to_owned(), ..input.edges.summary() };
    let journal = input.journal.map(SegmentWriter::finish).transpose()?;
    drop((input.edges, input.vertices));
    let Sunk { sorters, counts, order, files: tables } = sink.finish(writing, vertices)?;
    files.extend(tables);
    Ok(Ranked { vertices, ids, order, sorters, files, skipped_lines, counts, input: summary, journal })
}
