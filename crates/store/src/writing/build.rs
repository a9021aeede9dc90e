//! Building of stores from edges.

use super::arc_sorters::{ArcSorters, DurableArcs};
use super::context::{BuildContext, BuildLimits, Writing};
use super::edges::{BuildInput, EdgeCounts, EdgeSink, OrderedArcs};
use super::id_map::{self, Input, MappedIds, ReadInput};
use super::options::{BuildOptions, BuildReport};
use super::preflight;
use super::record::{Arc as PlainArc, ArcRecord, WeightedArc};
use crate::journal::JournalEntry;
use crate::manifest::{
    ChangeEntries, EdgeRules, FORMAT_VERSION, FileEntry, GraphEntry, Manifest, Numbering, Order, OriginalIds,
};
use crate::work_context::WorkContext;
use outcrop_types::{Error, FileSummary, InputSummary, Location, Result, counted};
use serde::{Deserialize, Serialize};

/// Name of the phase in which the arcs are in sorters.
const WRITING: &str = "writing lists";

/// Builds a store at `options.target`.
///
/// # Errors
/// Returns an error with its location if the input is invalid, if the budget or disk is too small, if the target
/// exists, if writing fails, or if the build is interrupted. In all cases no files remain, and a store that was to be
/// overwritten is unchanged.
pub fn build(input: BuildInput, options: &BuildOptions<'_>, work: WorkContext<'_>) -> Result<BuildReport> {
    build_with_limits(input, options, BuildLimits::default(), work)
}

/// Same as [`build`] with other `limits`, for tests of data that exceeds them.
///
/// # Errors
///
/// Returns an error under the same conditions as [`build`].
#[doc(hidden)]
pub fn build_with_limits(
    input: BuildInput,
    options: &BuildOptions<'_>,
    limits: BuildLimits,
    work: WorkContext<'_>,
) -> Result<BuildReport> {
    options.layout.validate()?;
    work.budget.require(&options.memory(&input))?;
    preflight::check_space(&input, options, work)?;
    let context = BuildContext { work, options, spill: options.spill_folder(work.storage)?, limits };
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
    let (sorters, SortedArcs { vertices, ids, ordered, order_resumed, counts, input, mut files, .. }) =
        match resume::<A>(writing.context)? {
            Some(resumed) => resumed,
            None => sort::<A>(writing, input)?,
        };
    let journal = times.zip(input.journal).map(|(times, (segment, segments))| {
        files.extend(segments);
        JournalEntry { times: Some(times), segments: vec![segment], ..JournalEntry::built(writing.id) }
    });
    let lists = sorters.write(writing, vertices)?;
    let order = options.order.filter(|_| ordered);
    let mut rounding = input.summary.rounding();
    rounding.add(lists.rounding.clone());
    let manifest = Manifest {
        format_version: FORMAT_VERSION,
        uuid: writing.id.to_hex(),
        graph: GraphEntry {
            vertices,
            edges: lists.edges,
            arc_hash: Some(lists.arc_hash),
            directed: !options.undirected,
            weighted: A::WEIGHTED,
            weight_type: lists.weights,
            weight_rounding: Some(rounding).filter(|rounding| !rounding.is_none()),
        },
        numbering: Numbering {
            ids,
            order: order.map_or(Order::Original, |order| order.name),
            order_parameters: order.and_then(|order| order.parameters.any()),
        },
        rules: EdgeRules { dedup: options.dedup, self_loops: options.self_loops },
        lists: lists.entries,
        changes: ChangeEntries { updates: None, journal },
        built: None,
        files: files.into_iter().chain(lists.files).collect(),
    };
    let EdgeCounts { edges, loops, loops_dropped } = counts;
    let (both_directions, duplicates) = (lists.both_directions, lists.repeated);
    let duplicates_merged = edges.saturating_sub(loops_dropped).saturating_sub(manifest.graph.edges);
    let (skipped_lines, rounding) = (input.skipped_lines, lists.rounding);
    let input = InputSummary { edges, loops, duplicates, duplicates_merged, both_directions, ..input.summary };
    Ok(BuildReport { skipped_lines, loops_dropped, input, rounding, order_resumed, manifest })
}

/// State of a build whose arcs, between vertices with final numbers, are in sorters.
#[derive(Serialize, Deserialize)]
struct SortedArcs {
    vertices: u32,
    ids: OriginalIds,
    /// True if the vertices have the order named by the options, and if it was computed before the build was resumed
    /// from a checkpoint.
    ordered: bool,
    order_resumed: bool,
    counts: EdgeCounts,
    input: ReadInput,
    /// Files that map IDs to vertices.
    files: Vec<FileEntry>,
    /// The arcs, if they are durable.
    arcs: Option<DurableArcs>,
}

/// Restores arcs in sorters from a checkpoint of this phase.
fn resume<A: ArcRecord>(context: &BuildContext<'_>) -> Result<Option<(ArcSorters<A>, SortedArcs)>> {
    let Some(sorted) = context.resume::<SortedArcs>(WRITING)? else { return Ok(None) };
    let mut sorters = ArcSorters::new(context, context.work.budget.available(), None)?;
    sorted.arcs.iter().try_for_each(|arcs| sorters.resume(arcs))?;
    Ok(Some((sorters, SortedArcs { order_resumed: true, ..sorted })))
}

/// Returns the error for an input without edges and vertices.
#[cold]
fn nothing_taken(input: &InputSummary) -> Error {
    // Default: an input that is not a file has no name.
    let name = input.files.first().map_or("the input", |file| &file.name);
    let others = match input.files.len() {
        0 | 1 => String::new(),
        files => format!(" in it and {} other files", files - 1),
    };
    let sum = |of: fn(&FileSummary) -> u64| input.files.iter().map(of).sum::<u64>();
    let headers = sum(|file| u64::from(file.header.is_some()));
    let comments = sum(|file| file.comments);
    let counts = [
        (comments, "comment"),
        (sum(|file| file.blank_lines), "blank line"),
        (headers, "header"),
        (sum(|file| file.skipped), "skipped line"),
    ];
    let counts: Vec<_> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| counted(*count, what)).collect();
    let counts = if counts.is_empty() { String::new() } else { format!(" ({})", counts.join(", ")) };
    let edges = if comments > 0 { "if these comments are edges, use --comments ''; otherwise " } else { "" };
    let advice = "add vertices with --vertices or --num-vertices, or use --allow-empty for an empty graph";
    Error::bad_input(
        Location::file(name),
        format!("found no edges{others}{counts}, expected at least one; {edges}{advice}"),
    )
}

/// Reads the input, maps every endpoint to a vertex, and sorts the arcs.
fn sort<A: ArcRecord>(writing: &Writing<'_>, input: BuildInput) -> Result<(ArcSorters<A>, SortedArcs)> {
    let mut input = Input::new(input, writing.context.work.budget)?;
    let mut sink = EdgeSink::<A>::new(writing.context, input.edges_estimate());
    let (vertices, ids, mut files) = if writing.context.options.dense_ids {
        (id_map::read_dense(writing, &mut input, &mut sink)?, OriginalIds::Dense, Vec::new())
    } else {
        let MappedIds { vertices, kind, files } = id_map::read_mapped(writing, &mut input, &mut sink)?;
        (vertices, kind, files)
    };
    let input = input.end()?;
    if vertices == 0 && !writing.context.options.allow_empty {
        return Err(nothing_taken(&input.summary));
    }
    let OrderedArcs { mut sorters, counts, order, files: tables } = sink.finish(writing, vertices)?;
    files.extend(tables);
    let (ordered, order_resumed, arcs) = (order.is_some(), false, None);
    let mut sorted = SortedArcs { vertices, ids, ordered, order_resumed, counts, input, files, arcs };
    let all = sorted.input.files().chain(&sorted.files);
    let all: Vec<_> = all.cloned().collect();
    writing.checkpoint(WRITING, all.iter(), || {
        sorted.arcs = Some(sorters.keep()?);
        Ok(&sorted)
    })?;
    Ok((sorters, sorted))
}
