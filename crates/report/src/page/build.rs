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
            stack(&record.memory, record.memory_budget, record.memory_peak),
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
    format!("{}, {}; {}.", counted(record.vertices.into(), "vertex"), counted(record.edges, "edge"), kind(record))
}

fn kind(record: &BuildRecord) -> String {
    let direction = if record.directed { "directed" } else { "undirected" };
    format!("{direction}, {}", if record.weighted { "weighted" } else { "unweighted" })
}

/// Returns the rate per second; 0 if no time has passed.
fn rate(amount: u64, seconds: f64) -> f64 {
    if seconds > 0.0 { amount as f64 / seconds } else { 0.0 }
}

fn headline(record: &BuildRecord) -> Vec<Fact> {
    vec![
        Fact::seconds("time", record.seconds),
        Fact::text("edges per second", Unit::Count.short(rate(record.edges, record.seconds))),
        Fact::bytes("store", record.bytes),
        Fact::text("bytes per edge", Unit::Number.short(rate(record.bytes, record.edges as f64))),
        Fact::bytes("peak resident memory", record.peak_rss),
    ]
}

fn facts(record: &BuildRecord) -> Vec<Fact> {
    vec![
        Fact::text("store", &record.store),
        Fact::count("vertices", record.vertices.into()),
        Fact::count("edges", record.edges),
        Fact::text("kind", kind(record)),
        Fact::text("order", order(record)),
        Fact::count("lines skipped", record.skipped_lines),
        Fact::count("self-loops dropped", record.loops_dropped),
        Fact::bytes("store on disk", record.bytes),
        Fact::seconds("time", record.seconds),
        Fact::seconds("user CPU time", record.user_seconds),
        Fact::seconds("system CPU time", record.system_seconds),
        Fact::known("read from disks", record.bytes_read.map(Quantity::Bytes)),
        Fact::known("written to disks", record.bytes_written.map(Quantity::Bytes)),
        Fact::bytes("peak resident memory", record.peak_rss),
        Fact::bytes("memory budget", record.memory_budget),
        Fact::bytes("peak reserved memory", record.memory_peak),
    ]
}

/// Returns the vertex order and the reason for it; records of older versions have no reason.
fn order(record: &BuildRecord) -> String {
    match (&record.order_reason, record.order.as_str()) {
        (_, "") => "not recorded".to_owned(),
        (Some(reason), order) => format!("{order}: {reason}"),
        (None, order) => order.to_owned(),
    }
}

fn phases(record: &BuildRecord) -> Option<String> {
    let row = |phase: &PhaseRecord| Row {
        name: phase.name.clone().into_owned(),
        value: Quantity::Seconds(phase.seconds),
        more: vec![done(phase), speed(phase)],
    };
    let told: f64 = record.phases.iter().map(|phase| phase.seconds).sum();
    let rest = Quantity::Seconds(record.seconds - told);
    let caption = format!("Each phase lasts until the next one starts. Time outside all phases: {}.", rest.short());
    let header = ["phase", "seconds", "done", "per second"];
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

fn speed(phase: &PhaseRecord) -> String {
    let each = rate(phase.done, phase.seconds);
    format!("{}{}", quantity(phase.unit, phase.done).unit().short(each), noun(phase.unit))
}

fn files(record: &BuildRecord) -> Option<String> {
    let each = |bytes: u64| Unit::Number.short(rate(bytes, record.edges as f64));
    let row = |file: &crate::record::FileRecord| Row {
        name: file.name.clone(),
        value: Quantity::Bytes(file.bytes),
        more: vec![each(file.bytes)],
    };
    let mut files: Vec<_> = record.files.iter().map(row).collect();
    files.sort_by(|a, b| b.value.drawn().total_cmp(&a.value.drawn()).then_with(|| a.name.cmp(&b.name)));
    let caption = format!("{} in {} files, largest first.", Quantity::Bytes(record.bytes).short(), files.len());
    rows("Files of the store", &caption, &["file", "size", "bytes per edge"], "c2", &files)
}

fn traffic(record: &BuildRecord) -> Option<String> {
    let row = |name: &str, bytes| Row { name: name.to_owned(), value: Quantity::Bytes(bytes), more: Vec::new() };
    let known = [("read", record.bytes_read), ("written", record.bytes_written)];
    let known = known.into_iter().filter_map(|(name, bytes)| bytes.map(|bytes| row(name, bytes)));
    let drawn: Vec<_> = known.chain([row("the store", record.bytes)]).collect();
    let caption = "Disk traffic, including temporary files, compared with the size of the store. Data in the page cache of the system is not read from disk.";
    rows("Bytes read and written", caption, &["", "size"], "c3", &drawn)
}
