//! Table 4 and figure 15: times of the algorithms.

use super::requests::{ALGORITHMS, cell, compact, csr, request};
use crate::harness::Harness;
use crate::table::{Grid, Section, Table};
use outcrop::{Graph, MemorySize, Model, OpenOptions, Result, Schedule};

/// Creates table 4.
pub(super) fn by_model(harness: &Harness<'_>) -> Result<Section> {
    let (csr, compact) = (csr(harness)?, compact(harness)?);
    let (edge_map, interval) = (Model::EdgeMap, Model::Interval);
    let rows = [
        ("interval, csr, sweeping always", &csr, interval, Schedule::Sweep),
        ("interval, compact, sweeping always (LOSC-v1)", &compact, interval, Schedule::Sweep),
        ("interval, compact (LOSC)", &compact, interval, Schedule::Auto),
        ("edge_map, compact", &compact, edge_map, Schedule::Auto),
    ];
    let mut grid = Grid::default();
    for (label, store, model, schedule) in rows {
        let run = |name: &&str| harness.run(&store.path, &harness.options(), &request(harness, name, model, schedule)?);
        grid.row(label, ALGORITHMS.iter().map(run).collect::<Result<_>>()?);
    }
    let found =
        "LOSC takes 1/9.4 of GraphChi's time, 1/5.1 of GridGraph's, and 1/1.5 of LOSC-v1's, which sweeps always";
    let section = Section::new("Table 4", found, vec![grid.table("Seconds, and bytes read", cell)]);
    Ok(section.here("GraphChi and GridGraph are not run; the first rows are the nearest to them that there is"))
}

/// Creates figure 15, without the devices.
pub(super) fn threads_and_memory(harness: &Harness<'_>) -> Result<Section> {
    let store = compact(harness)?;
    let [pagerank, bfs] = ["pagerank", "bfs"].map(|name| request(harness, name, Model::Interval, Schedule::Auto));
    let (pagerank, bfs) = (pagerank?, bfs?);
    let mut threads = Grid::default();
    for (label, number) in [("as given", harness.options().threads), ("1 thread", Some(1))] {
        let options = OpenOptions { threads: number, ..harness.options() };
        let run = |request| harness.run(&store.path, &options, request);
        threads.row(label, vec![run(&pagerank)?, run(&bfs)?]);
    }
    let estimate = Graph::open(&store.path, harness.options())?.estimate(&pagerank)?;
    let mut memory = Table::new("Memory: PageRank with caches for a share of the lists", ["pagerank"]);
    for eighths in [1, 2, 4, 8] {
        let budget = estimate.minimum + (estimate.all_in_memory - estimate.minimum) * eighths / 8;
        let options = OpenOptions { memory: MemorySize::Bytes(budget), ..harness.options() };
        memory.row(format!("{eighths}/8"), [cell(&harness.run(&store.path, &options, &pagerank)?)]);
    }
    let found = "8 threads bring PageRank on a graph in memory the most of three systems, BFS on disk 39%; from 2 to 12 GB of memory \
                 PageRank becomes 6.2 times as fast, as the compact graph then fits";
    let threads = threads.table("Threads (the first: the requested number, by default one per core)", cell);
    Ok(Section::new("Figure 15", found, vec![threads, memory]))
}
