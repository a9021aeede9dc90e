//! `outcrop runs`

use crate::options::output::RecordOptions;
use crate::output::{self, bytes, count, create, info, print};
use clap::Args;
use outcrop::{Date, Error, Result, RunEntry};
use serde_json::{Value, json};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(mut_arg("report", |report| report.requires("id")))]
#[command(mut_arg("overwrite", |overwrite| overwrite.requires("report")))]
pub(crate) struct RunsArguments {
    /// Path of the store
    pub(crate) store: PathBuf,
    /// ID of a run, or a unique prefix of it
    #[arg(value_name = "RUN")]
    pub(crate) id: Option<String>,
    #[command(flatten)]
    pub(crate) record: RecordOptions,
}

pub(crate) fn run(arguments: &RunsArguments) -> Result<()> {
    let (output, report) = (&arguments.record, &arguments.record.report);
    let Some(id) = &arguments.id else {
        let runs = outcrop::runs(&arguments.store)?;
        return print(&if output.json() { output::json(&json!({ "runs": runs }))? } else { table(&runs) });
    };
    let file = create(report.as_deref(), output.overwrite())?;
    let entry = outcrop::run_entry(&arguments.store, id)?;
    let without = || Error::Usage(format!("run {} has no record because it did not finish", entry.id));
    if let (Some(file), Some(path)) = (file, report) {
        outcrop::write_report(&entry.record.as_ref().ok_or_else(without)?.to_html(), file)?;
        info(&format!("{}: report of {}", path.display(), entry.id));
    }
    match (&entry.record, output.json()) {
        (Some(record), true) => print(&output::json(record)?),
        (None, true) => Err(without()),
        (_, false) => print(&facts(&entry)),
    }
}

/// The runs, a line each, in columns.
fn table(runs: &[RunEntry]) -> String {
    let head = [
        "run",
        "started",
        "algorithm",
        "status",
        "seconds",
        "iterations",
        "read",
        "memory",
        "generation",
        "parameters",
    ];
    let mut rows = vec![head.map(str::to_owned)];
    rows.extend(runs.iter().map(row));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let line = |row: &[String; 10]| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn row(run: &RunEntry) -> [String; 10] {
    let or_dash = |number: Option<u64>, said: fn(u64) -> String| number.map_or_else(|| "-".to_owned(), said);
    [
        plain(&run.id),
        Date::of(run.started).to_string(),
        plain(&run.algorithm),
        run.exit.name().to_owned(),
        format!("{:.2}", run.seconds),
        or_dash(run.iterations.map(u64::from), count),
        or_dash(run.bytes_read, bytes),
        or_dash(run.memory_peak, bytes),
        count(run.generation),
        parameters(run),
    ]
}

fn parameters(run: &RunEntry) -> String {
    let one = |name: &String, value: &Value| match value {
        Value::Bool(true) => format!("--{name}"),
        Value::String(text) => format!("--{name} {text}"),
        value => format!("--{name} {value}"),
    };
    let said = |(name, value): (&String, &Value)| match value {
        Value::Array(items) if items.len() > 4 => format!("--{name} ({} of them)", items.len()),
        Value::Array(items) => items.iter().map(|item| one(name, item)).collect::<Vec<_>>().join(" "),
        value => one(name, value),
    };
    let window = run.between.iter().map(|[start, end]| format!("--between {start} {end}"));
    plain(&run.parameters.iter().map(said).chain(window).collect::<Vec<_>>().join(" "))
}

/// A run, a line a fact.
fn facts(run: &RunEntry) -> String {
    let [id, started, algorithm, status, seconds, iterations, read, memory, generation, parameters] = row(run);
    let told = [
        ("run", id),
        ("started", started),
        ("algorithm", algorithm),
        ("parameters", parameters),
        ("status", status),
        ("error", plain(run.error.as_deref().unwrap_or(""))),
        ("seconds", seconds),
        ("iterations", iterations),
        ("read", read),
        ("memory", memory),
        ("store", format!("{}, generation {generation}", plain(&run.uuid))),
        ("command", plain(run.record.as_ref().map_or("", |record| &record.environment.command))),
    ];
    let line = |(name, fact): (&str, String)| format!("{name:<12} {fact}");
    told.into_iter().filter(|(_, fact)| !fact.is_empty()).map(line).collect::<Vec<_>>().join("\n")
}

/// A text that a terminal takes for nothing else: the store may come from anywhere.
fn plain(text: &str) -> String {
    text.chars().map(|char| if char.is_control() { '\u{fffd}' } else { char }).collect()
}
