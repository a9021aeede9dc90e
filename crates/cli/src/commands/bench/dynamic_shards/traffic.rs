//! Figures 7 and 9: bytes that are moved, how much of shards is used, and disk space.

use super::super::markdown::{Section, Table, percent};
use super::laboratory::{Measured, Measurement, NOTHING};
use crate::output::bytes;

/// Figure 7.
pub(super) fn moved(measured: &[Measured]) -> Section {
    let columns = ["read", "of static", "in shadow iterations", "written", "of static", "in shadow iterations"];
    let tables = measured.iter().map(|algorithm| {
        let mut table = Table::new(algorithm.algorithm, columns);
        let (base_read, base_written) = algorithm.baseline.moved();
        for ran in algorithm.all() {
            let ((read, written), figures) = (ran.moved(), &ran.figures);
            let reads = [bytes(read), percent(read, base_read), percent(figures.shadow_bytes_read, read)];
            let writes =
                [bytes(written), percent(written, base_written), percent(figures.shadow_bytes_written, written)];
            table.row(ran.shards, reads.into_iter().chain(writes));
        }
        table
    });
    Section {
        name: "Figure 7".to_owned(),
        paper: "ods reads and writes much less than static shards; ads more in some cases; shadow iterations are a small part",
        here: vec!["shards that a run writes before it begins are not counted, nor is what memory holds".to_owned()],
        tables: tables.collect(),
    }
}

/// Figure 9, and the delay buffer.
pub(super) fn utilisation(measured: &[Measured]) -> Section {
    let kinds = ["static", "ads", "ods", "edge-list"];
    let mut used = Table::new("Updated edges of those in the shards, mean over iterations", kinds);
    let mut disk = Table::new("Disk space at the most: lists and temporary files, of that of static shards", kinds);
    let mut delay = Table::new("The delay buffer at the most", kinds);
    for algorithm in measured {
        let baseline = space(&algorithm.baseline);
        used.row(algorithm.algorithm, algorithm.cells(utilised));
        disk.row(algorithm.algorithm, algorithm.cells(|ran| percent(space(ran), baseline)));
        delay.row(algorithm.algorithm, algorithm.cells(|ran| bytes(ran.figures.peak_delay_bytes)));
    }
    Section {
        name: "Figure 9".to_owned(),
        paper: "dynamic shards are used to 55 to 92%, those of ads more than those of ods, static ones to very little; disk space grows by 2 \
                to 28%; the delay buffer takes less than a few 100 KB, and 1.5 MB at the most",
        here: Vec::new(),
        tables: vec![used, disk, delay],
    }
}

/// The share of the edges that iterations updated, of those that they went over.
fn utilised(ran: &Measurement) -> String {
    let steps = || ran.figures.steps.iter().filter(|step| !step.shadow && step.arcs > 0);
    let sum: f64 = steps().map(|step| step.updated_arcs as f64 / step.arcs as f64).sum();
    let count = steps().count();
    if count == 0 { NOTHING.to_owned() } else { format!("{:.1}%", 100.0 * sum / count as f64) }
}

fn space(ran: &Measurement) -> u64 {
    ran.record.lists_bytes + ran.figures.peak_disk_bytes
}
