//! Figures 6, 8 and 10, table 2: what is selected, and in how many rounds.

use super::measure::{Caches, Laboratory, Row};
use super::table::{Metric, Section, times_faster};
use outcrop::{Result, Selector};
use std::num::NonZeroU32;

/// The selections that are compared.
fn selectors() -> [Selector; 6] {
    [
        Selector::Random(1),
        Selector::HighDegree,
        Selector::LowDegree,
        Selector::GvsLowest(None),
        Selector::Gvs(None),
        Selector::Observed(1),
    ]
}

/// Page cache of every run with a selection, in percent of the lists.
const PAGE: f64 = 5.0;

/// Figures 6 and 8: one section for each size.
pub(super) fn beside_page_cache(laboratory: &Laboratory<'_>) -> Result<Vec<Section>> {
    let store = laboratory.copy("selections")?;
    let sections = sections_of(laboratory, &store);
    laboratory.remove(&store)?;
    sections
}

fn sections_of(laboratory: &Laboratory<'_>, store: &std::path::Path) -> Result<Vec<Section>> {
    let sizes = [10.0, 20.0, 30.0, 40.0];
    let alone = |size: f64| laboratory.row("page cache", store, Caches::new(PAGE + size, 0.0)).map(|row| vec![row]);
    let mut rows: Vec<Vec<Row>> = sizes.into_iter().map(alone).collect::<Result<_>>()?;
    for selector in selectors() {
        // A smaller cache holds the front of a larger selection.
        laboratory.select(store, selector, 40.0)?;
        for (size, rows) in sizes.into_iter().zip(&mut rows) {
            rows.push(laboratory.row(selector.name(), store, Caches::new(PAGE, size))?);
        }
    }
    let here = summary(&rows);
    let section = |(size, rows)| Section {
        name: format!("Figures 6 and 8, {}% of the lists", PAGE + size),
        paper: "gvs is the fastest; over all graphs, algorithms and sizes 28.87% faster (harmonic mean) than the page cache \
                alone; pages are used best with gvs, 33.8% better than at random",
        metrics: vec![
            Metric::Seconds,
            Metric::BytesRead,
            Metric::HitRatio,
            Metric::StaticHitRatio,
            Metric::Utilisation,
        ],
        rows,
        here: Vec::new(),
    };
    let mut sections: Vec<Section> = sizes.into_iter().zip(rows).map(section).collect();
    sections.iter_mut().take(1).for_each(|first| first.here.clone_from(&here));
    Ok(sections)
}

/// How many times faster each selection is than the page cache alone.
fn summary(rows: &[Vec<Row>]) -> Vec<String> {
    let line = |(number, selector): (usize, Selector)| {
        let pairs = || rows.iter().filter_map(move |rows| Some((rows.first()?, rows.get(number + 1)?)));
        format!(
            "{}: {:.2} times as fast as the page cache alone, bytes {:.2} times fewer (harmonic means over sizes and algorithms)",
            selector.name(),
            times_faster(pairs(), |run| run.seconds),
            times_faster(pairs(), |run| run.bytes_read as f64)
        )
    };
    selectors().into_iter().enumerate().map(line).collect()
}

/// Figure 10 and table 2.
pub(super) fn rounds(laboratory: &Laboratory<'_>) -> Result<Section> {
    let store = laboratory.copy("rounds")?;
    let rows = rows_of_rounds(laboratory, &store);
    laboratory.remove(&store)?;
    Ok(Section {
        name: "Figure 10 and table 2, 25% of the lists".to_owned(),
        paper: "the time of gvs grows about with the square root of K (1000 rounds: less than 45 times one round); 50 rounds serve \
                as well as 1000",
        metrics: vec![Metric::Seconds, Metric::BytesRead],
        rows: rows?,
        here: Vec::new(),
    })
}

fn rows_of_rounds(laboratory: &Laboratory<'_>, store: &std::path::Path) -> Result<Vec<Row>> {
    let mut rows = vec![laboratory.row("page cache", store, Caches::new(PAGE + 20.0, 0.0))?];
    let gvs = |rounds: u32| Selector::Gvs(NonZeroU32::new(rounds));
    let named = [1, 10, 100, 1000].map(|rounds| (format!("gvs, {rounds} rounds"), gvs(rounds)));
    let others = [("gvs, one by one".to_owned(), gvs(0)), ("low-degree".to_owned(), Selector::LowDegree)];
    for (label, selector) in named.into_iter().chain(others) {
        let making = laboratory.select(store, selector, 20.0)?;
        let row = laboratory.row(label, store, Caches::new(PAGE, 20.0))?;
        rows.push(Row { making: Some(making), ..row });
    }
    Ok(rows)
}
