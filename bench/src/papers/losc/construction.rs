//! Figures 9 and 10 and table 5: subgraph construction, also with parallel sliding windows.

use super::requests::csr;
use crate::harness::Harness;
use crate::output::count;
use crate::papers::construct::{Construction, ConstructionRequest, construct, count_cache_misses};
use crate::table::{Section, Table};
use outcrop::{Error, OpenOptions, Result};

/// Number of vertex intervals.
const INTERVALS: u32 = 8;

const COMPARED: [(&str, Construction); 2] = [
    ("from shards sorted by source (PSW)", Construction::SlidingWindows),
    ("from dual shards (LOSC)", Construction::DualShards),
];

/// Creates figures 9 and 10.
pub(super) fn seconds(harness: &Harness<'_>) -> Result<Section> {
    let csr = csr(harness)?;
    let mut table = Table::new("Seconds of constructing all intervals, all edges in memory", ["1 thread", "2 threads"]);
    for (label, from) in COMPARED {
        let mut cells = Vec::new();
        for threads in [1, 2] {
            let options = OpenOptions { threads: Some(threads), ..harness.options() };
            let request = ConstructionRequest { from, intervals: INTERVALS, rounds: harness.setup.repeat };
            let mut seconds = construct(&csr.path, &options, request)?.seconds;
            seconds.sort_by(f64::total_cmp);
            let median = seconds.get(seconds.len() / 2).ok_or_else(|| Error::internal("nothing was constructed"))?;
            cells.push(format!("{median:.3}"));
        }
        table.row(label, cells);
    }
    let found = "construction is 28.6 times as fast as PSW's; from 1 to 8 threads it becomes 3.3 times as fast, PSW's 1.2 times";
    Ok(Section::new(format!("Figures 9 and 10, {INTERVALS} intervals"), found, vec![table]))
}

/// Creates table 5.
pub(super) fn cache_misses(harness: &Harness<'_>) -> Result<Section> {
    let csr = csr(harness)?;
    let columns = ["memory references, read", "missing the last level", "written", "missing the last level"];
    let mut table = Table::new("One thread, counted by Cachegrind", columns);
    for (label, from) in COMPARED {
        let [with, without] = [1, 0].map(|rounds| count_cache_misses(&csr.path, from, INTERVALS, rounds));
        let found = with?.beyond(&without?);
        let cells = [found.reads, found.writes].into_iter().flat_map(|counted| {
            let (misses, all) = (counted.misses, counted.references);
            let share = 100.0 * misses as f64 / all.max(1) as f64;
            [count(all), format!("{} ({share:.1}%)", count(misses))]
        });
        table.row(label, cells);
    }
    let found = "of last-level references PSW's construction misses 77% read and 23.1% written, LOSC's 0.4% and 3.0%";
    Ok(Section::new("Table 5", found, vec![table]))
}
