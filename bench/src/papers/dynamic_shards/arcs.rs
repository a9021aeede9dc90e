//! Figures 3 and 8: needed edges, and edges in dynamic shards.

use super::iterations::{Iteration, NOTHING, loaded_and_needed, sampled};
use super::measure::Measured;
use crate::output::percent;
use crate::table::{Section, Table};

/// Creates figure 3.
pub(super) fn updated(measured: &[Measured]) -> Section {
    let runs: Vec<Vec<Iteration>> = measured.iter().map(|algorithm| algorithm.baseline.iterations()).collect();
    let mut table = Table::new("Edges that an iteration updates, of all", measured.iter().map(|ran| ran.algorithm));
    for number in sampled(runs.iter().map(Vec::len).max().unwrap_or(0)) {
        let share = |run: &Vec<Iteration>| {
            run.get(number).map_or_else(|| NOTHING.to_owned(), |iteration| percent(iteration.updated, iteration.arcs))
        };
        table.row(number.to_string(), runs.iter().map(share));
    }
    let found = "the share of updated edges falls as the computation goes on, that of pagerank below 15% after about ten iterations; for \
                 shortest paths and components it rises first";
    let section = Section::new("Figure 3", found, vec![table]);
    section.here("with static shards; iteration 0 is the one in which vertices begin")
}

/// Creates figure 8.
pub(super) fn against_ideal(measured: &[Measured]) -> Section {
    let found = "dynamic shards are mostly within 10% of ideal ones, which hold the edges that the iteration before has updated; those of ods \
                 are often larger than those of ads";
    Section::new("Figure 8", found, measured.iter().map(sizes).collect())
        .here("those of ads are ideal: they hold the edges of the vertices that scatter; for bp they also hold withheld edges")
        .here("`all` is where shards are static still")
}

fn sizes(algorithm: &Measured) -> Table {
    let runs: Vec<(u64, Vec<Iteration>)> =
        algorithm.all().skip(1).map(|ran| (ran.figures.arcs, ran.iterations())).collect();
    let kinds = algorithm.all().skip(1).map(|ran| ran.shards);
    let mut table = Table::new(format!("{}: edges of the shards over those of ideal ones", algorithm.algorithm), kinds);
    for number in sampled(runs.iter().map(|(_, run)| run.len()).max().unwrap_or(0)).filter(|number| *number > 0) {
        table.row(number.to_string(), runs.iter().map(|(all, run)| size(*all, run, number)));
    }
    let means = runs.iter().map(|(all, run)| mean_size(*all, run));
    table.row("mean, where dynamic", means);
    table
}

/// Returns the ratio of edges in the shards to edges in ideal shards.
fn ratio(run: &[Iteration], number: usize) -> Option<f64> {
    let (loaded, needed) = loaded_and_needed(run, number)?;
    (needed > 0).then(|| loaded as f64 / needed as f64)
}

fn size(all: u64, run: &[Iteration], number: usize) -> String {
    match run.get(number) {
        None => NOTHING.to_owned(),
        Some(iteration) if iteration.arcs == all => "all".to_owned(),
        Some(_) => ratio(run, number).map_or_else(|| NOTHING.to_owned(), |ratio| format!("{ratio:.2}")),
    }
}

fn mean_size(all: u64, run: &[Iteration]) -> String {
    let dynamic = (1..run.len()).filter(|number| run.get(*number).is_some_and(|iteration| iteration.arcs < all));
    let ratios: Vec<f64> = dynamic.filter_map(|number| ratio(run, number)).collect();
    if ratios.is_empty() {
        NOTHING.to_owned()
    } else {
        format!("{:.2}", ratios.iter().sum::<f64>() / ratios.len() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn iteration(arcs: u64, updated: u64) -> Iteration {
        Iteration { arcs, updated, seconds: 0.0 }
    }

    #[test]
    fn shards_are_compared_with_what_was_updated_before() {
        let run = [iteration(100, 80), iteration(100, 20), iteration(30, 10), iteration(30, 0), iteration(30, 0)];
        assert_eq!(size(100, &run, 1), "all");
        assert_eq!(size(100, &run, 2), "1.50");
        assert_eq!(size(100, &run, 4), "-");
        assert_eq!(size(100, &run, 5), "-");
        assert_eq!(mean_size(100, &run), "2.25");
        assert_eq!(mean_size(30, &run[2..3]), "-");
    }
}
