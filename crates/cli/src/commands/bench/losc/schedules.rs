//! Figures 12 and 13: what deciding between select and sweep brings, and what it costs.

use super::super::markdown::{Section, Table};
use super::laboratory::{Laboratory, Setting, cell};
use outcrop::{AccessMode, IterationRecord, Model, Result, RunRecord, Schedule};

const ALGORITHMS: [&str; 3] = ["bfs", "wcc", "sssp"];
const SCHEDULES: [Schedule; 3] = [Schedule::Auto, Schedule::Select, Schedule::Sweep];

pub(super) fn schedules(laboratory: &Laboratory<'_>) -> Result<Vec<Section>> {
    let compact = laboratory.compact()?;
    let (mut tables, mut deciding) = (Vec::new(), Table::new("Of all seconds, those of deciding", ALGORITHMS));
    let mut apart =
        Table::new("Seconds estimated for what was done, of those waited for reads (one thread's share)", ALGORITHMS);
    for model in [Model::EdgeMap, Model::Interval] {
        for percent in [12.5, 25.0, 50.0] {
            let mut table = Table::new(format!("{}, page cache of {percent}% of the lists", model.name()), ALGORITHMS);
            for schedule in SCHEDULES {
                let setting =
                    Setting { model: Some(model), schedule, cache_percent: Some(percent), ..Setting::default() };
                let run = |name: &&str| laboratory.run(&compact.path, name, setting);
                let records = ALGORITHMS.iter().map(run).collect::<Result<Vec<_>>>()?;
                table.row(schedule.name(), records.iter().map(cell));
                if schedule == Schedule::Auto {
                    let label = format!("{}, {percent}%", model.name());
                    deciding.row(label.clone(), records.iter().map(share_of_deciding));
                    apart.row(label, records.iter().map(estimate_beside_waiting));
                }
            }
            tables.push(table);
        }
    }
    let scheduling = Section {
        name: "Figure 12".to_owned(),
        paper: "reading what is active where that costs less saves up to 75% (bfs) and 68% (wcc) of the traffic of sweeping",
        here: Vec::new(),
        tables,
    };
    let cost = Section {
        name: "Figure 13".to_owned(),
        paper: "evaluating the model takes a negligible part of the time",
        here: Vec::new(),
        tables: vec![deciding, apart],
    };
    Ok(vec![scheduling, cost])
}

fn share_of_deciding(record: &RunRecord) -> String {
    format!("{:.3}%", 100.0 * record.seconds_scheduling / record.seconds)
}

/// What was estimated for the ways that were taken, and what workers waited, a worker.
fn estimate_beside_waiting(record: &RunRecord) -> String {
    let taken = |iteration: &IterationRecord| match iteration.access {
        AccessMode::Select => iteration.select_seconds,
        AccessMode::Sweep => iteration.sweep_seconds,
    };
    let estimated: f64 = record.iterations_detail.iter().map(taken).sum();
    format!("{:.3} of {:.3} s", estimated, record.seconds_waiting / record.threads.max(1) as f64)
}
