//! `outcrop run`

use crate::algorithm_command::AlgorithmCommand;
use crate::commands::spark::{self, SparkOptions};
use crate::options::checkpoints::CheckpointArguments;
use crate::options::headings::{ADVANCED, CHECKPOINTS, TIME_WINDOWS};
use crate::options::output::RecordOptions;
use crate::options::work::ReadOptions;
use crate::output::{bytes, count, create, info, json, print, stdout};
use crate::typed::typed;
use clap::Args;
use outcrop::{
    CacheSize, Cancellation, Error, Graph, OpenOptions, PendingFile, Result, ResultTable, RunRecord, RunRequest,
    StaticShare, TableFormat, Window, WindowFolder, counted, redacted,
};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Options of `outcrop run` besides the parameters of an algorithm.
#[derive(Debug, Args)]
pub(crate) struct RunOptions {
    #[command(flatten)]
    pub(crate) output: OutputOptions,
    #[command(flatten)]
    pub(crate) reading: ReadOptions,
    #[command(flatten)]
    pub(crate) caches: CacheOptions,
    #[command(flatten)]
    pub(crate) checkpoints: CheckpointArguments,
    /// Start from the previous result in this folder and store the new one there
    #[arg(long, value_name = "DIR", conflicts_with = "checkpoint_dir", help_heading = CHECKPOINTS)]
    pub(crate) incremental: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) times: TimeArguments,
    #[command(flatten)]
    pub(crate) spark: SparkOptions,
    /// Do not record the run in the run history (outcrop runs)
    #[arg(long, help_heading = ADVANCED)]
    pub(crate) no_history: bool,
}

/// Time windows of the edges that form the graph.
#[derive(Debug, Args)]
#[command(next_help_heading = TIME_WINDOWS)]
pub(crate) struct TimeArguments {
    /// Use the edges with FROM <= time < TO: numbers, or dates such as 2024-01-31 or 2024-01-31T12:00:00Z
    #[arg(long, num_args = 2, value_names = ["FROM", "TO"], conflicts_with_all = ["checkpoint_dir", "incremental", "window"])]
    between: Option<Vec<String>>,
    /// Run once per window of this length (1month, 12h, or a number); -o names a folder for one Parquet file per window
    #[arg(long, value_name = "LENGTH", conflicts_with_all = ["checkpoint_dir", "incremental", "top", "report"], requires = "output")]
    window: Option<String>,
    /// Time between the starts of two windows [default: the window length]
    #[arg(long, value_name = "LENGTH", requires = "window")]
    step: Option<String>,
}

/// Destination of the result.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputOptions {
    /// Output file: .csv, .tsv, .jsonl, .parquet or .npy
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Print the N largest rows [default: 10 without -o and --json]
    #[arg(long, value_name = "N")]
    pub(crate) top: Option<usize>,
    #[command(flatten)]
    pub(crate) record: RecordOptions,
}

/// Caches in memory.
#[derive(Debug, Args)]
#[command(next_help_heading = "Memory and I/O")]
pub(crate) struct CacheOptions {
    /// Size of the page cache: 1GiB, a percentage of --memory, or auto (the rest of the budget)
    #[arg(long, value_name = "SIZE", default_value = "auto")]
    pub(crate) page_cache: CacheSize,
    /// Fraction of the page cache for pinned lists (outcrop cache): 80%, 0.8, or auto (80% or 0, by algorithm and size)
    #[arg(long, value_name = "FRACTION", default_value = "auto")]
    pub(crate) static_cache: StaticShare,
}

pub(crate) fn run(command: AlgorithmCommand<RunOptions>, cancellation: &Cancellation) -> Result<()> {
    let AlgorithmCommand { request, store, options } = command;
    require_apart(&options)?;
    let RunOptions { output: outputs_of, reading, caches, checkpoints, incremental, times, spark, no_history } =
        options;
    let request = checkpoints.options().into_iter().fold(request?, RunRequest::with_checkpoints);
    let request = incremental.into_iter().fold(request, RunRequest::with_incremental);
    request.validate()?;
    request.require()?;
    if spark.chosen()? {
        return spark::run(&request, cancellation);
    }
    let options = OpenOptions {
        page_cache: caches.page_cache,
        static_cache: caches.static_cache,
        command: command_line(),
        history: !no_history && outcrop::history_wanted(),
        ..reading.open(cancellation)
    };
    let store = store.ok_or_else(|| Error::Usage("no store given; usage: outcrop run ALGORITHM STORE".to_owned()))?;
    if let Some(length) = &times.window {
        // Default: windows follow each other without a gap.
        let step = times.step.as_deref().unwrap_or(length);
        return run_windows(&store, options, &request, length, step, &outputs_of);
    }
    let top = outputs_of.top.or((outputs_of.output.is_none() && !outputs_of.record.json()).then_some(10));
    let request = top.into_iter().fold(request, RunRequest::with_top);
    let (output, report) = outputs(&outputs_of)?;
    let graph = Graph::open(&store, options.clone())?;
    let result = match times.between.as_deref() {
        Some([start, end]) => {
            let window = Window::parse(graph.times()?.kind, start, end)?;
            let windowed = graph.between(window, options)?;
            let windowed = windowed.ok_or_else(|| {
                Error::Usage(format!(
                    "the graph has no edges with {start} <= time < {end}; `outcrop info` shows the range of times"
                ))
            })?;
            if let Some(source) = windowed.missing_source(&request)? {
                let message = format!("vertex {source:?} has no edges with {start} <= time < {end}");
                return Err(Error::Usage(message));
            }
            windowed.run(&request)?
        }
        _ => graph.run(&request)?,
    };
    if let Some(file) = output {
        result.table().write_into(file)?;
    }
    if let Some(count) = top.filter(|_| !outputs_of.record.json()) {
        print_rows(&result.table(), count)?;
    }
    let shown = report.is_some() || outputs_of.record.json();
    // Rows that were asked for are in the one object.
    let asked = outputs_of.top.filter(|_| outputs_of.record.json());
    let record = if shown { result.record_with_top(asked)? } else { result.record() };
    if let Some(file) = report {
        outcrop::write_report(&record.to_html(), file)?;
    }
    if outputs_of.record.json() {
        print(&json(&record)?)?;
    } else {
        answer(&record).iter().for_each(|line| info(line));
        if !record.answer.summary.is_empty() {
            let found = record.answer.summary.iter().map(|(name, value)| format!("{name}: {}", said(value)));
            info(&found.collect::<Vec<_>>().join("; "));
        }
        info(&summary(&record));
    }
    result.remove_checkpoint()?;
    result.converged()
}

/// Prints `count` rows: the largest, or the first steps of paths and walks, with the number of the others.
fn print_rows(table: &ResultTable<'_>, count: usize) -> Result<()> {
    table.write_top_to(stdout(), TableFormat::Tsv, count)?;
    let more = table.rows().saturating_sub(count as u64);
    if table.has_steps() && more > 0 {
        info(&format!("{} more; use -o to write all, or --top to print more", counted(more, "row")));
    }
    Ok(())
}

/// Refuses paths that are written in folders of checkpoints or results.
fn require_apart(options: &RunOptions) -> Result<()> {
    let saving = options.checkpoints.options();
    let folders = saving.iter().map(|options| &options.folder).chain(&options.incremental);
    let OutputOptions { output, record, .. } = &options.output;
    let paths = [output, &record.report, &options.reading.temporary.tmp_dir];
    let mut pairs = folders.flat_map(|folder| paths.into_iter().flatten().map(move |path| (path, folder)));
    pairs.try_for_each(|(path, folder)| outcrop::require_apart(path, folder))
}

/// Runs on each window of a series.
fn run_windows(
    store: &Path,
    options: OpenOptions,
    request: &RunRequest<'_>,
    length: &str,
    step: &str,
    outputs: &OutputOptions,
) -> Result<()> {
    let folder = outputs.output.as_deref().ok_or_else(|| Error::internal("no folder for the windows"))?;
    let graph = Graph::open(store, options.clone())?;
    let times = graph.times()?;
    if TableFormat::from_path(folder).is_ok() {
        return Err(Error::Usage(format!(
            "{}: with --window, -o must be a folder for Parquet files",
            folder.display()
        )));
    }
    let all: Vec<_> = Window::series(&times, length, step)?.collect();
    let series = graph.windows_with_edges(&all)?;
    let empty = (all.len() - series.len()) as u64;
    let starts = series.iter().map(|window| times.kind.show(window.start));
    let mut files = WindowFolder::create(folder, &graph, request, starts, outputs.record.overwrite())?;
    let (mut written, mut unconverged) = (0_u64, Ok(()));
    for window in series {
        let gone = || Error::internal("a window with edges has none");
        let windowed = graph.between(window, options.clone())?.ok_or_else(gone)?;
        let start = times.kind.show(window.start);
        if let Some(source) = windowed.missing_source(request)? {
            info(&format!("{start}: skipped: vertex {source:?} has no edges in this window"));
            files.skip(&start);
            continue;
        }
        let file = files.file(&start)?;
        let result = windowed.run(request)?;
        result.table().write_window(file, &files.mark(&start))?;
        let record = result.record();
        match outputs.record.json() {
            true => print(&json(&record)?)?,
            false => info(&format!("{start}: {}", summary(&record))),
        }
        written += 1;
        unconverged = unconverged.and(result.converged());
    }
    // What an earlier series has written stays until this one has succeeded.
    let removed = if unconverged.is_ok() { files.remove_stale()? } else { 0 };
    let stale =
        if removed > 0 { format!("; removed {} of other windows", counted(removed, "file")) } else { String::new() };
    let left = if empty > 0 { format!("; {} without edges were skipped", count(empty)) } else { String::new() };
    info(&format!("{} in {}{left}{stale}", counted(written, "window"), folder.display()));
    unconverged
}

/// Creates the files of the result and of the report, before the run.
fn outputs(arguments: &OutputOptions) -> Result<(Option<PendingFile>, Option<PendingFile>)> {
    let (result, report) = (arguments.output.as_deref(), arguments.record.report.as_deref());
    if result.is_some() && result == report {
        return Err(outcrop::Error::Usage("--output and --report have the same path".to_owned()));
    }
    if let Some(path) = result {
        TableFormat::from_path(path)?;
    }
    Ok((create(result, arguments.record.overwrite())?, create(report, arguments.record.overwrite())?))
}

/// The values that a run gives for the whole graph, without those that say how they were found; for one of them perhaps
/// the two that it lies between.
fn answer(record: &RunRecord) -> Option<String> {
    let values = &record.answer.values;
    let bounds = [values.get("lower"), values.get("upper")];
    let line = |(name, value): (&Cow<'static, str>, &serde_json::Value)| match bounds {
        [Some(lower), Some(upper)] if lower != upper => format!("{name}: between {lower} and {upper}"),
        _ => format!("{name}: {}", said(value)),
    };
    let shown = values.iter().filter(|(name, _)| !["exact", "lower", "searches", "upper"].contains(&&***name));
    let lines: Vec<_> = shown.map(line).collect();
    (!lines.is_empty()).then(|| lines.join("; ").replace('_', " "))
}

/// The command as it was typed.
fn command_line() -> String {
    let words = typed().map(|word| redacted(&word.to_string_lossy()).into_owned());
    let words = words.map(|word| match word.contains(char::is_whitespace) {
        true => format!("'{word}'"),
        false => word,
    });
    std::iter::once("outcrop".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// A number as a person reads it.
fn said(value: &serde_json::Value) -> String {
    match (value.as_u64(), value.as_f64(), value.as_bool()) {
        (Some(number), ..) => count(number),
        (None, Some(number), _) if number.abs() >= 1e15 => format!("{number:e}"),
        (None, Some(number), _) => format!("{number:.6}"),
        (None, None, Some(flag)) => flag.to_string(),
        (None, None, None) => "none".to_owned(),
    }
}

fn summary(record: &RunRecord) -> String {
    let hit_ratio =
        record.cache.cache_hit_ratio.map_or_else(String::new, |ratio| format!(", hit ratio {:.1}%", 100.0 * ratio));
    format!(
        "{}: {} in {:.2} s, {} read in {}{}, {} of {} memory reserved, at most {} resident",
        record.task.algorithm,
        counted(record.convergence.iterations.into(), "iteration"),
        record.time.seconds,
        bytes(record.traffic.bytes_read),
        counted(record.files.requests, "request"),
        hit_ratio,
        bytes(record.memory.peak),
        bytes(record.memory.budget),
        bytes(record.memory.peak_rss),
    )
}
