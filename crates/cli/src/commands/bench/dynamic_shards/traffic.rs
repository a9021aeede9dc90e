//! Figures 7 and 9: bytes that are moved, how much of shards is used, and disk space.

use super::super::markdown::{Section, Table, percent};
use super::laboratory::{Measured, Measurement, NOTHING, loaded_and_needed};
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
    let mut used = Table::new("Edges that bring something new of those in the shards, mean over iterations", kinds);
    let mut disk = Table::new("Disk space at the most: shards and values of edges, of that of static shards", kinds);
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

/// The share of the edges that bring something new, of those that an iteration goes over.
fn utilised(ran: &Measurement) -> String {
    let run = ran.iterations();
    let loaded = (1..run.len()).filter_map(|number| loaded_and_needed(&run, number)).filter(|(loaded, _)| *loaded > 0);
    let shares: Vec<f64> = loaded.map(|(loaded, needed)| needed as f64 / loaded as f64).collect();
    match shares.len() {
        0 => NOTHING.to_owned(),
        count => format!("{:.1}%", 100.0 * shares.iter().sum::<f64>() / count as f64),
    }
}

/// Bytes of shards and temporary files. Shards that a run writes are temporary files too, which the figures of the run leave out.
fn space(ran: &Measurement) -> u64 {
    let (prepared, stored) = (ran.figures.prepared_bytes, ran.record.lists_bytes);
    ran.figures.peak_disk_bytes + if prepared > 0 { prepared } else { stored }
}
