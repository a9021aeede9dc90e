//! Table 4 and figure 6: times of the algorithms.

use super::iterations::{NOTHING, sampled};
use super::measure::{KINDS, Measured, Measurement};
use crate::output::bytes;
use crate::table::{Section, Table};

/// Creates table 4.
pub(super) fn by_kind(measured: &[Measured]) -> Section {
    let columns = ["static (BL)", "ads", "ods", "edge-list", "ods: times as fast"];
    let mut table = Table::new("Seconds, and iterations + shadow iterations", columns);
    for algorithm in measured {
        let fast = algorithm.all().find(|ran| ran.shards == "ods");
        let times = fast.map(|ods| speedup(algorithm.baseline.record.time.seconds, ods.record.time.seconds));
        table.row(algorithm.algorithm, algorithm.cells(cell).chain(times));
    }
    let budget = |algorithm: &Measured| algorithm.baseline.record.memory.budget;
    let most = measured.iter().map(budget).max().unwrap_or(0);
    let found = "ods is 1.2 to 2.8 times as fast as static shards, 1.8 times on average (pagerank 2.4, bp 1.9, heat 2.8; sssp and wcc 1.3); \
                 ads 1.2 times; the iterations are almost the same";
    let memory =
        format!("memory of at most {}; edge-list, as X-Stream with dynamic lists, is not in the paper", bytes(most));
    Section::new("Table 4", found, vec![table]).here(memory)
}

fn cell(ran: &Measurement) -> String {
    format!("{:.2} s, {} + {}", ran.record.time.seconds, ran.record.convergence.iterations, ran.figures.shadows)
}

fn speedup(baseline: f64, seconds: f64) -> String {
    format!("{:.2}", baseline / seconds.max(1e-9))
}

/// Creates figure 6.
pub(super) fn by_iteration(measured: &[Measured]) -> Section {
    let found = "speedups grow towards convergence; those of ads look like saw teeth, as shards are made often";
    let section = Section::new("Figure 6", found, measured.iter().map(speedups).collect());
    section.here("an iteration counts with the shadow iterations that follow it")
}

fn speedups(algorithm: &Measured) -> Table {
    let title = format!("{}: seconds with static shards, and how many times as fast", algorithm.algorithm);
    let mut table = Table::new(title, KINDS);
    let baseline = algorithm.baseline.iterations();
    let iterations = |ran: &Option<Measurement>| ran.as_ref().map_or_else(Vec::new, Measurement::iterations);
    let others: Vec<_> = algorithm.dynamic.iter().map(iterations).collect();
    for number in sampled(baseline.len()) {
        let seconds = baseline.get(number).map_or(0.0, |iteration| iteration.seconds);
        let times = others.iter().map(|iterations| {
            iterations.get(number).map_or_else(|| NOTHING.to_owned(), |iteration| speedup(seconds, iteration.seconds))
        });
        table.row(number.to_string(), std::iter::once(format!("{seconds:.3}")).chain(times));
    }
    table
}
