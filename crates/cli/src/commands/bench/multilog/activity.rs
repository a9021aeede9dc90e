//! Figures 2, 5 and 7: what happens superstep by superstep.

use super::super::markdown::{Section, Table, percent};
use super::laboratory::{APPLICATIONS, Laboratory, Setting, cell};
use crate::output::bytes;
use outcrop::{Result, RunRecord};

/// Figure 2.
pub(super) fn shrinking(laboratory: &Laboratory<'_>) -> Result<Section> {
    let record = laboratory.run("coloring", Setting::default())?;
    let mut table = Table::new("Coloring, of all vertices and list entries", ["active vertices", "list entries"]);
    let entries = record.iterations_detail.iter().map(|step| step.active_edges).max().unwrap_or(0);
    for step in &record.iterations_detail {
        let cells = [percent(step.active_vertices, record.vertices.into()), percent(step.active_edges, entries)];
        table.row(step.iteration.to_string(), cells);
    }
    Ok(Section {
        name: "Figure 2".to_owned(),
        paper: "the active vertices and edges of coloring shrink to a small part within 15 supersteps",
        here: Vec::new(),
        tables: vec![table],
    })
}

/// Figure 5.
pub(super) fn search(laboratory: &Laboratory<'_>) -> Result<Section> {
    let messages = laboratory.run("bfs", Setting::default())?;
    let sweeping = laboratory.run("bfs", Setting { sweeping: true, ..Setting::default() })?;
    let mut table = Table::new(
        "Bytes of lists and of logs by superstep, and of lists when each superstep sweeps over all",
        ["active vertices", "lists", "logs and values", "sweeping"],
    );
    for (number, step) in messages.iterations_detail.iter().enumerate() {
        let swept = sweeping.iterations_detail.get(number).map_or(0, |step| step.bytes_read);
        let active = step.active_vertices.to_string();
        table.row(
            step.iteration.to_string(),
            [active, bytes(step.bytes_read), bytes(step.value_bytes_read), bytes(swept)],
        );
    }
    let mut whole = Table::new("The whole search", ["seconds, bytes"]);
    whole.row("messages", [cell(&messages)]);
    whole.row("sweeping over all lists", [cell(&sweeping)]);
    Ok(Section {
        name: "Figure 5".to_owned(),
        paper: "bfs is 17.8 times as fast as GraphChi on average, which reads 90 times as many pages for a tenth of the graph and 6 \
                times as many for all of it",
        here: vec!["in place of GraphChi, every superstep sweeps over all lists".to_owned()],
        tables: vec![table, whole],
    })
}

/// Figure 7.
pub(super) fn by_superstep(laboratory: &Laboratory<'_>) -> Result<Section> {
    let mut tables = Vec::new();
    for application in APPLICATIONS.iter().skip(1) {
        let record = laboratory.run(application, Setting::default())?;
        tables.push(steps(application, &record));
    }
    Ok(Section {
        name: "Figure 7".to_owned(),
        paper: "in the first half of the supersteps as fast as GraphChi, as logs are long; faster as fewer vertices are active",
        here: Vec::new(),
        tables,
    })
}

fn steps(application: &str, record: &RunRecord) -> Table {
    let columns = ["active vertices", "seconds", "lists read", "logs and values read", "written"];
    let mut table = Table::new(application, columns);
    for step in &record.iterations_detail {
        table.row(
            step.iteration.to_string(),
            [
                step.active_vertices.to_string(),
                format!("{:.3}", step.seconds),
                bytes(step.bytes_read),
                bytes(step.value_bytes_read),
                bytes(step.bytes_written),
            ],
        );
    }
    table
}
