//! `outcrop bench chunkgraph`: what each technique of ChunkGraph brings (Wang et al., USENIX ATC 2024, figure 11 and tables 3 to 5).

use super::markdown::Table;
use super::trials::{self, make};
use crate::arguments::ChunkgraphArguments;
use crate::output::{bytes, count, json, remark, say};
use outcrop::{
    Cancellation, ChunkSettings, Codec, CsrSettings, DenseAccess, Error, Graph, Layout, LayoutInfo, OpenOptions,
    Placement, Result, RunRequest,
};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// A version of the store, and how it is read.
struct Variant {
    name: &'static str,
    meaning: &'static str,
    layout: Layout,
    dense_access: DenseAccess,
}

/// The techniques one after the other, as the paper adds them, and what outcrop makes of them.
fn variants() -> Vec<Variant> {
    let chunks = ChunkSettings { codec: Codec::Raw32, combine: false, ..ChunkSettings::default() };
    let by = |name, meaning, layout, dense_access| Variant { name, meaning, layout, dense_access };
    let index_only = ChunkSettings { straddle: true, levels: ChunkSettings::levels_of(&[4 << 10]), ..chunks.clone() };
    let reordered = ChunkSettings { combine: true, placement: Placement::Reordered, ..chunks.clone() };
    let combined = ChunkSettings { combine: true, ..chunks.clone() };
    let (vertex, chunk) = (DenseAccess::ByVertex, DenseAccess::ByChunk);
    vec![
        by("csr", "lists one after the other", Layout::Csr(CsrSettings::default()), chunk),
        by("+I", "small lists in the index", Layout::Chunked(index_only), vertex),
        by("+IC", "and chunks of four sizes", Layout::Chunked(chunks), vertex),
        by("+ICL", "and lists reordered and combined", Layout::Chunked(reordered.clone()), vertex),
        by("+ICLA", "and dense access by chunk: ChunkGraph", Layout::Chunked(reordered), chunk),
        by("combined", "ascending lists combined, by chunk, 4 bytes a neighbour", Layout::Chunked(combined), chunk),
        by("default", "the same with packed neighbours", Layout::default(), chunk),
    ]
}

#[derive(Serialize)]
struct Measured {
    variant: &'static str,
    convert_seconds: f64,
    layouts: Vec<LayoutInfo>,
    runs: Vec<Run>,
}

/// The run of middle length of several.
#[derive(Serialize)]
struct Run {
    algorithm: String,
    seconds: f64,
    cpu_seconds: f64,
    bytes_read: u64,
    requests: u64,
    /// Chunks, or units of `csr`, that were looked at, in memory or not.
    accesses: u64,
}

pub(crate) fn run(arguments: &ChunkgraphArguments, cancellation: &Cancellation) -> Result<()> {
    let mut measured: Vec<Measured> = Vec::new();
    let mut last: Option<PathBuf> = None;
    for variant in variants() {
        let store =
            arguments.work.join(format!("chunkgraph-{}.outcrop", variant.name.trim_start_matches('+').to_lowercase()));
        // ByVertex and ByChunk read the same store.
        let convert_seconds = match (&last, variant.name) {
            (Some(same), "+ICLA") => {
                std::fs::rename(same, &store).map_err(|error| Error::io("rename", same, error))?;
                0.0
            }
            _ => {
                let stores = (&*arguments.store, &*store);
                make(&arguments.options, cancellation, stores, variant.layout.clone(), None)?.seconds
            }
        };
        remark(&format!("outcrop: {}: {} ({convert_seconds:.1} s to make)", variant.name, variant.meaning));
        let outcome = measure(arguments, &variant, &store, convert_seconds, cancellation);
        if variant.name == "+ICL" && outcome.is_ok() {
            last = Some(store);
        } else {
            std::fs::remove_dir_all(&store).map_err(|error| Error::io("remove", &store, error))?;
        }
        measured.push(outcome?);
    }
    say(&if arguments.json { json(&measured)? } else { tables(&measured) })
}

fn measure(
    arguments: &ChunkgraphArguments,
    variant: &Variant,
    store: &Path,
    convert_seconds: f64,
    cancellation: &Cancellation,
) -> Result<Measured> {
    let options = OpenOptions { dense_access: variant.dense_access, ..arguments.options.open(cancellation) };
    let graph = Graph::open(store, options)?;
    let runs = arguments.algorithms.iter().map(|name| median(&graph, name, arguments)).collect::<Result<_>>()?;
    Ok(Measured { variant: variant.name, convert_seconds, layouts: graph.info().layouts, runs })
}

/// Runs an algorithm several times and gives the run of middle length.
fn median(graph: &Graph, name: &str, arguments: &ChunkgraphArguments) -> Result<Run> {
    let request = RunRequest::new(name)?;
    let request = match name {
        "pagerank" => request.with("iterations", 10_u32)?.with("unweighted", true)?,
        "kcore" => request.with("k", 10_u32)?,
        "bfs" | "sssp" | "bc" => request.with("source", vec![arguments.source.clone()])?,
        "ppr" => request.with("source", vec![arguments.source.clone()])?.with("unweighted", true)?,
        _ => request,
    };
    let middle = trials::median(graph, &request, arguments.repeat)?;
    Ok(Run {
        algorithm: name.to_owned(),
        seconds: middle.seconds,
        cpu_seconds: middle.user_seconds + middle.system_seconds,
        bytes_read: middle.bytes_read,
        requests: middle.requests,
        accesses: middle.cache_hits + middle.cache_misses,
    })
}

fn tables(measured: &[Measured]) -> String {
    let mut space =
        Table::new("Space, out-lists", ["bytes an edge", "white space", "index, bytes a vertex", "seconds to make"]);
    measured.iter().for_each(|variant| space_row(&mut space, variant));
    let algorithms = measured.first().map(|first| first.runs.iter().map(|run| run.algorithm.as_str()));
    let algorithms: Vec<&str> = algorithms.into_iter().flatten().collect();
    let table = |title: &str, cell: &dyn Fn(&Run) -> String| {
        let mut table = Table::new(title, algorithms.iter().copied());
        measured.iter().for_each(|variant| table.row(variant.variant, variant.runs.iter().map(cell)));
        table
    };
    let tables = [
        space,
        table("Seconds", &|run| format!("{:.2}", run.seconds)),
        table("CPU seconds", &|run| format!("{:.2}", run.cpu_seconds)),
        table("Bytes read", &|run| bytes(run.bytes_read)),
        table("Chunks accessed", &|run| count(run.accesses)),
    ];
    tables.iter().map(Table::text).collect::<String>().trim_end().to_owned()
}

fn space_row(table: &mut Table, variant: &Measured) {
    let Some(layout) = variant.layouts.first() else { return };
    let levels = layout.chunks.iter().flat_map(|chunks| chunks.settings.levels.iter().zip(&chunks.levels));
    let (all, white) = levels.fold((0, 0), |(all, white), (level, figures)| {
        (all + figures.chunks * u64::from(level.chunk_bytes), white + figures.white_space)
    });
    let share = if all == 0 { "-".to_owned() } else { format!("{:.2}%", 100.0 * white as f64 / all as f64) };
    let (per_arc, per_vertex) = (layout.bytes_per_arc, layout.index_bytes_per_vertex);
    let cells = [format!("{per_arc:.2}"), share, format!("{per_vertex:.2}"), format!("{:.1}", variant.convert_seconds)];
    table.row(variant.variant, cells);
}
