//! `outcrop build`

mod explain;

use super::input_summary;
use crate::options::checkpoints::CheckpointArguments;
use crate::options::output::{RecordOptions, StoreOptions};
use crate::options::text::TextOptions;
use crate::options::work::{TemporaryOption, WorkOptions};
use crate::output::{bytes, create, info, json, print};
use clap::{Args, ValueEnum};
use outcrop::{
    BuildRecord, BuildRequest, BuildResources, Cancellation, Dedup, EdgeInput, EdgeListOptions, Error, GraphOptions,
    IdMode, InputOptions, Publishing, Result, SelfLoops, StoreForm, WeightChoice, counted,
};
use std::path::{Path, PathBuf};

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum IdsOption {
    /// Integers or strings, detected from the first edge
    Auto,
    /// Vertices are 0..max, or 0..N-1 with --num-vertices N
    Dense,
    /// Integers, quoted or unquoted
    Integer,
    /// Strings
    String,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum DedupOption {
    Keep,
    First,
    Sum,
    Min,
    Max,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum SelfLoopsOption {
    Keep,
    Drop,
}

#[derive(Debug, Args)]
#[command(
    override_usage = "outcrop build [OPTIONS] <EDGES>... <STORE>\n       outcrop build --explain [OPTIONS] <EDGES>..."
)]
pub(crate) struct BuildArguments {
    /// Edge files, folders, quoted patterns, s3://, gs:// or https:// URLs, or - for standard input; then the new store
    #[arg(required = true, value_name = "PATHS")]
    pub(crate) paths: Vec<PathBuf>,
    /// Edges are directed [default: as stated in the files, otherwise directed]
    #[arg(long, conflicts_with = "undirected")]
    pub(crate) directed: bool,
    /// Edges are undirected; the input has each edge once
    #[arg(long)]
    pub(crate) undirected: bool,
    /// Read edge weights from the third column
    #[arg(long)]
    pub(crate) weighted: bool,
    /// Timestamps are in the column after the endpoints (and the weight)
    #[arg(long)]
    pub(crate) timed: bool,
    #[command(flatten)]
    pub(crate) text: TextOptions,
    /// File of additional vertices, one ID per line
    #[arg(long, value_name = "FILE")]
    pub(crate) vertices: Option<PathBuf>,
    /// Type of the vertex IDs
    #[arg(long, value_enum, value_name = "TYPE", default_value_t = IdsOption::Auto)]
    pub(crate) ids: IdsOption,
    /// Number of vertices of --ids dense
    #[arg(long, value_name = "N")]
    pub(crate) num_vertices: Option<u64>,
    /// Repeated edges: keep all, or merge them into one with the first, sum, min or max weight
    #[arg(long, value_enum, value_name = "RULE", default_value_t = DedupOption::Keep)]
    pub(crate) dedup: DedupOption,
    /// Edges from a vertex to itself
    #[arg(long, value_enum, value_name = "RULE", default_value_t = SelfLoopsOption::Keep)]
    pub(crate) self_loops: SelfLoopsOption,
    /// Build an empty graph if the input has no edges
    #[arg(long)]
    pub(crate) allow_empty: bool,
    /// Show how the edge files would be read, with ten edges each; build nothing
    #[arg(long, conflicts_with_all = [
        "vertices", "dedup", "self_loops", "tmp_dir", "overwrite", "verify", "json", "report", "order", "order_seed",
        "layout", "page_size", "intervals", "codec", "placement", "checkpoint_dir", "checkpoint_every", "resume", "wait",
    ])]
    pub(crate) explain: bool,
    #[command(flatten)]
    pub(crate) made: StoreOptions,
    #[command(flatten)]
    pub(crate) temporary: TemporaryOption,
    #[command(flatten)]
    pub(crate) work: WorkOptions,
    #[command(flatten)]
    pub(crate) checkpoints: CheckpointArguments,
}

pub(crate) fn run(mut arguments: BuildArguments, cancellation: &Cancellation) -> Result<()> {
    if arguments.explain {
        return explain::run(&request(&arguments, PathBuf::new())?);
    }
    let Some(store) = arguments.paths.pop().filter(|_| !arguments.paths.is_empty()) else {
        let message = "only one path given; usage: outcrop build EDGES... STORE";
        return Err(Error::Usage(message.to_owned()));
    };
    let request = request(&arguments, store)?;
    let build = || outcrop::build(&request, cancellation, &*arguments.work.progress.observer());
    write(&arguments.made.record, &[&request.store], build)
}

/// Writes a store with `write`, then its report and its summary.
pub(super) fn write(
    options: &RecordOptions,
    stores: &[&PathBuf],
    write: impl FnOnce() -> Result<BuildRecord>,
) -> Result<()> {
    if options.report.as_ref().is_some_and(|path| stores.contains(&path)) {
        return Err(Error::Usage("--report and a store have the same path".to_owned()));
    }
    let report = create(options.report.as_deref(), options.overwrite())?;
    let record = write()?;
    if let Some(report) = report {
        outcrop::write_report(&record.to_html(), report)?;
    }
    summarize(&record, options.json())
}

fn request(arguments: &BuildArguments, store: PathBuf) -> Result<BuildRequest> {
    let (edges, made) = (arguments.paths.iter().map(|path| input(path)).collect(), &arguments.made);
    Ok(BuildRequest {
        input: InputOptions {
            vertices: arguments.vertices.as_deref().map(input),
            text: EdgeListOptions { timed: arguments.timed, ..arguments.text.edges(arguments.weighted)? },
            ids: match arguments.ids {
                IdsOption::Auto => IdMode::Auto,
                IdsOption::Dense => IdMode::Dense,
                IdsOption::Integer => IdMode::Integer,
                IdsOption::String => IdMode::Text,
            },
            num_vertices: arguments.num_vertices,
        },
        graph: GraphOptions {
            directed: (arguments.directed || arguments.undirected).then_some(arguments.directed),
            dedup: match arguments.dedup {
                DedupOption::Keep => Dedup::Keep,
                DedupOption::First => Dedup::First,
                DedupOption::Sum => Dedup::Sum,
                DedupOption::Min => Dedup::Min,
                DedupOption::Max => Dedup::Max,
            },
            self_loops: match arguments.self_loops {
                SelfLoopsOption::Keep => SelfLoops::Keep,
                SelfLoopsOption::Drop => SelfLoops::Drop,
            },
            allow_empty: arguments.allow_empty,
            weights: made.weight_type.unwrap_or(WeightChoice::Auto),
        },
        form: StoreForm {
            layout: made.layout.layout()?,
            // Default: the order that a sample suggests.
            order: made.order.order()?.unwrap_or_default(),
        },
        resources: BuildResources {
            memory: arguments.work.resources.memory,
            threads: arguments.work.resources.threads(),
            temp_folder: arguments.temporary.tmp_dir.clone(),
        },
        publishing: Publishing {
            overwrite: made.record.overwrite(),
            wait: made.wait.wait,
            verify: made.verify,
            checkpoints: arguments.checkpoints.options(),
        },
        ..BuildRequest::new(edges, store)
    })
}

/// A file, or the standard input for `-`.
pub(crate) fn input(path: &Path) -> EdgeInput {
    if path.as_os_str() == "-" { EdgeInput::StandardInput } else { EdgeInput::from(path) }
}

/// Note on lines that were skipped.
pub(super) fn not_understood(lines: u64) -> String {
    format!("outcrop: note: skipped {} that could not be parsed", counted(lines, "line"))
}

fn summarize(record: &BuildRecord, as_json: bool) -> Result<()> {
    if record.input.skipped_lines > 0 {
        info(&not_understood(record.input.skipped_lines));
    }
    if as_json {
        return print(&json(record)?);
    }
    let rate = record.graph.edges as f64 / record.cost.seconds.max(1e-9);
    info(&format!(
        "{}: {}, {}, {} in {:.1} s ({} per second, at most {} of memory)",
        record.store,
        counted(record.graph.vertices.into(), "vertex"),
        counted(record.graph.edges, "edge"),
        bytes(record.graph.bytes),
        record.cost.seconds,
        counted(rate as u64, "edge"),
        bytes(record.memory.peak_rss),
    ));
    // The original order needs no reason.
    let reason = record.graph.order_reason.iter().filter(|_| record.graph.order != "original");
    reason.for_each(|reason| info(&format!("order: {} ({reason})", record.graph.order)));
    input_summary::lines(record).iter().for_each(|line| info(line));
    Ok(())
}
