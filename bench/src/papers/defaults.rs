//! Mechanisms that are used by default, compared with runs without them.

use super::dynamic_shards::heat_source;
use crate::harness::{Harness, Setup, median};
use crate::output::{bytes, say, say_json};
use crate::table::Table;
use clap::Args;
use outcrop::{
    BuildOrder, Cancellation, CompactSettings, CsrSettings, DenseAccess, Layout, MemorySize, OpenOptions, Result,
    RunRecord, RunRequest,
};
use std::path::Path;

/// Without --memory, both runs get the larger minimum and a quarter of the memory for everything else.
#[derive(Debug, Args)]
pub(crate) struct DefaultsArguments {
    #[command(flatten)]
    setup: Setup,
    /// Only rows that contain this text, such as `--layout compact` or `bfs`
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    only: Option<String>,
}

/// Options of a run, without the leading dashes.
type Given = &'static [(&'static str, &'static str)];

/// Algorithm with its options.
type Run = (&'static str, Given);

/// Alternative to a default.
enum Without {
    /// Options that turn a mechanism off.
    Given(Given),
    /// The store in another layout or order.
    Store(Option<Layout>, Option<BuildOrder>),
    /// Sweeps over chunks by vertex.
    DenseAccess,
}

const SEARCHES: &[Run] =
    &[("bfs", &[]), ("sssp", &[]), ("wcc", &[("method", "label-propagation")]), ("pagerank", &[("delta", "0.001")])];
const PREFERRED: &[Run] = &[("pagerank", &[("iterations", "10")]), ("bfs", &[]), ("sssp", &[])];
const PULLED: &[Run] = &[("cdlp", &[("max-iter", "10")]), ("mis", &[])];
const MESSAGES: &[Run] = &[
    ("bfs", &[("model", "messages")]),
    ("cdlp", &[("model", "messages"), ("max-iter", "10")]),
    ("mis", &[("model", "messages")]),
];
const SHARDS: &[Run] = &[
    ("pagerank", &[("model", "gas"), ("delta", "0.001")]),
    ("sssp", &[("model", "gas")]),
    ("wcc", &[("model", "gas")]),
    ("heat", &[("model", "gas"), ("iterations", "60"), ("tol", "0.0001")]),
];

/// Alternatives, with the runs that they affect.
fn alternatives() -> Vec<(&'static str, Without, &'static [Run])> {
    let (csr, compact) = (Layout::Csr(CsrSettings::default()), Layout::Compact(CompactSettings::default()));
    vec![
        ("--schedule select", Without::Given(&[("schedule", "select")]), SEARCHES),
        ("--schedule sweep", Without::Given(&[("schedule", "sweep")]), SEARCHES),
        ("--model interval", Without::Given(&[("model", "interval")]), PREFERRED),
        ("--model messages", Without::Given(&[("model", "messages")]), PULLED),
        ("--edge-log off", Without::Given(&[("edge-log", "off")]), MESSAGES),
        ("--fuse off", Without::Given(&[("fuse", "off")]), MESSAGES),
        ("--shards static", Without::Given(&[("shards", "static")]), SHARDS),
        ("--layout csr", Without::Store(Some(csr), None), PREFERRED),
        ("--layout compact", Without::Store(Some(compact), None), PREFERRED),
        ("--order original", Without::Store(None, Some(BuildOrder::Original)), PREFERRED),
        ("dense access by vertex", Without::DenseAccess, &[("pagerank", &[("iterations", "10")])]),
    ]
}

pub(crate) fn run(arguments: &DefaultsArguments, cancellation: &Cancellation) -> Result<()> {
    let harness = Harness::new(&arguments.setup, cancellation);
    let columns = ["default: CPU s, moved", "without", "CPU, default / without", "bytes, default / without"];
    let mut table = Table::new("Runs with the defaults, and without one of them (medians)", columns);
    let complete = alternatives().into_iter().try_for_each(|(name, without, runs)| {
        let rows = runs.iter().map(|(algorithm, given)| {
            let options = given.iter().map(|(option, value)| format!(" --{option} {value}")).collect::<String>();
            (format!("{name}: {algorithm}{options}"), algorithm, *given)
        });
        let chosen = |row: &str| arguments.only.as_ref().is_none_or(|only| row.contains(only.as_str()));
        let rows: Vec<_> = rows.filter(|(row, ..)| chosen(row)).collect();
        let made = match &without {
            _ if rows.is_empty() => return Ok(()),
            Without::Store(layout, order) => {
                let layout = layout.clone().map_or_else(|| harness.layout(), Ok)?;
                Some(harness.convert("defaults", layout, *order)?)
            }
            Without::Given(_) | Without::DenseAccess => None,
        };
        let other = made.as_ref().map_or(&*harness.setup.store, |made| &made.path);
        for (row, algorithm, given) in rows {
            let [default, changed] = compare(&harness, algorithm, given, &without, other)?;
            let shown = |(cpu, moved): (f64, f64)| format!("{cpu:.2} s, {}", bytes(moved as u64));
            let ratios = [default.0 / changed.0.max(1e-9), default.1 / changed.1.max(1.0)];
            let cells = [shown(default), shown(changed)].into_iter().chain(ratios.map(|ratio| format!("{ratio:.2}")));
            table.row(row, cells);
        }
        Ok(())
    });
    if arguments.setup.json { say_json(&table) } else { say(table.text().trim_end()) }?;
    complete
}

/// Runs an algorithm with the defaults and without one of them, in alternation. Returns the median CPU seconds of both,
/// and the median bytes read and written.
fn compare(
    harness: &Harness<'_>,
    algorithm: &str,
    given: Given,
    without: &Without,
    other: &Path,
) -> Result<[(f64, f64); 2]> {
    let options = |request: RunRequest<'static>, given: Given| {
        given.iter().try_fold(request, |request, (option, value)| request.with(option, *value))
    };
    let mut default = options(harness.request(algorithm)?, given)?;
    if algorithm == "heat" {
        default = default.with("vector", heat_source(harness.open()?.num_vertices()))?;
    }
    let changed = options(default.clone(), if let Without::Given(given) = without { given } else { &[] })?;
    let runs = [(&*harness.setup.store, &default), (other, &changed)];
    let memory = harness.setup.resources.memory.map_or_else(|| harness.quarter(&runs).map(MemorySize::Bytes), Ok)?;
    let dense_access = if let Without::DenseAccess = without { DenseAccess::ByVertex } else { DenseAccess::ByChunk };
    let open = [DenseAccess::ByChunk, dense_access].map(|dense_access| OpenOptions {
        memory,
        dense_access,
        ..harness.options()
    });
    let mut costs = [Vec::new(), Vec::new()];
    for _ in 0..harness.setup.repeat {
        for ((costs, options), (store, request)) in costs.iter_mut().zip(&open).zip(&runs) {
            costs.push(cost(&harness.run_once(store, options, request)?));
        }
    }
    Ok(costs.map(|costs| {
        let median = |figure: fn(&(f64, f64)) -> f64| median(costs.iter().map(figure).collect()).unwrap_or(0.0);
        (median(|cost| cost.0), median(|cost| cost.1))
    }))
}

/// Returns the CPU seconds of a run, and the bytes that it reads and writes.
fn cost(record: &RunRecord) -> (f64, f64) {
    let (time, traffic) = (&record.time, &record.traffic);
    let shards = record.optional.gas.as_ref().map_or(0, |gas| gas.figures.bytes_read);
    let moved = traffic.bytes_read + traffic.value_bytes_read + traffic.bytes_written + shards;
    (time.user_seconds + time.system_seconds, moved as f64)
}
