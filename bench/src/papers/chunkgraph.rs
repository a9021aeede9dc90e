//! ChunkGraph (Wang et al., USENIX ATC 2024): figure 11 and tables 3 to 5, the gain of each technique.

use crate::harness::{Harness, MadeStore, Setup};
use crate::output::{bytes, count, percent, remark};
use crate::table::{Grid, Section, Table};
use clap::Args;
use outcrop::{
    Cancellation, ChunkSettings, Codec, CsrSettings, DenseAccess, Graph, Layout, LayoutInfo, OpenOptions, Placement,
    Result, RunRequest,
};

#[derive(Debug, Args)]
pub(crate) struct ChunkgraphArguments {
    /// Algorithms to run
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "bfs,bc,kcore,radii,pagerank")]
    pub(crate) algorithms: Vec<String>,
    #[command(flatten)]
    pub(crate) setup: Setup,
}

/// Store layout, and the order in which its lists are swept.
struct Variant {
    name: &'static str,
    meaning: &'static str,
    layout: Layout,
    dense_access: DenseAccess,
}

/// Returns the techniques in the order of the paper, followed by those of outcrop.
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
        by("combined", "ascending lists combined, by chunk, 4 bytes per neighbor", Layout::Chunked(combined), chunk),
        by("default", "the same with packed neighbors", Layout::default(), chunk),
    ]
}

pub(crate) fn run(arguments: &ChunkgraphArguments, cancellation: &Cancellation) -> Result<()> {
    let harness = Harness::new(&arguments.setup, cancellation);
    let columns = ["bytes per edge", "fragmentation", "index, bytes per vertex", "seconds to make"];
    let (mut space, mut grid) = (Table::new("Space, out-lists", columns), Grid::default());
    let mut last: Option<(Layout, MadeStore)> = None;
    for variant in variants() {
        remark(&format!("{}: {}", variant.name, variant.meaning));
        // +ICL and +ICLA use the same store.
        let same = last.take().filter(|(layout, _)| *layout == variant.layout);
        let (seconds, made) = match same {
            Some((_, made)) => (0.0, made),
            None => {
                let made = harness.convert("chunkgraph", variant.layout.clone(), None)?;
                (made.seconds, made)
            }
        };
        let options = OpenOptions { dense_access: variant.dense_access, ..harness.options() };
        let info = Graph::open(&made.path, options.clone())?.info();
        info.layouts.iter().take(1).for_each(|layout| space.row(variant.name, space_cells(layout, seconds)));
        let run = |name: &String| harness.run(&made.path, &options, &request(&harness, name)?);
        grid.row(variant.name, arguments.algorithms.iter().map(run).collect::<Result<_>>()?);
        last = Some((variant.layout, made));
    }
    let tables = vec![
        space,
        grid.table("Seconds", |run| format!("{:.2}", run.time.seconds)),
        grid.table("CPU seconds", |run| format!("{:.2}", run.time.user_seconds + run.time.system_seconds)),
        grid.table("Bytes read", |run| bytes(run.traffic.bytes_read)),
        grid.table("Chunks accessed", |run| count(run.cache.cache_hits + run.cache.cache_misses)),
    ];
    let found = "each technique adds to the gain; reordering and combining bring up to 2.54 times and lower the fragmentation from 11.80% to \
                 6.96%";
    let section = Section::new("Figure 11, tables 3 to 5", found, tables);
    harness.print(&[variants()
        .iter()
        .fold(section, |section, variant| section.here(format!("{}: {}", variant.name, variant.meaning)))])
}

fn request(harness: &Harness<'_>, name: &str) -> Result<RunRequest<'static>> {
    let request = harness.request(name)?;
    match name {
        "pagerank" => request.with("iterations", 10_u32),
        "kcore" => request.with("k", 10_u32),
        "bc" => request.with("source", harness.setup.source.clone()),
        _ => Ok(request),
    }
}

fn space_cells(layout: &LayoutInfo, seconds: f64) -> [String; 4] {
    let levels = layout.chunks.iter().flat_map(|chunks| chunks.settings.levels.iter().zip(&chunks.levels));
    let (all, free) = levels.fold((0, 0), |(all, free), (level, figures)| {
        (all + figures.chunks * u64::from(level.chunk_bytes), free + figures.white_space)
    });
    let (per_arc, per_vertex) = (layout.bytes_per_arc, layout.index_bytes_per_vertex);
    [format!("{per_arc:.2}"), percent(free, all), format!("{per_vertex:.2}"), format!("{seconds:.1}")]
}
