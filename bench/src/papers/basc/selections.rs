//! Figures 6, 8 and 10, table 2: selections, and their rounds.

use super::measure::{Basc, PAGE, costs, faster, hit_ratio, ratio, utilization};
use crate::placement::Ranking;
use crate::table::{Grid, Section, Table};
use outcrop::{Result, Rounds, RunRecord, Selector};
use std::num::NonZeroU32;
use std::path::Path;

/// Compared selection: a ranking of the laboratory, or a method of the product.
#[derive(Clone)]
enum Compared {
    Ranking(Ranking),
    Method(Selector),
}

impl Compared {
    fn all() -> [Self; 6] {
        [
            Self::Ranking(Ranking::Random(1)),
            Self::Ranking(Ranking::HighDegree),
            Self::Ranking(Ranking::LowDegree),
            Self::Ranking(Ranking::GvsLowest),
            Self::Method(Selector::Gvs(Rounds::OneByOne)),
            Self::Method(Selector::Observed(1)),
        ]
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Ranking(ranking) => ranking.name(),
            Self::Method(selector) => selector.name(),
        }
    }

    fn select(&self, basc: &Basc<'_>, store: &Path, percent: f64) -> Result<f64> {
        match self {
            Self::Ranking(ranking) => basc.select_ranked(store, *ranking, percent),
            Self::Method(selector) => basc.select(store, selector.clone(), percent),
        }
    }
}

/// Sizes of the static cache, in percent of the lists.
const SIZES: [f64; 4] = [10.0, 20.0, 30.0, 40.0];

/// Creates figures 6 and 8: one section per size.
pub(super) fn against_page_cache(basc: &Basc<'_>) -> Result<Vec<Section>> {
    let store = basc.harness.copy("selections")?;
    let mut grids = SIZES.map(|size| (size, Grid::default()));
    for (size, grid) in &mut grids {
        basc.row(grid, "page cache", &store.path, PAGE + *size, 0.0)?;
    }
    let selectors = Compared::all();
    for selector in &selectors {
        // A smaller cache contains the front of a larger selection.
        selector.select(basc, &store.path, 40.0)?;
        for (size, grid) in &mut grids {
            basc.row(grid, selector.name(), &store.path, PAGE, *size)?;
        }
    }
    let here = selectors.iter().zip(1..).map(|(selector, row)| {
        let runs = |row: usize| grids.iter().flat_map(move |(_, grid)| grid.runs(row));
        let (alone, with): (Vec<&RunRecord>, Vec<&RunRecord>) = (runs(0).collect(), runs(row).collect());
        format!("{}: {} over sizes and algorithms", selector.name(), faster(alone.into_iter(), with.into_iter()))
    });
    let here: Vec<String> = here.collect();
    let mut sections: Vec<Section> = grids.iter().map(|(size, grid)| section(*size, grid)).collect();
    sections.iter_mut().take(1).for_each(|first| first.here.clone_from(&here));
    Ok(sections)
}

fn section(size: f64, grid: &Grid) -> Section {
    let held = grid.table("Part of the lists that the static cache served", |run| ratio(run.pinned.static_hit_ratio));
    let tables = costs(grid).into_iter().chain([hit_ratio(grid), held, utilization(grid)]).collect();
    let found = "gvs is the fastest; over all graphs, algorithms and sizes 28.87% faster (harmonic mean) than the page cache \
                 alone; pages are used best with gvs, 33.8% better than at random";
    Section::new(format!("Figures 6 and 8, {}% of the lists", PAGE + size), found, tables)
}

/// Creates figure 10 and table 2.
pub(super) fn rounds(basc: &Basc<'_>) -> Result<Section> {
    let store = basc.harness.copy("rounds")?;
    let (mut grid, mut making) = (Grid::default(), Table::new("Selecting", ["seconds"]));
    basc.row(&mut grid, "page cache", &store.path, PAGE + 20.0, 0.0)?;
    let gvs =
        |rounds: u32| Compared::Method(Selector::Gvs(NonZeroU32::new(rounds).map_or(Rounds::OneByOne, Rounds::Of)));
    let named = [1, 10, 100, 1000].map(|rounds| (format!("gvs, {rounds} rounds"), gvs(rounds)));
    let others =
        [("gvs, one by one".to_owned(), gvs(0)), ("low-degree".to_owned(), Compared::Ranking(Ranking::LowDegree))];
    for (label, selector) in named.into_iter().chain(others) {
        making.row(&label, [format!("{:.2}", selector.select(basc, &store.path, 20.0)?)]);
        basc.row(&mut grid, &label, &store.path, PAGE, 20.0)?;
    }
    let tables = std::iter::once(making).chain(costs(&grid)).collect();
    let found = "the time of gvs grows about with the square root of K (1000 rounds: less than 45 times one round); 50 rounds serve \
                 as well as 1000";
    Ok(Section::new("Figure 10 and table 2, 25% of the lists", found, tables))
}
