//! Page of a build.

use super::chart::{Row, rows, stack};
use super::document::Page;
use super::facts::Fact;
use super::units::{Quantity, Unit};
use crate::record::{BuildRecord, PhaseRecord};
use outcrop_types::{ProgressUnit, counted};

/// Returns the page of `record`.
pub(crate) fn build_page(record: &BuildRecord) -> String {
    Page {
        title: format!("Building {}", record.store),
        about: about(record),
        headline: headline(record),
        facts: facts(record),
        parts: Vec::new(),
        charts: [
            phases(record),
            stack(&record.memory.by_purpose, record.memory.budget, record.memory.peak),
            files(record),
            traffic(record),
        ]
        .into_iter()
        .flatten()
        .collect(),
    }
    .to_html()
}

fn about(record: &BuildRecord) -> String {
    format!(
        "{}, {}; {}.",
        counted(record.graph.vertices.into(), "vertex"),
        counted(record.graph.edges, "edge"),
        kind(record)
    )
}

fn kind(record: &BuildRecord) -> String {
    let direction = if record.graph.directed { "directed" } else { "undirected" };
    format!("{direction}, {}", if record.graph.weighted { "weighted" } else { "unweighted" })
}

/// Returns the rate per second; 0 if no time has passed.
fn rate(amount: u64, seconds: f64) -> f64 {
    if seconds > 0.0 { amount as f64 / seconds } else { 0.0 }
}

fn headline(record: &BuildRecord) -> Vec<Fact> {
    vec![
        Fact::seconds("time", record.cost.seconds),
        Fact::text("edges per second", Unit::Count.short(rate(record.graph.edges, record.cost.seconds))),
        Fact::bytes("store", record.graph.bytes),
        Fact::text("bytes per edge", Unit::Number.short(rate(record.graph.bytes, record.graph.edges as f64))),
        Fact::bytes("peak resident memory", record.memory.peak_rss),
    ]
}

fn facts(record: &BuildRecord) -> Vec<Fact> {
    vec![
        Fact::text("store", &record.store),
        Fact::count("vertices", record.graph.vertices.into()),
        Fact::count("edges", record.graph.edges),
        Fact::text("kind", kind(record)),
        Fact::text("order", order(record)),
        Fact::count("lines skipped", record.input.skipped_lines),
        Fact::count("self-loops dropped", record.input.loops_dropped),
        Fact::bytes("store on disk", record.graph.bytes),
        Fact::seconds("time", record.cost.seconds),
        Fact::seconds("user CPU time", record.cost.user_seconds),
        Fact::seconds("system CPU time", record.cost.system_seconds),
        Fact::known("read from disks", record.cost.bytes_read.map(Quantity::Bytes)),
        Fact::known("written to disks", record.cost.bytes_written.map(Quantity::Bytes)),
        Fact::bytes("peak resident memory", record.memory.peak_rss),
        Fact::bytes("memory budget", record.memory.budget),
        Fact::bytes("peak reserved memory", record.memory.peak),
    ]
}

/// Returns the vertex order and the reason for it; records of older versions have no reason.
fn order(record: &BuildRecord) -> String {
    match (&record.graph.order_reason, record.graph.order.as_str()) {
        (_, "") => "not recorded".to_owned(),
        (Some(reason), order) => format!("{order}: {reason}"),
        (None, order) => order.to_owned(),
    }
}

fn phases(record: &BuildRecord) -> Option<String> {
    let row = |phase: &PhaseRecord| Row {
        name: phase.name.clone().into_owned(),
        value: Quantity::Seconds(phase.seconds),
        more: vec![done(phase), speed(phase), cpu(phase)],
    };
    let told: f64 = record.phases.iter().map(|phase| phase.seconds).sum();
    let rest = Quantity::Seconds(record.cost.seconds - told);
    let caption = format!("Each phase lasts until the next one starts. Time outside all phases: {}.", rest.short());
    let header = ["phase", "seconds", "done", "per second", "CPU seconds (busiest thread)"];
    rows("Phases", &caption, &header, "c1", &record.phases.iter().map(row).collect::<Vec<_>>())
}

const fn quantity(unit: ProgressUnit, amount: u64) -> Quantity {
    match unit {
        ProgressUnit::Bytes => Quantity::Bytes(amount),
        _ => Quantity::Count(amount),
    }
}

/// Returns a noun for the unit, unless the number already contains it.
fn noun(unit: ProgressUnit) -> String {
    match unit {
        ProgressUnit::Bytes => String::new(),
        unit => format!(" {}", unit.name()),
    }
}

fn done(phase: &PhaseRecord) -> String {
    format!("{}{}", quantity(phase.unit, phase.done).exact(), noun(phase.unit))
}

fn cpu(phase: &PhaseRecord) -> String {
    let Some((all, busiest)) = phase.cpu_seconds.zip(phase.busiest_thread_seconds) else { return String::new() };
    format!("{} ({})", Quantity::Seconds(all).short(), Quantity::Seconds(busiest).short())
}

fn speed(phase: &PhaseRecord) -> String {
    let each = rate(phase.done, phase.seconds);
    format!("{}{}", quantity(phase.unit, phase.done).unit().short(each), noun(phase.unit))
}

fn files(record: &BuildRecord) -> Option<String> {
    let each = |bytes: u64| Unit::Number.short(rate(bytes, record.graph.edges as f64));
    let row = |file: &crate::record::FileRecord| Row {
        name: file.name.clone(),
        value: Quantity::Bytes(file.bytes),
        more: vec![each(file.bytes)],
    };
    let mut files: Vec<_> = record.files.iter().map(row).collect();
    files.sort_by(|a, b| b.value.drawn().total_cmp(&a.value.drawn()).then_with(|| a.name.cmp(&b.name)));
    let caption = format!("{} in {} files, largest first.", Quantity::Bytes(record.graph.bytes).short(), files.len());
    rows("Files of the store", &caption, &["file", "size", "bytes per edge"], "c2", &files)
}

fn traffic(record: &BuildRecord) -> Option<String> {
    let row = |name: &str, bytes| Row { name: name.to_owned(), value: Quantity::Bytes(bytes), more: Vec::new() };
    let known = [("read", record.cost.bytes_read), ("written", record.cost.bytes_written)];
    let known = known.into_iter().filter_map(|(name, bytes)| bytes.map(|bytes| row(name, bytes)));
    let drawn: Vec<_> = known.chain([row("the store", record.graph.bytes)]).collect();
    let caption = "Disk traffic, including temporary files, compared with the size of the store. Data in the page cache of the system is not read from disk.";
    rows("Bytes read and written", caption, &["", "size"], "c3", &drawn)
}
