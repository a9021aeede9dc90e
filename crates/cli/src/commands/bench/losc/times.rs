//! Table 4 and figure 15: how long the algorithms take.

use super::super::markdown::{Section, Table};
use super::laboratory::{ALGORITHMS, Laboratory, Setting, cell};
use outcrop::{Model, Result, Schedule};
use std::path::Path;

/// Table 4.
pub(super) fn by_model(laboratory: &Laboratory<'_>) -> Result<Section> {
    let (csr, compact) = (laboratory.csr()?, laboratory.compact()?);
    let interval = Setting { model: Some(Model::Interval), ..Setting::default() };
    let without_scheduling = Setting { schedule: Schedule::Sweep, ..interval };
    let edge_map = Setting { model: Some(Model::EdgeMap), ..Setting::default() };
    let rows: [(&str, &Path, Setting); 4] = [
        ("interval, csr, sweeping always", &csr.path, without_scheduling),
        ("interval, compact, sweeping always (LOSC-v1)", &compact.path, without_scheduling),
        ("interval, compact (LOSC)", &compact.path, interval),
        ("edge_map, compact", &compact.path, edge_map),
    ];
    let mut table = Table::new("Seconds, and bytes read", ALGORITHMS);
    for (label, store, setting) in rows {
        let run = |name: &&str| laboratory.run(store, name, setting).map(|record| cell(&record));
        table.row(label, ALGORITHMS.iter().map(run).collect::<Result<Vec<_>>>()?);
    }
    Ok(Section {
        name: "Table 4".to_owned(),
        paper: "LOSC takes 1/9.4 of GraphChi's time, 1/5.1 of GridGraph's, and 1/1.5 of LOSC-v1's, which sweeps always",
        here: vec![
            "GraphChi and GridGraph are not run; the first lines are the nearest to them that there is".to_owned(),
        ],
        tables: vec![table],
    })
}

/// Figure 15, without the devices.
pub(super) fn threads_and_memory(laboratory: &Laboratory<'_>) -> Result<Section> {
    let compact = laboratory.compact()?;
    let interval = Setting { model: Some(Model::Interval), ..Setting::default() };
    let mut threads = Table::new("Threads (the first as the user said, or one a core)", ["pagerank", "bfs"]);
    for (label, number) in [("as given", None), ("1 thread", Some(1))] {
        let setting = Setting { threads: number, ..interval };
        let run = |name: &str| laboratory.run(&compact.path, name, setting).map(|record| cell(&record));
        threads.row(label, [run("pagerank")?, run("bfs")?]);
    }
    let request = laboratory.request("pagerank", interval)?;
    let estimate = laboratory.open(&compact.path, interval)?.estimate(&request)?;
    let mut memory = Table::new("Memory: PageRank with caches of so much of the lists", ["pagerank"]);
    for eighths in [1, 2, 4, 8] {
        let caches = (estimate.all_in_memory - estimate.minimum) * eighths / 8;
        let setting = Setting { memory: Some(estimate.minimum + caches), ..interval };
        memory.row(format!("{eighths}/8"), [cell(&laboratory.run(&compact.path, "pagerank", setting)?)]);
    }
    Ok(Section {
        name: "Figure 15".to_owned(),
        paper: "8 threads bring PageRank on a graph in memory the most of three systems, BFS on disk 39%; from 2 to 12 GB of memory \
                PageRank becomes 6.2 times as fast, as the compact graph then fits",
        here: Vec::new(),
        tables: vec![threads, memory],
    })
}
