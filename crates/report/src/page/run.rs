//! Page of a run.

use super::chart::{Chart, Curve, Half, Row, Shape, open_table, rows, stack, strip};
use super::columns::Columns;
use super::document::Page;
use super::facts::Fact;
use super::gas::{gas_charts, gas_part};
use super::markup::table;
use super::messages::message_part;
use super::units::{Quantity, Unit, compared, count, share};
use crate::date::Date;
use crate::record::{Bin, Histogram, RunRecord, TopRows};
use outcrop_types::{AccessMode, EdgeDirection, IterationRecord, counted, length_from};
use serde_json::Value;

/// Maximum length of a displayed parameter: a run may have thousands of sources.
const LONGEST: usize = 120;

/// Returns the page of `record`.
pub(crate) fn run_page(record: &RunRecord) -> String {
    let store = if record.task.store.is_empty() { "a store".to_owned() } else { record.task.store.clone() };
    Page {
        title: format!("{} on {store}", record.task.algorithm),
        about: about(record),
        headline: headline(record),
        facts: facts(record),
        parts: record
            .optional
            .messages
            .as_ref()
            .map(message_part)
            .into_iter()
            .chain(record.optional.gas.as_ref().map(gas_part))
            .collect(),
        charts: charts(record, &Columns::new(&record.iterations_detail)),
    }
    .to_html()
}

fn about(record: &RunRecord) -> String {
    let ended = match record.convergence.converged {
        Some(true) => ", converged",
        Some(false) => ", not converged",
        None => "",
    };
    format!(
        "{}, {}; {}{ended}.",
        counted(record.graph.vertices.into(), "vertex"),
        counted(record.graph.edges, "edge"),
        counted(record.convergence.iterations.into(), "iteration")
    )
}

fn headline(record: &RunRecord) -> Vec<Fact> {
    let answer = record.answer.values.get_key_value(&record.task.algorithm);
    let mut facts: Vec<Fact> = answer.into_iter().map(|(name, value)| scalar(name, value)).collect();
    facts.extend(record.answer.summary.iter().map(|(name, value)| scalar(name, value)));
    facts.extend([
        Fact::seconds("time", record.time.seconds),
        Fact::count("iterations", record.convergence.iterations.into()),
        Fact::bytes("read from disk", record.traffic.bytes_read),
        Fact::text("read ÷ size of lists", share(record.traffic.bytes_read as f64, record.files.lists_bytes as f64)),
        Fact::bytes(
            format!("memory used, of a budget of {}", Quantity::Bytes(record.memory.budget).short()),
            record.memory.peak,
        ),
        Fact::bytes("peak resident memory", record.memory.peak_rss),
    ]);
    facts
}

fn facts(record: &RunRecord) -> Vec<Fact> {
    let mut facts = vec![
        Fact::text("algorithm", &*record.task.algorithm),
        Fact::text("store", &record.task.store),
        Fact::count("vertices", record.graph.vertices.into()),
        Fact::count("edges", record.graph.edges),
        Fact::text("layout", &*record.task.layout),
        Fact::text("model", &*record.task.model),
    ];
    if !record.task.schedule.is_empty() {
        facts.push(Fact::text("schedule", &*record.task.schedule));
    }
    facts.extend(record.task.parameters.iter().map(|(name, value)| Fact::text(format!("--{name}"), value_text(value))));
    facts.extend(record.answer.values.iter().map(|(name, value)| scalar(name, value)));
    facts.push(Fact::count("iterations", record.convergence.iterations.into()));
    facts.push(Fact::text("converged", record.convergence.converged.map_or("no tolerance", yes_or_no)));
    facts.extend(record.convergence.change.map(|change| Fact::number("last change", Quantity::Number(change))));
    facts.extend([
        Fact::seconds("seconds, algorithm", record.time.seconds),
        Fact::seconds("seconds, including opening the store", record.time.seconds_total),
        Fact::seconds("scheduling", record.time.seconds_scheduling),
        Fact::seconds("user CPU time", record.time.user_seconds),
        Fact::seconds("system CPU time", record.time.system_seconds),
        Fact::seconds("I/O wait, all workers", record.reading.seconds_waiting),
        Fact::bytes("read from disk", record.traffic.bytes_read),
        Fact::bytes("written to disk", record.traffic.bytes_written),
        Fact::bytes("values read from disk", record.traffic.value_bytes_read),
        Fact::bytes("size of the opened lists", record.files.lists_bytes),
        Fact::bytes("store", record.files.store_bytes),
        Fact::count("read requests", record.files.requests),
        Fact::count("page cache hits", record.cache.cache_hits),
        Fact::count("page cache misses", record.cache.cache_misses),
    ]);
    let utilization = |name: &'static str, part: Option<f64>| part.map(|part| Fact::text(name, share(part, 1.0)));
    facts.extend(utilization("page utilization, mean", record.cache.page_utilization));
    facts.extend(utilization("page utilization, by bytes", record.cache.byte_utilization));
    if record.pinned.static_cache_bytes > 0 {
        facts.extend([
            Fact::bytes("static cache", record.pinned.static_cache_bytes),
            Fact::count("static cache hits", record.pinned.static_hits),
            Fact::count("static cache misses", record.pinned.static_misses),
        ]);
    }
    if record.environment.started > 0 {
        facts.push(Fact::text("started", Date::of(record.environment.started).to_string()));
    }
    let told = [
        ("command", &record.environment.command),
        ("machine", &record.environment.machine),
        ("disk", &record.environment.disk),
    ];
    facts.extend(told.into_iter().filter(|(_, text)| !text.is_empty()).map(|(name, text)| Fact::text(name, text)));
    facts.extend([
        Fact::bytes("peak resident memory", record.memory.peak_rss),
        Fact::bytes("memory budget", record.memory.budget),
        Fact::bytes("peak reserved memory", record.memory.peak),
        Fact::count("threads", length_from(record.reading.threads)),
        Fact::text("I/O backend", &record.reading.io),
    ]);
    facts
}

const fn yes_or_no(yes: bool) -> &'static str {
    if yes { "yes" } else { "no" }
}

/// Returns a fact with a computed number, if there is one.
fn scalar(name: &str, value: &Value) -> Fact {
    match value.as_u64() {
        Some(number) => Fact::count(name, number),
        None if value.is_null() => Fact::text(name, "none"),
        None => Fact::text(name, value_text(value)),
    }
}

/// Returns a parameter as typed on the command line.
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
    let mut charts: Vec<String> = record.answer.top.iter().map(top).collect();
    charts.extend(record.answer.histogram.iter().filter_map(histogram));
    charts.extend([active(columns, &each), choices(columns), read(record, columns)].into_iter().flatten());
    charts.extend(record.optional.gas.iter().flat_map(gas_charts));
    charts.extend([estimates(record, columns), cache(record, columns), time(record, columns)].into_iter().flatten());
    charts.extend(change(record, columns));
    charts.extend(stack(&record.memory.by_purpose, record.memory.budget, record.memory.peak));
    charts
}

/// Returns an integer with separated groups of digits.
fn number(value: f64) -> String {
    format!("{}{}", if value < 0.0 { "-" } else { "" }, count(value.abs() as u64))
}

/// Renders the rows with the largest values, or the largest groups.
fn top(top: &TopRows) -> String {
    let rows: Vec<Vec<String>> = top.rows.iter().map(|row| row.iter().map(value_text).collect()).collect();
    let is = |place: usize, name: &str| top.columns.get(place).is_some_and(|column| column == name);
    let caption = match (is(0, "node"), is(1, "vertices")) {
        (true, _) => "The rows with the largest values.",
        (_, true) => "The largest groups, with their numbers of vertices.",
        _ => "The first rows.",
    };
    open_table("Top rows", caption, &table(&top.columns, &rows))
}

/// Renders counts of vertices by ranges of values.
fn histogram(histogram: &Histogram) -> Option<String> {
    // Integers up to the one before the next bin, or numbers up to the next bin.
    let step = f64::from(u8::from(histogram.whole));
    let ends = histogram.bins.iter().skip(1).map(|bin| bin.from - step).chain([histogram.to]);
    let text = |value: f64| if histogram.whole { number(value) } else { Unit::Number.short(value) };
    let row = |(bin, end): (&Bin, f64)| Row {
        name: if end == bin.from { text(end) } else { format!("{} to {}", text(bin.from), text(end)) },
        value: Quantity::Count(bin.vertices),
        more: Vec::new(),
    };
    let filled = histogram.bins.iter().zip(ends).filter(|(bin, _)| bin.vertices > 0);
    let title = format!("Vertices by {}", histogram.column);
    rows(
        &title,
        "Number of vertices per value or range of values.",
        &["value", "vertices"],
        "c1",
        &filled.map(row).collect::<Vec<_>>(),
    )
}

/// Returns the description of a column that groups iterations.
fn grouping(record: &RunRecord, columns: &Columns<'_>) -> String {
    let kept = record.iterations_detail.len();
    let told = length_from(kept);
    let of = if told < u64::from(record.convergence.iterations) {
        format!(
            " Only the first {} of {} iterations were recorded.",
            count(told),
            count(record.convergence.iterations.into())
        )
    } else {
        String::new()
    };
    match columns.each() {
        1 => of,
        each => format!(" Each column of the charts is the mean of up to {each} iterations.{of}"),
    }
}

fn active(columns: &Columns<'_>, each: &str) -> Option<String> {
    let caption = format!("Vertices of the frontier, and their out-edges.{each}");
    let vertices = |one: &IterationRecord| Quantity::Count(one.active_vertices);
    let edges = |one: &IterationRecord| Quantity::Count(one.active_edges);
    let curves: &[Curve<'_, IterationRecord>] = &[("vertices", "c1", &vertices), ("edges", "c2", &edges)];
    Chart::new(Shape::Lines, "Active vertices and edges", caption, columns, curves).figure()
}

fn choices(columns: &Columns<'_>) -> Option<String> {
    let push = Half {
        names: ["push", "pull"],
        colors: ["c1", "c3"],
        shares: columns.shares(|one| one.direction == EdgeDirection::Push),
    };
    let select = Half {
        names: ["select", "sweep"],
        colors: ["c2", "c4"],
        shares: columns.shares(|one| one.access == AccessMode::Select),
    };
    let caption = "Push along the out-edges of the frontier, or pull along the in-edges of all vertices; read selected lists, or sweep over all lists in disk order.";
    strip("Push or pull, select or sweep", caption, columns.names(), &[push, select])
}

fn read(record: &RunRecord, columns: &Columns<'_>) -> Option<String> {
    let lists = (record.files.lists_bytes > 0).then_some(Quantity::Bytes(record.files.lists_bytes));
    let caption = match lists {
        None => format!("{} in total.", Quantity::Bytes(record.traffic.bytes_read).short()),
        Some(lists) => format!(
            "{} in total: {} ({}), {} ({}).",
            Quantity::Bytes(record.traffic.bytes_read).short(),
            compared(record.traffic.bytes_read as f64, record.files.lists_bytes as f64, "the lists"),
            lists.short(),
            compared(record.traffic.bytes_read as f64, record.files.store_bytes as f64, "the store"),
            Quantity::Bytes(record.files.store_bytes).short(),
        ),
    };
    let bytes = |one: &IterationRecord| Quantity::Bytes(one.bytes_read);
    let chart = Chart::new(Shape::Bars, "Bytes read", caption, columns, &[("bytes read", "c1", &bytes)]);
    chart.marked("all lists", lists).figure()
}

/// Renders the estimates, if there was a choice.
fn estimates(record: &RunRecord, columns: &Columns<'_>) -> Option<String> {
    let estimate = |one: &IterationRecord| match one.access {
        AccessMode::Select => one.select_seconds,
        AccessMode::Sweep => one.sweep_seconds,
    };
    let decided = record.iterations_detail.iter().filter(|one| one.sweep_seconds > 0.0);
    let sums = decided.map(|one| (estimate(one), one.seconds)).reduce(|sum, one| (sum.0 + one.0, sum.1 + one.1));
    let (estimated, took) = sums?;
    let caption = format!(
        "Estimates for selecting and for sweeping before the choice. Iterations with a choice took {}; the estimates of the chosen strategy were {}.",
        Quantity::Seconds(took).short(),
        Quantity::Seconds(estimated).short()
    );
    let curves: &[Curve<'_, IterationRecord>] = &[
        ("select, estimated", "c2", &|one| Quantity::Bytes(one.select_bytes)),
        ("sweep, estimated", "c4", &|one| Quantity::Bytes(one.sweep_bytes)),
        ("actual", "c1", &|one| Quantity::Bytes(one.bytes_read)),
    ];
    Chart::new(Shape::Lines, "Estimated and actual bytes per iteration", caption, columns, curves).figure()
}

fn cache(record: &RunRecord, columns: &Columns<'_>) -> Option<String> {
    let requests = record.cache.cache_hits.saturating_add(record.cache.cache_misses);
    let ratio = share(record.cache.cache_hits as f64, requests as f64);
    let caption = format!("Chunks or pages found in memory (hits) or read from disk (misses). Hit ratio: {ratio}.");
    let curves: &[Curve<'_, IterationRecord>] = &[
        ("hits", "c3", &|one| Quantity::Count(one.cache_hits)),
        ("misses", "c4", &|one| Quantity::Count(one.cache_misses)),
    ];
    Chart::new(Shape::Bars, "Page cache", caption, columns, curves).figure()
}

fn time(record: &RunRecord, columns: &Columns<'_>) -> Option<String> {
    let threads = record.reading.threads.max(1) as f64;
    let waiting = |one: &IterationRecord| Quantity::Seconds(one.seconds_waiting);
    let rest = |one: &IterationRecord| Quantity::Seconds((one.seconds * threads - one.seconds_waiting).max(0.0));
    let caption = format!(
        "Seconds summed over workers. I/O wait in total: {}, {} of their time. The rest is computation, and idle time in iterations too small for all threads.",
        Quantity::Seconds(record.reading.seconds_waiting).short(),
        share(record.reading.seconds_waiting, record.time.seconds * threads)
    );
    let curves: &[Curve<'_, IterationRecord>] = &[("I/O wait", "c4", &waiting), ("computation", "c1", &rest)];
    Chart::new(Shape::Bars, "I/O wait and computation", caption, columns, curves).figure()
}

/// Renders the change per iteration, if the algorithm has a convergence criterion.
fn change(record: &RunRecord, columns: &Columns<'_>) -> Option<String> {
    record.iterations_detail.iter().find(|one| one.change.is_some())?;
    let tolerance = record.task.parameters.get("tol").and_then(Value::as_f64).filter(|tolerance| *tolerance > 0.0);
    let change = |one: &IterationRecord| Quantity::Number(one.change.unwrap_or(0.0));
    let chart = Chart::new(Shape::Lines, "Change", "Convergence criterion.", columns, &[("change", "c2", &change)]);
    chart.marked("tolerance", tolerance.map(Quantity::Number)).figure()
}
