//! Figures 7 and 9: traffic, utilization of shards, and disk space.

use super::iterations::{NOTHING, loaded_and_needed};
use super::measure::{KINDS, Measured, Measurement};
use crate::output::{bytes, percent};
use crate::table::{Section, Table};

/// Creates figure 7.
pub(super) fn moved(measured: &[Measured]) -> Section {
    let columns = ["read", "of static", "in shadow iterations", "written", "of static", "in shadow iterations"];
    let tables = measured.iter().map(|algorithm| {
        let mut table = Table::new(algorithm.algorithm, columns);
        let (base_read, base_written) = bytes_moved(&algorithm.baseline);
        for ran in algorithm.all() {
            let ((read, written), figures) = (bytes_moved(ran), &ran.figures);
            let reads = [bytes(read), percent(read, base_read), percent(figures.shadow_bytes_read, read)];
            let writes =
                [bytes(written), percent(written, base_written), percent(figures.shadow_bytes_written, written)];
            table.row(ran.shards, reads.into_iter().chain(writes));
        }
        table
    });
    let found =
        "ods reads and writes much less than static shards; ads more in some cases; shadow iterations are a small part";
    let section = Section::new("Figure 7", found, tables.collect());
    section.here("shards that a run writes before it begins are not counted, nor is what memory holds")
}

/// Returns the bytes read and written in all steps.
fn bytes_moved(ran: &Measurement) -> (u64, u64) {
    let steps = &ran.figures.steps;
    (steps.iter().map(|step| step.bytes_read).sum(), steps.iter().map(|step| step.bytes_written).sum())
}

/// Creates figure 9, with the delay buffer.
pub(super) fn utilization(measured: &[Measured]) -> Section {
    let mut used = Table::new("Edges that bring something new of those in the shards, mean over iterations", KINDS);
    let mut disk = Table::new("Disk space at the most: shards and values of edges, of that of static shards", KINDS);
    let mut delay = Table::new("The delay buffer at the most", KINDS);
    for algorithm in measured {
        let baseline = space(&algorithm.baseline);
        used.row(algorithm.algorithm, algorithm.cells(utilized));
        disk.row(algorithm.algorithm, algorithm.cells(|ran| percent(space(ran), baseline)));
        delay.row(algorithm.algorithm, algorithm.cells(|ran| bytes(ran.figures.peak_delay_bytes)));
    }
    let found = "dynamic shards are used to 55 to 92%, those of ads more than those of ods, static ones to very little; disk space grows by 2 \
                 to 28%; the delay buffer takes less than a few 100 KB, and 1.5 MB at the most";
    Section::new("Figure 9", found, vec![used, disk, delay])
}

/// Returns the mean share of edges with new values among the edges processed per iteration.
fn utilized(ran: &Measurement) -> String {
    let run = ran.iterations();
    let loaded = (1..run.len()).filter_map(|number| loaded_and_needed(&run, number)).filter(|(loaded, _)| *loaded > 0);
    let shares: Vec<f64> = loaded.map(|(loaded, needed)| needed as f64 / loaded as f64).collect();
    match shares.len() {
        0 => NOTHING.to_owned(),
        count => format!("{:.1}%", 100.0 * shares.iter().sum::<f64>() / count as f64),
    }
}

/// Returns the bytes of shards and temporary files. Shards written by a run are also temporary files, but not included
/// in the figures of the run.
fn space(ran: &Measurement) -> u64 {
    let (prepared, stored) = (ran.figures.prepared_bytes, ran.record.files.lists_bytes);
    ran.figures.peak_disk_bytes + if prepared > 0 { prepared } else { stored }
}
