//! Figures 5, 11 and 12, table 3: orders of the vertices, and the model of what they cost.

use super::measure::{Caches, Laboratory, Row};
use super::table::{Metric, Section, times_faster};
use outcrop::{BuildOrder, Graph, OpenOptions, Result, Selector};
use std::path::Path;

/// Gorder first, to which the paper compares the others.
fn compared() -> [(&'static str, BuildOrder); 6] {
    [
        ("gorder", BuildOrder::Gorder { window: None }),
        ("norder", BuildOrder::Norder),
        ("pagerank", BuildOrder::PageRank),
        ("degree", BuildOrder::Degree),
        ("random", BuildOrder::Random { seed: 1 }),
        ("original", BuildOrder::Original),
    ]
}

/// Figures 11 and 12, table 3.
pub(super) fn orders(laboratory: &Laboratory<'_>) -> Result<Vec<Section>> {
    let (mut alone, mut combined) = (Vec::new(), Vec::new());
    for (name, order) in compared() {
        let (store, making) = laboratory.convert(name, laboratory.layout()?, Some(order))?;
        let rows = rows_of(laboratory, name, &store);
        laboratory.remove(&store)?;
        let mut rows = rows?;
        if ["gorder", "norder"].contains(&name) {
            combined.extend(rows.iter().cloned());
        }
        alone.push(Row { making: Some(making), label: name.to_owned(), ..rows.swap_remove(0) });
    }
    let (with_order, with_both) = (faster(&alone, 0, 1), faster(&combined, 0, combined.len() - 1));
    let metrics = vec![Metric::Seconds, Metric::BytesRead];
    Ok(vec![
        Section {
            name: "Figure 11 and table 3, page cache of 25% of the lists".to_owned(),
            paper: "norder is 31.3% faster than gorder and 68.5% faster than pagerank (harmonic means), and takes a 6th to a 50th of \
                    the time of gorder",
            metrics: metrics.clone(),
            rows: alone,
            here: vec![format!("norder is {with_order} than gorder")],
        },
        Section {
            name: "Figure 12, caches of 25% of the lists".to_owned(),
            paper: "gvs with norder is 1.54 times as fast as a page cache with gorder (harmonic mean)",
            metrics,
            rows: combined,
            here: vec![format!("gvs with norder is {with_both} than a page cache with gorder")],
        },
    ])
}

/// The page cache alone, then with selections, as the last one gvs.
fn rows_of(laboratory: &Laboratory<'_>, order: &str, store: &Path) -> Result<Vec<Row>> {
    let mut rows = vec![laboratory.row(format!("{order}, page cache"), store, Caches::new(25.0, 0.0))?];
    if ["gorder", "norder"].contains(&order) {
        for selector in [Selector::LowDegree, Selector::Gvs(None)] {
            laboratory.select(store, selector, 20.0)?;
            rows.push(laboratory.row(format!("{order}, {}", selector.name()), store, Caches::new(5.0, 20.0))?);
        }
    }
    Ok(rows)
}

fn faster(rows: &[Row], base: usize, other: usize) -> String {
    let pairs = || rows.get(base).zip(rows.get(other)).into_iter();
    format!(
        "{:.2} times as fast, with {:.2} times fewer bytes (harmonic means),",
        times_faster(pairs(), |run| run.seconds),
        times_faster(pairs(), |run| run.bytes_read as f64)
    )
}

/// Figure 5: three orders, partly shuffled, 20 in all.
pub(super) fn cost_model(laboratory: &Laboratory<'_>) -> Result<Section> {
    let bases = [
        ("pagerank", BuildOrder::PageRank),
        ("gorder", BuildOrder::Gorder { window: None }),
        ("original", BuildOrder::Original),
    ];
    let mut points = Vec::new();
    for ((name, base), percents) in bases.into_iter().zip([7, 7, 6]) {
        let (ordered, _) = laboratory.convert("ordered", laboratory.layout()?, Some(base))?;
        let measured = (0..percents).try_for_each(|step| {
            let percent = 100 * step / (percents - 1);
            points.push(point(laboratory, &ordered, name, percent)?);
            Ok(())
        });
        laboratory.remove(&ordered)?;
        measured?;
    }
    let count = points.first().map_or(0, |(_, row)| row.runs.len());
    let fit = |number: usize| {
        let of = |run: &dyn Fn(&super::measure::Run) -> f64| {
            let values: Vec<_> = points.iter().map(|(cost, row)| (*cost, run(&row.runs[number]))).collect();
            squared_correlation(&values)
        };
        let algorithm = points.first().map_or("", |(_, row)| row.runs[number].algorithm.as_str());
        let (seconds, bytes) = (of(&|run| run.seconds), of(&|run| run.bytes_read as f64));
        format!("{algorithm}: r² = {seconds:.2} between cost and seconds, {bytes:.2} between cost and bytes read")
    };
    let here = (0..count).map(fit).collect();
    Ok(Section {
        name: "Figure 5, page cache of 25% of the lists".to_owned(),
        paper: "over 20 orders the cost (equation 1) and the time of a run fit a line well",
        metrics: vec![Metric::Seconds, Metric::BytesRead],
        rows: points.into_iter().map(|(_, row)| row).collect(),
        here,
    })
}

/// The cost of an order, and runs on it.
fn point(laboratory: &Laboratory<'_>, ordered: &Path, base: &str, percent: u32) -> Result<(f64, Row)> {
    let order = BuildOrder::Shuffled { percent, seed: 1 };
    let (store, _) = laboratory.convert_from(ordered, "shuffled", laboratory.layout()?, Some(order))?;
    let measured = Graph::open(&store, OpenOptions::default()).and_then(|graph| {
        let cost = graph.locality()?.figures.cost;
        let label = format!("{base}, {percent}% shuffled, cost {cost:.3e}");
        Ok((cost, laboratory.row(label, &store, Caches::new(25.0, 0.0))?))
    });
    laboratory.remove(&store)?;
    measured
}

/// How well a line fits the points: the square of Pearson's correlation.
fn squared_correlation(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / count, y + point.1 / count));
    let sums = points.iter().fold((0.0, 0.0, 0.0), |(xx, yy, xy), point| {
        let (dx, dy) = (point.0 - x, point.1 - y);
        (xx + dx * dx, yy + dy * dy, xy + dx * dy)
    });
    sums.2 * sums.2 / (sums.0 * sums.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_fits_a_line() {
        let line: Vec<_> = (0..10).map(|x| (f64::from(x), 3.0 - 2.0 * f64::from(x))).collect();
        assert!((squared_correlation(&line) - 1.0).abs() < 1e-12);
        let cross = [(0.0, 1.0), (0.0, -1.0), (1.0, 0.0), (-1.0, 0.0)];
        assert!(squared_correlation(&cross).abs() < 1e-12);
    }
}
