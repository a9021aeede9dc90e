//! `outcrop build`

use super::{explain, input_summary};
use crate::options::checkpoints::CheckpointArguments;
use crate::options::layout::LayoutOptions;
use crate::options::order::OrderOptions;
use crate::options::text::TextOptions;
use crate::options::work::{WaitOption, WorkOptions};
use crate::output::{bytes, create, json, remark, say};
use clap::{Args, ValueEnum};
use outcrop::{
    BuildRecord, BuildRequest, Cancellation, Dedup, EdgeInput, EdgeListOptions, Error, IdMode, Result, SelfLoops,
    WeightChoice, counted,
};
use std::path::{Path, PathBuf};

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum IdsOption {
    /// Whole numbers or texts, as the first edge shows
    Auto,
    /// The vertices are 0..max, or 0..N-1 with --num-vertices
    Dense,
    /// Whole numbers, in quotes or not
    Integer,
    /// Texts
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
    /// Files of edges, folders of them, quoted patterns, each also as s3://, gs:// or https:// address, or `-` for standard input; then the store to make
    #[arg(required = true, value_name = "PATHS")]
    pub(crate) paths: Vec<PathBuf>,
    /// Edges have a direction [default: what the files state, else that they have]
    #[arg(long, conflicts_with = "undirected")]
    pub(crate) directed: bool,
    /// Edges have no direction; list each once
    #[arg(long)]
    pub(crate) undirected: bool,
    /// Edges have weights, in the third column
    #[arg(long)]
    pub(crate) weighted: bool,
    /// Edges have weights, in this column
    #[arg(long, value_name = "COLUMN")]
    pub(crate) weight: Option<String>,
    /// Type of weights in the store: auto (the narrowest that holds all of them), f64, f32 (rounds), u8, u16, u32
    #[arg(long, value_name = "TYPE", default_value = "auto")]
    pub(crate) weight_type: WeightChoice,
    /// Edges have times, in the column behind those that are read
    #[arg(long)]
    pub(crate) timed: bool,
    #[command(flatten)]
    pub(crate) text: TextOptions,
    /// A file of further vertices, one id a line
    #[arg(long, value_name = "FILE")]
    pub(crate) vertices: Option<PathBuf>,
    /// Kind of the ids
    #[arg(long, value_enum, default_value_t = IdsOption::Auto)]
    pub(crate) ids: IdsOption,
    /// With --ids dense: the vertices are 0..N-1
    #[arg(long, value_name = "N")]
    pub(crate) num_vertices: Option<u64>,
    /// Treatment of edges that occur more than once
    #[arg(long, value_enum, default_value_t = DedupOption::Keep)]
    pub(crate) dedup: DedupOption,
    /// Treatment of edges from a vertex to itself
    #[arg(long, value_enum, default_value_t = SelfLoopsOption::Keep)]
    pub(crate) self_loops: SelfLoopsOption,
    /// Build a graph without vertices if the input has no edges
    #[arg(long)]
    pub(crate) allow_empty: bool,
    /// Folder for temporary files [default: beside the store]
    #[arg(long, value_name = "DIR")]
    pub(crate) tmp_dir: Option<PathBuf>,
    /// Replace a store (and report) that stands there
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// Read the whole store back and check it before it appears
    #[arg(long)]
    pub(crate) verify: bool,
    /// Print how the edges would be read, with the first ten of each file, and build nothing; all paths are files of edges
    #[arg(long, conflicts_with_all = [
        "vertices", "dedup", "self_loops", "tmp_dir", "overwrite", "verify", "json", "report", "order", "order_seed",
        "window", "layout", "page_size", "intervals", "codec", "index", "placement", "chunk_sizes", "mini_degree",
        "no_combine", "checkpoint_dir", "checkpoint_every", "resume", "wait",
    ])]
    pub(crate) explain: bool,
    /// Print what was built as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Write an HTML report of the build
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) order: OrderOptions,
    #[command(flatten)]
    pub(crate) layout: LayoutOptions,
    #[command(flatten)]
    pub(crate) wait: WaitOption,
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
        let message = "build takes files of edges, then the store to make; only one path was given";
        return Err(Error::Usage(message.to_owned()));
    };
    let request = request(&arguments, store)?;
    if arguments.report.as_ref().is_some_and(|path| *path == request.store) {
        return Err(Error::Usage("--report names the store".to_owned()));
    }
    let report = create(arguments.report.as_deref(), arguments.overwrite)?;
    let record = outcrop::build(&request, cancellation, &*arguments.work.progress.progress.observer())?;
    if let Some(report) = report {
        outcrop::write_report(&record.to_html(), report)?;
    }
    summarize(&record, arguments.json)
}

fn request(arguments: &BuildArguments, store: PathBuf) -> Result<BuildRequest> {
    let edges = arguments.paths.iter().map(|path| input(path)).collect();
    Ok(BuildRequest {
        vertices: arguments.vertices.as_deref().map(input),
        text: EdgeListOptions {
            timed: arguments.timed,
            ..arguments.text.edges(arguments.weighted, arguments.weight.as_ref())?
        },
        ids: match arguments.ids {
            IdsOption::Auto => IdMode::Auto,
            IdsOption::Dense => IdMode::Dense,
            IdsOption::Integer => IdMode::Integer,
            IdsOption::String => IdMode::Text,
        },
        num_vertices: arguments.num_vertices,
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
        layout: arguments.layout.layout()?,
        // Default: the order that a sample suggests.
        order: arguments.order.order()?.unwrap_or_default(),
        memory: arguments.work.memory,
        threads: arguments.work.threads(),
        weights: arguments.weight_type,
        temp_folder: arguments.tmp_dir.clone(),
        overwrite: arguments.overwrite,
        wait: arguments.wait.wait,
        verify: arguments.verify,
        checkpoints: arguments.checkpoints.options(),
        ..BuildRequest::new(edges, store)
    })
}

/// A file, or the standard input for `-`.
pub(crate) fn input(path: &Path) -> EdgeInput {
    if path.as_os_str() == "-" { EdgeInput::StandardInput } else { EdgeInput::from(path) }
}

/// Note on lines that were skipped.
pub(super) fn not_understood(lines: u64) -> String {
    let was = if lines == 1 { "was" } else { "were" };
    format!("outcrop: note: {} {was} skipped as not understood", counted(lines, "line"))
}

pub(super) fn summarize(record: &BuildRecord, as_json: bool) -> Result<()> {
    if record.skipped_lines > 0 {
        remark(&not_understood(record.skipped_lines));
    }
    if as_json {
        return say(&json(record)?);
    }
    let rate = record.edges as f64 / record.seconds.max(1e-9);
    remark(&format!(
        "{}: {}, {}, {} in {:.1} s ({} a second, at most {} of memory)",
        record.store,
        counted(record.vertices.into(), "vertex"),
        counted(record.edges, "edge"),
        bytes(record.bytes),
        record.seconds,
        counted(rate as u64, "edge"),
        bytes(record.peak_rss),
    ));
    input_summary::lines(record).iter().for_each(|line| remark(line));
    Ok(())
}
