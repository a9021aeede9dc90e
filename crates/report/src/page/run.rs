//! The page of a run.

use super::Page;
use super::chart::{Chart, Half, Mark, Row, Series, Shape, open_table, rows, stack, strip};
use super::columns::Columns;
use super::facts::Fact;
use super::gas::{gas_charts, gas_part};
use super::markup::table;
use super::messages::message_part;
use super::units::{Quantity, Unit, compared, count, share};
use crate::record::{Bin, Histogram, RunRecord, TopRows};
use outcrop_types::{AccessMode, EdgeDirection, IterationRecord};
use serde_json::Value;

/// A parameter with a longer value is cut: a run may have thousands of sources.
const LONGEST: usize = 120;

/// The page of `record`.
pub(crate) fn run_page(record: &RunRecord) -> String {
    let store = if record.store.is_empty() { "a store".to_owned() } else { record.store.clone() };
    Page {
        title: format!("{} on {store}", record.algorithm),
        about: about(record),
        headline: headline(record),
        facts: facts(record),
        parts: record
            .messages
            .as_ref()
            .map(message_part)
            .into_iter()
            .chain(record.gas.as_ref().map(gas_part))
            .collect(),
        charts: charts(record, &Columns::new(&record.iterations_detail)),
    }
    .to_html()
}

fn about(record: &RunRecord) -> String {
    let ended = match record.converged {
        Some(true) => ", converged",
        Some(false) => ", not converged",
        None => "",
    };
    let iterations = if record.iterations == 1 { "iteration" } else { "iterations" };
    format!(
        "{} vertices, {} edges; {} {iterations}{ended}.",
        count(record.vertices.into()),
        count(record.edges),
        count(record.iterations.into())
    )
}

fn headline(record: &RunRecord) -> Vec<Fact> {
    let mut facts: Vec<Fact> = record.summary.iter().map(|(name, value)| scalar(name, value)).collect();
    facts.extend([
        Fact::number("seconds", Quantity::Seconds(record.seconds)),
        Fact::number("iterations", Quantity::Count(record.iterations.into())),
        Fact::number("read from disk", Quantity::Bytes(record.bytes_read)),
        Fact::text("read ÷ size of lists", share(record.bytes_read as f64, record.lists_bytes as f64)),
        Fact::number("peak resident memory", Quantity::Bytes(record.peak_rss)),
    ]);
    facts
}

fn facts(record: &RunRecord) -> Vec<Fact> {
    let seconds = |name: &str, seconds| Fact::number(name, Quantity::Seconds(seconds));
    let bytes = |name: &str, bytes| Fact::number(name, Quantity::Bytes(bytes));
    let number = |name: &str, number| Fact::number(name, Quantity::Count(number));
    let mut facts = vec![
        Fact::text("algorithm", &*record.algorithm),
        Fact::text("store", &record.store),
        number("vertices", record.vertices.into()),
        number("edges", record.edges),
        Fact::text("layout", &*record.layout),
        Fact::text("model", &*record.model),
    ];
    if !record.schedule.is_empty() {
        facts.push(Fact::text("schedule", &*record.schedule));
    }
    facts.extend(record.parameters.iter().map(|(name, value)| Fact::text(format!("--{name}"), value_text(value))));
    facts.extend(record.values.iter().map(|(name, value)| scalar(name, value)));
    facts.push(number("iterations", record.iterations.into()));
    facts.push(Fact::text("converged", record.converged.map_or("no tolerance", yes_or_no)));
    facts.extend(record.change.map(|change| Fact::number("last change", Quantity::Number(change))));
    facts.extend([
        seconds("seconds of the algorithm", record.seconds),
        seconds("with opening the store", record.seconds_total),
        seconds("estimating and deciding", record.seconds_scheduling),
        seconds("processor time, program", record.user_seconds),
        seconds("processor time, system", record.system_seconds),
        seconds("waiting for the disk, all workers", record.seconds_waiting),
        bytes("read from disk", record.bytes_read),
        bytes("written to disk", record.bytes_written),
        bytes("values read from disk", record.value_bytes_read),
        bytes("lists that were open", record.lists_bytes),
        bytes("store", record.store_bytes),
        number("read requests", record.requests),
        number("pages found in the page cache", record.cache_hits),
        number("pages read", record.cache_misses),
    ]);
    let utilisation = |name: &'static str, part: Option<f64>| part.map(|part| Fact::text(name, share(part, 1.0)));
    facts.extend(utilisation("page utilisation, mean", record.page_utilisation));
    facts.extend(utilisation("page utilisation, by bytes", record.byte_utilisation));
    if record.static_cache_bytes > 0 {
        facts.extend([
            bytes("static cache", record.static_cache_bytes),
            number("lists found in the static cache", record.static_hits),
            number("lists from pages beside it", record.static_misses),
        ]);
    }
    if record.started > 0 {
        facts.push(Fact::text("began", date(record.started)));
    }
    let told = [("command", &record.command), ("machine", &record.machine), ("disk", &record.disk)];
    facts.extend(told.into_iter().filter(|(_, text)| !text.is_empty()).map(|(name, text)| Fact::text(name, text)));
    facts.extend([
        bytes("peak resident memory", record.peak_rss),
        bytes("memory budget", record.memory_budget),
        bytes("most reserved at once", record.memory_peak),
        number("threads", u64::try_from(record.threads).unwrap_or(u64::MAX)),
        Fact::text("read with", &record.io),
    ]);
    facts
}

const fn yes_or_no(yes: bool) -> &'static str {
    if yes { "yes" } else { "no" }
}

/// A number that was computed, or that there is none.
fn scalar(name: &str, value: &Value) -> Fact {
    match value.as_u64() {
        Some(number) => Fact::number(name, Quantity::Count(number)),
        None if value.is_null() => Fact::text(name, "none"),
        None => Fact::text(name, value_text(value)),
    }
}

/// A parameter as it would be typed.
fn value_text(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().take(LONGEST).map(value_text).collect::<Vec<_>>().join(", "),
        other => other
            .as_f64()
            .filter(|_| !other.is_u64())
            .map_or_else(|| other.to_string(), |number| Unit::Number.short(number)),
    };
    if text.chars().count() <= LONGEST { text } else { text.chars().take(LONGEST).chain(['…']).collect() }
}

fn charts(record: &RunRecord, columns: &Columns<'_>) -> Vec<String> {
    let each = grouping(record, columns);
    let mut charts: Vec<String> = record.top.iter().map(top).chain(record.histogram.iter().map(histogram)).collect();
    charts.extend([active(columns, &each), choices(columns), read(record, columns)]);
    charts.extend(record.gas.iter().flat_map(gas_charts));
    charts.extend(estimates(record, columns));
    charts.extend([cache(record, columns), time(record, columns)]);
    charts.extend(change(record, columns));
    charts.push(stack(&record.memory, record.memory_budget, record.memory_peak));
    charts
}

/// The first rows.
fn top(top: &TopRows) -> String {
    let rows: Vec<Vec<String>> = top.rows.iter().map(|row| row.iter().map(value_text).collect()).collect();
    open_table("First rows", "As --top gives them.", &table(&top.columns, &rows))
}

/// Counts of vertices by ranges of values.
fn histogram(histogram: &Histogram) -> String {
    let ends = histogram.bins.iter().skip(1).map(|bin| bin.from).chain([histogram.to]);
    let text = |value: f64| Unit::Number.short(value);
    let row = |(bin, end): (&Bin, f64)| Row {
        name: if end - bin.from == 1.0 { text(bin.from) } else { format!("{} to {}", text(bin.from), text(end)) },
        value: Quantity::Count(bin.vertices),
        more: Vec::new(),
    };
    let filled = histogram.bins.iter().zip(ends).filter(|(bin, _)| bin.vertices > 0);
    let title = format!("Values of {}", histogram.column);
    rows(
        &title,
        "How many vertices have which values.",
        &["value", "vertices"],
        "c1",
        &filled.map(row).collect::<Vec<_>>(),
    )
}

/// A time as seconds since 1970, as date and time.
fn date(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Civil days from a year that begins in March (Hinnant, chrono-compatible low-level date algorithms).
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year}-{month:02}-{day:02} {:02}:{:02} UTC", second / 3600, second / 60 % 60)
}

/// Meaning of a column, where it is not one iteration.
fn grouping(record: &RunRecord, columns: &Columns<'_>) -> String {
    let kept = record.iterations_detail.len();
    let told = u64::try_from(kept).unwrap_or(u64::MAX);
    let of = if told < u64::from(record.iterations) {
        format!(" Only the first {} of {} iterations were recorded.", count(told), count(record.iterations.into()))
    } else {
        String::new()
    };
    match columns.each() {
        1 => of,
        each => format!(" Each column of the charts is the mean of up to {each} iterations.{of}"),
    }
}

fn series(
    name: &'static str,
    colour: &'static str,
    columns: &Columns<'_>,
    of: impl Fn(&IterationRecord) -> Quantity,
) -> Series {
    Series { name, colour, values: columns.means(of) }
}

fn active(columns: &Columns<'_>, each: &str) -> String {
    Chart {
        title: "Active vertices and edges",
        caption: format!("Vertices of the frontier, and edges that leave them.{each}"),
        shape: Shape::Lines,
        columns: columns.names(),
        series: vec![
            series("vertices", "c1", columns, |one| Quantity::Count(one.active_vertices)),
            series("edges", "c2", columns, |one| Quantity::Count(one.active_edges)),
        ],
        mark: None,
    }
    .figure()
}

fn choices(columns: &Columns<'_>) -> String {
    let push = Half {
        names: ["push", "pull"],
        colours: ["c1", "c3"],
        shares: columns.shares(|one| one.direction == EdgeDirection::Push),
    };
    let select = Half {
        names: ["select", "sweep"],
        colours: ["c2", "c4"],
        shares: columns.shares(|one| one.access == AccessMode::Select),
    };
    let caption = "Values go out of active vertices or come in to all; only the needed lists are read, or everything in the order of the disk.";
    strip("Push or pull, select or sweep", caption, columns.names(), &[push, select])
}

fn read(record: &RunRecord, columns: &Columns<'_>) -> String {
    let lists = (record.lists_bytes > 0).then_some(Quantity::Bytes(record.lists_bytes));
    let caption = match lists {
        None => format!("{} in all.", Quantity::Bytes(record.bytes_read).short()),
        Some(lists) => format!(
            "{} in all: {} ({}), {} ({}).",
            Quantity::Bytes(record.bytes_read).short(),
            compared(record.bytes_read as f64, record.lists_bytes as f64, "the lists"),
            lists.short(),
            compared(record.bytes_read as f64, record.store_bytes as f64, "the store"),
            Quantity::Bytes(record.store_bytes).short(),
        ),
    };
    Chart {
        title: "Bytes read",
        caption,
        shape: Shape::Bars,
        columns: columns.names(),
        series: vec![series("bytes read", "c1", columns, |one| Quantity::Bytes(one.bytes_read))],
        mark: lists.map(|value| Mark { name: "all lists", value }),
    }
    .figure()
}

/// Only where there was something to decide.
fn estimates(record: &RunRecord, columns: &Columns<'_>) -> Option<String> {
    let estimate = |one: &IterationRecord| match one.access {
        AccessMode::Select => one.select_seconds,
        AccessMode::Sweep => one.sweep_seconds,
    };
    let decided = record.iterations_detail.iter().filter(|one| one.sweep_seconds > 0.0);
    let sums = decided.map(|one| (estimate(one), one.seconds)).reduce(|sum, one| (sum.0 + one.0, sum.1 + one.1));
    let (estimated, took) = sums?;
    let chart = Chart {
        title: "Bytes estimated and read",
        caption: format!(
            "What selecting and sweeping were estimated to read, before either was chosen. Iterations that were decided took {}; \
             the chosen ways were estimated at {}.",
            Quantity::Seconds(took).short(),
            Quantity::Seconds(estimated).short()
        ),
        shape: Shape::Lines,
        columns: columns.names(),
        series: vec![
            series("select", "c2", columns, |one| Quantity::Bytes(one.select_bytes)),
            series("sweep", "c4", columns, |one| Quantity::Bytes(one.sweep_bytes)),
            series("bytes read", "c1", columns, |one| Quantity::Bytes(one.bytes_read)),
        ],
        mark: None,
    };
    Some(chart.figure())
}

fn cache(record: &RunRecord, columns: &Columns<'_>) -> String {
    let units = record.cache_hits.saturating_add(record.cache_misses);
    let hits = share(record.cache_hits as f64, units as f64);
    Chart {
        title: "Page cache",
        caption: format!("Chunks, or pages, that were in memory, and that were read. Hits in all: {hits}."),
        shape: Shape::Bars,
        columns: columns.names(),
        series: vec![
            series("hits", "c3", columns, |one| Quantity::Count(one.cache_hits)),
            series("misses", "c4", columns, |one| Quantity::Count(one.cache_misses)),
        ],
        mark: None,
    }
    .figure()
}

fn time(record: &RunRecord, columns: &Columns<'_>) -> String {
    let threads = record.threads.max(1) as f64;
    let rest = move |one: &IterationRecord| Quantity::Seconds((one.seconds * threads - one.seconds_waiting).max(0.0));
    let all = record.seconds * threads;
    Chart {
        title: "Waiting and computing",
        caption: format!(
            "Seconds of all workers together. In all they waited for the disk for {}, {} of their time. What is left is computing, \
             and resting where an iteration is too small to share.",
            Quantity::Seconds(record.seconds_waiting).short(),
            share(record.seconds_waiting, all)
        ),
        shape: Shape::Bars,
        columns: columns.names(),
        series: vec![
            series("waiting for the disk", "c4", columns, |one| Quantity::Seconds(one.seconds_waiting)),
            series("computing", "c1", columns, rest),
        ],
        mark: None,
    }
    .figure()
}

/// Only where the algorithm has a change that convergence is judged by.
fn change(record: &RunRecord, columns: &Columns<'_>) -> Option<String> {
    record.iterations_detail.iter().find(|one| one.change.is_some())?;
    let tolerance = record.parameters.get("tol").and_then(Value::as_f64).filter(|tolerance| *tolerance > 0.0);
    let chart = Chart {
        title: "Change",
        caption: "What convergence is judged by.".to_owned(),
        shape: Shape::Lines,
        columns: columns.names(),
        series: vec![series("change", "c2", columns, |one| Quantity::Number(one.change.unwrap_or(0.0)))],
        mark: tolerance.map(|value| Mark { name: "tolerance", value: Quantity::Number(value) }),
    };
    Some(chart.figure())
}
