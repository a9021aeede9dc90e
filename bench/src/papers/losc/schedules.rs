//! Figures 12 and 13: gain and cost of deciding between select and sweep.

use super::requests::{cell, compact, request};
use crate::harness::{Caches, Harness};
use crate::table::{Grid, Section};
use outcrop::{AccessMode, IterationRecord, Model, Result, RunRecord, Schedule};
use std::path::Path;

const ALGORITHMS: [&str; 3] = ["bfs", "wcc", "sssp"];

pub(super) fn schedules(harness: &Harness<'_>) -> Result<Vec<Section>> {
    let compact = compact(harness)?;
    let (mut tables, mut decided) = (Vec::new(), Grid::default());
    for model in [Model::EdgeMap, Model::Interval] {
        for percent in [12.5, 25.0, 50.0] {
            let mut grid = Grid::default();
            for schedule in [Schedule::Auto, Schedule::Select, Schedule::Sweep] {
                grid.row(schedule.name(), runs(harness, &compact.path, model, schedule, percent)?);
            }
            decided.row(format!("{}, {percent}%", model.name()), grid.runs(0).to_vec());
            tables.push(grid.table(format!("{}, page cache of {percent}% of the lists", model.name()), cell));
        }
    }
    let deciding = decided.table("Of all seconds, those of deciding", |run| {
        format!("{:.3}%", 100.0 * run.time.seconds_scheduling / run.time.seconds)
    });
    let title = "Seconds estimated for what was done, of those waited for reads (one thread's share)";
    let estimates = decided.table(title, estimate_and_waiting);
    let found =
        "reading what is active where that costs less saves up to 75% (bfs) and 68% (wcc) of the traffic of sweeping";
    let gain = Section::new("Figure 12", found, tables);
    let cost = Section::new(
        "Figure 13",
        "evaluating the model takes a negligible part of the time",
        vec![deciding, estimates],
    );
    Ok(vec![gain, cost])
}

fn runs(harness: &Harness<'_>, store: &Path, model: Model, schedule: Schedule, page: f64) -> Result<Vec<RunRecord>> {
    let run = |name: &&str| {
        let request = request(harness, name, model, schedule)?;
        let options = harness.with_caches(store, &request, Caches { page, fixed: 0.0 })?;
        harness.run(store, &options, &request)
    };
    ALGORITHMS.iter().map(run).collect()
}

/// Formats the estimate for the chosen accesses, and the mean waiting time per worker.
fn estimate_and_waiting(record: &RunRecord) -> String {
    let chosen = |iteration: &IterationRecord| match iteration.access {
        AccessMode::Select => iteration.select_seconds,
        AccessMode::Sweep => iteration.sweep_seconds,
    };
    let estimated: f64 = record.iterations_detail.iter().map(chosen).sum();
    format!("{:.3} of {:.3} s", estimated, record.reading.seconds_waiting / record.reading.threads.max(1) as f64)
}
