//! Figures 9 and 10 and table 5: subgraph construction beside that of parallel sliding windows.

use super::super::construct::{ConstructionOption, count_cache_misses};
use super::super::markdown::{Section, Table};
use super::laboratory::{Laboratory, Setting};
use crate::output::count;
use outcrop::{ConstructionRequest, Result};

/// Intervals of the graph.
const INTERVALS: u32 = 8;

const WAYS: [(&str, ConstructionOption); 2] = [
    ("from shards sorted by source (PSW)", ConstructionOption::SlidingWindows),
    ("from dual shards (LOSC)", ConstructionOption::DualShards),
];

/// Figures 9 and 10.
pub(super) fn seconds(laboratory: &Laboratory<'_>) -> Result<Section> {
    let csr = laboratory.csr()?;
    let mut table = Table::new("Seconds of constructing all intervals, all edges in memory", ["1 thread", "2 threads"]);
    for (label, way) in WAYS {
        let mut cells = Vec::new();
        for threads in [1, 2] {
            let graph = laboratory.open(&csr.path, Setting { threads: Some(threads), ..Setting::default() })?;
            let rounds = laboratory.arguments.repeat;
            let request = ConstructionRequest { construction: way.construction(), intervals: INTERVALS, rounds };
            let mut seconds = graph.construct(request)?.seconds;
            seconds.sort_by(f64::total_cmp);
            cells.push(format!("{:.3}", seconds.get(seconds.len() / 2).copied().unwrap_or_default()));
        }
        table.row(label, cells);
    }
    Ok(Section {
        name: format!("Figures 9 and 10, {INTERVALS} intervals"),
        paper: "construction is 28.6 times as fast as PSW's; from 1 to 8 threads it becomes 3.3 times as fast, PSW's 1.2 times",
        here: Vec::new(),
        tables: vec![table],
    })
}

/// Table 5.
pub(super) fn cache_misses(laboratory: &Laboratory<'_>) -> Result<Section> {
    let csr = laboratory.csr()?;
    let columns = ["memory references, read", "missing the last level", "written", "missing the last level"];
    let mut table = Table::new("One thread, counted by Cachegrind", columns);
    for (label, way) in WAYS {
        let [with, without] = [1, 0].map(|rounds| count_cache_misses(&csr.path, way, INTERVALS, rounds));
        let found = with?.beyond(&without?);
        let missing = |misses: u64, references: u64| {
            format!("{} ({:.1}%)", count(misses), 100.0 * misses as f64 / references.max(1) as f64)
        };
        let (reads, writes) = (found.reads, found.writes);
        let cells = [count(reads.references), missing(reads.misses, reads.references)];
        table
            .row(label, cells.into_iter().chain([count(writes.references), missing(writes.misses, writes.references)]));
    }
    Ok(Section {
        name: "Table 5".to_owned(),
        paper: "of last-level references PSW's construction misses 77% read and 23.1% written, LOSC's 0.4% and 3.0%",
        here: Vec::new(),
        tables: vec![table],
    })
}
