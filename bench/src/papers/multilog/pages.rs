//! Figures 3 and 9: low-utilization pages, and the gain of the edge log.

use super::requests::{APPLICATIONS, Multilog, cell, messages};
use crate::output::{bytes, percent};
use crate::table::{Section, Table};
use outcrop::Result;

/// Creates figure 3.
pub(super) fn thin(multilog: &Multilog<'_>) -> Result<Section> {
    let mut table = Table::new("Pages with lists of active vertices, edge log off", ["pages", "used below 10%"]);
    for application in APPLICATIONS {
        let record = multilog.run(application, &[("edge-log", "off")])?;
        let seen = messages(&record)?;
        table.row(application, [seen.pages.to_string(), percent(seen.thin_pages, seen.pages)]);
    }
    let section =
        Section::new("Figure 3", "of about 32% of the pages that are read less than a tenth is used", vec![table]);
    Ok(section
        .here("pages are counted where less than a quarter of the vertices around is active; others are used well"))
}

/// Creates figure 9.
pub(super) fn predicted(multilog: &Multilog<'_>) -> Result<Section> {
    let columns = ["low-utilization pages predicted", "lists from the log", "edge log read", "fused intervals"];
    let mut predicted = Table::new("Edge log and fusing on", columns);
    let mut saved = Table::new("Savings", ["edge log and fusing", "without the edge log", "without fusing"]);
    for application in APPLICATIONS {
        let both = multilog.run(application, &[])?;
        let no_log = multilog.run(application, &[("edge-log", "off")])?;
        let no_fusing = multilog.run(application, &[("fuse", "off")])?;
        let seen = messages(&both)?;
        let cells = [
            percent(seen.predicted_pages, seen.thin_pages),
            seen.lists_from_log.to_string(),
            bytes(seen.edge_log_bytes_read),
            seen.fused.to_string(),
        ];
        predicted.row(application, cells);
        saved.row(application, [&both, &no_log, &no_fusing].map(cell));
    }
    let found = "34% of the hardly used pages are predicted, fewer where algorithms converge soon";
    Ok(Section::new("Figure 9", found, vec![predicted, saved]))
}
