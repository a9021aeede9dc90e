//! Figures 3 and 9: pages that are hardly used, and what the edge log makes of them.

use super::super::markdown::{Section, Table, percent};
use super::laboratory::{APPLICATIONS, Laboratory, Setting, cell, messages};
use crate::output::bytes;
use outcrop::Result;

/// Figure 3.
pub(super) fn thin(laboratory: &Laboratory<'_>) -> Result<Section> {
    let setting = Setting { options: &[("edge-log", "off")], ..Setting::default() };
    let mut table = Table::new("Pages with lists of active vertices, edge log off", ["pages", "used below 10%"]);
    for application in APPLICATIONS {
        let record = laboratory.run(application, setting)?;
        let seen = messages(&record)?;
        table.row(application, [seen.pages.to_string(), percent(seen.thin_pages, seen.pages)]);
    }
    Ok(Section {
        name: "Figure 3".to_owned(),
        paper: "of about 32% of the pages that are read less than a tenth is used",
        here: vec![
            "pages are counted where less than a quarter of the vertices around is active; others are used well"
                .to_owned(),
        ],
        tables: vec![table],
    })
}

/// Figure 9.
pub(super) fn predicted(laboratory: &Laboratory<'_>) -> Result<Section> {
    let ways = [
        ("edge log and fusing", [].as_slice()),
        ("without the edge log", &[("edge-log", "off")]),
        ("without fusing", &[("fuse", "off")]),
    ];
    let columns = ["hardly used pages predicted", "lists from the log", "edge log read", "fused intervals"];
    let mut predicted = Table::new("Edge log and fusing on", columns);
    let mut saved = Table::new("What they save", ways.map(|(label, _)| label));
    for application in APPLICATIONS {
        let runs = ways.map(|(_, options)| laboratory.run(application, Setting { options, ..Setting::default() }));
        let [both, no_log, no_fusing] = runs;
        let both = both?;
        let seen = messages(&both)?;
        predicted.row(
            application,
            [
                percent(seen.predicted_pages, seen.thin_pages),
                seen.lists_from_log.to_string(),
                bytes(seen.edge_log_bytes_read),
                seen.fused.to_string(),
            ],
        );
        saved.row(application, [cell(&both), cell(&no_log?), cell(&no_fusing?)]);
    }
    Ok(Section {
        name: "Figure 9".to_owned(),
        paper: "34% of the hardly used pages are predicted, fewer where algorithms converge soon",
        here: Vec::new(),
        tables: vec![predicted, saved],
    })
}
