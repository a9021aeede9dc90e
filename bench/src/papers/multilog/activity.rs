//! Figures 2, 5 and 7: supersteps.

use super::requests::{APPLICATIONS, Multilog, SWEEPING, cell};
use crate::output::{bytes, percent};
use crate::table::{Section, Table};
use outcrop::{Result, RunRecord};

/// Creates figure 2.
pub(super) fn shrinking(multilog: &Multilog<'_>) -> Result<Section> {
    let record = multilog.run("coloring", &[])?;
    let mut table = Table::new("Coloring, of all vertices and list entries", ["active vertices", "list entries"]);
    let entries = record.iterations_detail.iter().map(|step| step.active_edges).max().unwrap_or(0);
    for step in &record.iterations_detail {
        let cells = [percent(step.active_vertices, record.graph.vertices.into()), percent(step.active_edges, entries)];
        table.row(step.iteration.to_string(), cells);
    }
    let found = "the active vertices and edges of coloring shrink to a small part within 15 supersteps";
    Ok(Section::new("Figure 2", found, vec![table]))
}

/// Creates figure 5.
pub(super) fn search(multilog: &Multilog<'_>) -> Result<Section> {
    let messages = multilog.run("bfs", &[])?;
    let sweeping = multilog.run("bfs", SWEEPING)?;
    let mut table = Table::new(
        "Bytes of lists and of logs by superstep, and of lists when each superstep sweeps over all",
        ["active vertices", "lists", "logs and values", "sweeping"],
    );
    for (number, step) in messages.iterations_detail.iter().enumerate() {
        let swept = sweeping.iterations_detail.get(number).map_or(0, |step| step.bytes_read);
        let cells = [step.bytes_read, step.value_bytes_read, swept].map(bytes);
        table.row(step.iteration.to_string(), std::iter::once(step.active_vertices.to_string()).chain(cells));
    }
    let mut whole = Table::new("The whole search", ["seconds, bytes"]);
    whole.row("messages", [cell(&messages)]);
    whole.row("sweeping over all lists", [cell(&sweeping)]);
    let found = "bfs is 17.8 times as fast as GraphChi on average, which reads 90 times as many pages for a tenth of the graph and 6 times \
                 as many for all of it";
    let section = Section::new("Figure 5", found, vec![table, whole]);
    Ok(section.here("in place of GraphChi, every superstep sweeps over all lists"))
}

/// Creates figure 7.
pub(super) fn by_superstep(multilog: &Multilog<'_>) -> Result<Section> {
    let steps = |application: &&str| multilog.run(application, &[]).map(|record| steps(application, &record));
    let tables = APPLICATIONS.iter().skip(1).map(steps).collect::<Result<_>>()?;
    let found = "in the first half of the supersteps as fast as GraphChi, as logs are long; faster as fewer vertices are active";
    Ok(Section::new("Figure 7", found, tables))
}

fn steps(application: &str, record: &RunRecord) -> Table {
    let columns = ["active vertices", "seconds", "lists read", "logs and values read", "written"];
    let mut table = Table::new(application, columns);
    for step in &record.iterations_detail {
        let moved = [step.bytes_read, step.value_bytes_read, step.bytes_written].map(bytes);
        let cells = [step.active_vertices.to_string(), format!("{:.3}", step.seconds)];
        table.row(step.iteration.to_string(), cells.into_iter().chain(moved));
    }
    table
}
