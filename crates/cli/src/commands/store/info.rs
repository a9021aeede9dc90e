//! `outcrop info`

use crate::options::output::JsonOption;
use crate::options::work::Resources;
use crate::output::{bytes, count, json, print};
use clap::Args;
use outcrop::{
    Cancellation, ChunkInfo, Error, Graph, GraphInfo, LayoutInfo, LayoutKind, LocalityInfo, OpenOptions, Result,
    StaticCacheInfo, counted,
};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(mut_arg("memory", |memory| memory.requires("locality")))]
#[command(mut_arg("threads", |threads| threads.requires("locality")))]
pub(crate) struct InfoArguments {
    /// Path of the store
    pub(crate) store: PathBuf,
    /// Measure the locality of the vertex order; reads all lists
    #[arg(long)]
    pub(crate) locality: bool,
    #[command(flatten)]
    pub(crate) resources: Resources,
    #[command(flatten)]
    pub(crate) output: JsonOption,
}

pub(crate) fn run(arguments: &InfoArguments, cancellation: &Cancellation) -> Result<()> {
    // Only measuring takes threads and memory.
    let threads = if arguments.locality { arguments.resources.threads() } else { Some(1) };
    let (memory, cancellation) = (arguments.resources.memory, cancellation.clone());
    let options = OpenOptions { threads, memory, cancellation, ..OpenOptions::default() };
    let graph = Graph::open(&arguments.store, options)?;
    let locality = arguments.locality.then(|| graph.locality()).transpose()?;
    let info = GraphInfo { locality, ..graph.info() };
    print(&if arguments.output.json { json(&info)? } else { table(&info)? })
}

fn table(info: &GraphInfo) -> Result<String> {
    let kind = |yes: bool, one: &'static str, other: &'static str| if yes { one } else { other };
    let mut lines = vec![
        format!("store        {}", info.store),
        format!("uuid         {} (format {})", info.uuid, info.format_version),
        format!("vertices     {}", count(info.vertices.into())),
        format!("edges        {}", count(info.edges)),
        format!(
            "kind         {}, {}",
            kind(info.directed, "directed", "undirected"),
            info.weight_type.map_or_else(|| "unweighted".to_owned(), |kind| format!("weights as {}", kind.name()))
        ),
        format!("ids          {}", word(&info.ids)?),
        format!("order        {}", order(info)?),
        format!("built with   --dedup {} --self-loops {}", word(&info.dedup)?, word(&info.self_loops)?),
        format!("on disk      {}", bytes(info.bytes)),
    ];
    let rounded = info.weight_rounding.iter().map(|rounding| format!("weights      {rounding}"));
    lines.extend(rounded);
    for layout in &info.layouts {
        lines.push(format!(
            "{:<12} {} lists: {} in {} ({:.2} bytes per entry), index {} ({:.2} bytes per vertex)",
            layout.layout,
            directions(info, layout),
            counted(layout.arcs, "entry"),
            bytes(layout.bytes),
            layout.bytes_per_arc,
            bytes(layout.index_bytes),
            layout.index_bytes_per_vertex,
        ));
        if layout.layout == LayoutKind::Sliding.name() {
            lines.extend(layout.intervals.map(|intervals| {
                let intervals = intervals as u64;
                format!("             {} and {}", counted(intervals, "interval"), counted(intervals, "shard"))
            }));
        }
        lines.extend(layout.page_bytes.map(|page| format!("             pages of {}", bytes(page.into()))));
        if let (Some(codec), Some(index)) = (&layout.codec, layout.stored_index_bytes) {
            lines.push(format!("             neighbor codec {}, index of {} on disk", word(codec)?, bytes(index)));
        }
        if let Some(chunks) = &layout.chunks {
            lines.extend(chunk_lines(chunks)?);
        }
    }
    if info.generation > 0 {
        lines.push(format!("generation   {}", count(info.generation)));
    }
    lines.extend(info.times.iter().map(|times| {
        let (edges, size) = (counted(times.edges, "edge"), bytes(times.bytes));
        format!("times        {} to {}, {edges}, {size} on disk", times.from, times.to)
    }));
    lines.extend(info.updates.iter().map(|updates| {
        let new = Some(updates.new_vertices).filter(|new| *new > 0);
        let new = new.map_or_else(String::new, |new| format!(", {} added", counted(new.into(), "vertex")));
        // A directed edge has an entry in both directions; an undirected loop has only one.
        let (unit, entries) = if info.directed { ("edge", 2) } else { ("list entry", 1) };
        format!(
            "updates      {} pending: {} deleted, {} inserted{new}, {} on disk",
            counted(updates.generation, "update"),
            counted(updates.removed_arcs / entries, unit),
            count(updates.added_arcs / entries),
            bytes(updates.bytes),
        )
    }));
    lines.extend(info.static_cache.iter().map(static_line));
    lines.extend(info.locality.iter().flat_map(locality_lines));
    Ok(lines.join("\n"))
}

/// Directions of the lists of a layout.
fn directions(info: &GraphInfo, layout: &LayoutInfo) -> &'static str {
    // Shards serve both.
    if layout.layout == LayoutKind::Sliding.name() && info.directed { "out and in" } else { layout.direction.name() }
}

/// The order and its parameters.
fn order(info: &GraphInfo) -> Result<String> {
    // Default: orders without parameters have none.
    let parameters = info.order_parameters.unwrap_or_default();
    let seed = parameters.seed.map(|seed| format!(", seed {seed}"));
    let window = parameters.window.map(|window| format!(", window {window}"));
    let depth = parameters.depth.map(|depth| format!(", depth {depth}"));
    Ok([Some(word(&info.order)?), seed, window, depth].into_iter().flatten().collect())
}

/// Distances between the lists of neighbors.
fn locality_lines(locality: &LocalityInfo) -> Vec<String> {
    let page = bytes(locality.page_bytes);
    vec![
        format!(
            "locality     {} lists: cost {:.3e} (in-degree times variance of the neighbor IDs)",
            locality.direction.name(),
            locality.figures.cost
        ),
        format!(
            "             distance from a list to that of a neighbor, in pages of {page}: mean {:.1}, median {}, 90th percentile {}",
            locality.figures.mean,
            count(locality.figures.median),
            count(locality.figures.percentile_90)
        ),
        format!(
            "             {:.2}% of neighbors on the same page; {:.3} pages per neighbor",
            100.0 * locality.figures.same_page,
            locality.figures.pages_per_neighbor
        ),
    ]
}

/// The pinned lists of a direction.
fn static_line(info: &StaticCacheInfo) -> String {
    match info {
        StaticCacheInfo::Damaged { direction, damaged } => {
            format!("pinned lists {}: {damaged}", direction.name())
        }
        StaticCacheInfo::Kept(selection) => format!(
            "pinned lists {}: {} with {}, {}, selected by {}",
            selection.direction.name(),
            count(selection.lists.into()),
            counted(selection.arcs, "entry"),
            bytes(selection.bytes),
            match selection.rounds {
                0 => selection.method.clone(),
                rounds => format!("{} in {}", selection.method, counted(rounds.into(), "round")),
            }
        ),
    }
}

/// Settings of the chunks, and content of each level.
fn chunk_lines(chunks: &ChunkInfo) -> Result<Vec<String>> {
    let settings = &chunks.settings;
    let mut lines = vec![format!(
        "             {} codec, {} index, {} placement; {} of short lists in the index ({})",
        word(&settings.codec)?,
        word(&settings.index)?,
        word(&settings.placement)?,
        counted(chunks.mini_entries, "entry"),
        bytes(chunks.mini_bytes),
    )];
    let levels = settings.levels.iter().zip(&chunks.levels).filter(|(_, figures)| figures.chunks > 0);
    lines.extend(levels.map(|(level, figures)| {
        let all = figures.chunks * u64::from(level.chunk_bytes);
        format!(
            "             {} of {}: {}, {}, {:.2}% unused",
            counted(figures.chunks, "chunk"),
            bytes(level.chunk_bytes.into()),
            counted(figures.lists, "list"),
            counted(figures.arcs, "entry"),
            100.0 * figures.white_space as f64 / all as f64,
        )
    }));
    Ok(lines)
}

/// The word that a choice has in manifests.
fn word(choice: &impl serde::Serialize) -> Result<String> {
    let value = serde_json::to_value(choice).ok();
    let word = value.as_ref().and_then(|value| value.as_str()).map(str::to_owned);
    word.ok_or_else(|| Error::internal("a choice in a manifest is not a string"))
}
