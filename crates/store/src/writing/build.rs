//! Stores made from edges.

use super::arc_sorters::ArcSorters;
use super::context::{BuildContext, Writing};
use super::edges::{BuildInput, EdgeCounts, EdgeSink, IdKind, Sunk};
use super::id_map::{self, MappedIds};
use super::options::{BuildOptions, BuildReport, VertexOrder};
use super::preflight;
use super::record::{Arc as PlainArc, ArcRecord, WeightedArc};
use crate::journal::{self, JournalEntry, Journaled, SegmentWriter};
use crate::layout::csr::INTERVAL_ARCS;
use crate::manifest::{FORMAT_VERSION, FileEntry, Manifest, Order, OriginalIds};
use outcrop_io::Storage;
use outcrop_types::{Cancellation, Error, InputSummary, MemoryBudget, Observer, Result, TimeRule};
use std::sync::{Arc, Mutex};

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
    let (input, segment) = journaled(writing, input)?;
    let ranked = rank::<A>(writing, input)?;
    let (journal, segment) = match segment {
        None => (None, None),
        Some((times, segment)) => {
            let written = journal::finish(&segment)?;
            let (entry, files) = written.ok_or_else(|| Error::internal("a journal was ended before its build"))?;
            let mut journal = JournalEntry::new(&writing.id.to_hex(), 0);
            journal.times = Some(times);
            journal.segments.push(entry);
            (Some(journal), Some(files))
        }
    };
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
        files: ranked.files.into_iter().chain(lists.files).chain(segment.into_iter().flatten()).collect(),
    };
    let EdgeCounts { edges, loops, loops_dropped } = ranked.counts;
    let duplicates_merged = edges.saturating_sub(loops_dropped).saturating_sub(manifest.edges);
    let input = InputSummary { edges, loops, duplicates_merged, ..ranked.input };
    Ok(BuildReport { skipped_lines: ranked.skipped_lines, loops_dropped, input, rounding: lists.rounding, manifest })
}

/// A segment of a journal under way, and the rule of its times.
type Segment = (TimeRule, Arc<Mutex<Option<SegmentWriter>>>);

/// The input, which writes edges with times into a segment as it is read.
fn journaled(writing: &Writing<'_>, input: BuildInput) -> Result<(BuildInput, Option<Segment>)> {
    let Some(times) = input.edges.times() else { return Ok((input, None)) };
    let shape = (input.edges.id_kind(), true);
    let writer = SegmentWriter::new(|name| writing.component(name), 0, shape, writing.context.budget)?;
    let (edges, segment) = Journaled::new(input.edges, writer);
    Ok((BuildInput { edges: Box::new(edges), ..input }, Some((times, segment))))
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
}

/// Reads the input and turns every endpoint into a vertex.
fn rank<'o, A: ArcRecord>(writing: &Writing<'o>, mut input: BuildInput) -> Result<Ranked<'o, A>> {
    let context = writing.context;
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
    drop(input);
    let Sunk { sorters, counts, order, files: tables } = sink.finish(writing, vertices)?;
    files.extend(tables);
    Ok(Ranked { vertices, ids, order, sorters, files, skipped_lines, counts, input: summary })
}
