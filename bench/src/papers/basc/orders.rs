//! Figures 5, 11 and 12, table 3: vertex orders and their cost model.

use super::measure::{Basc, PAGE, bytes_read, costs, faster, seconds};
use crate::harness::MadeStore;
use crate::opened::Opened;
use crate::placement::{Ranking, gorder_of, partly_random};
use crate::table::{Grid, Section, Table};
use outcrop::{BuildOrder, Graph, Result, Rounds, RunRecord, Selector};
use outcrop_types::Stopwatch;

/// Returns the orders for the comparison, starting with Gorder, the baseline of the paper; `None` is Gorder, which the
/// laboratory computes.
fn compared() -> [(&'static str, Option<BuildOrder>); 6] {
    [
        ("gorder", None),
        ("norder", Some(BuildOrder::Norder)),
        ("pagerank", Some(BuildOrder::PageRank)),
        ("degree", Some(BuildOrder::Degree)),
        ("random", Some(BuildOrder::Random { seed: 1 })),
        ("original", Some(BuildOrder::Original)),
    ]
}

/// Converts the user's store to `order`, or to Gorder.
fn convert(basc: &Basc<'_>, name: &str, order: Option<BuildOrder>) -> Result<MadeStore> {
    if order.is_some() {
        return basc.harness.convert(name, basc.harness.layout()?, order);
    }
    let watch = Stopwatch::start();
    let order = gorder_of(&Opened::open(basc.store(), &basc.harness.options())?)?;
    let computed = watch.seconds();
    let mut made = basc.harness.reorder(basc.store(), name, order)?;
    made.ordering += computed;
    Ok(made)
}

/// Creates figures 11 and 12, and table 3.
pub(super) fn orders(basc: &Basc<'_>) -> Result<Vec<Section>> {
    let mut making = Table::new("Ordering", ["seconds"]);
    let (mut alone, mut combined) = (Grid::default(), Grid::default());
    for (name, order) in compared() {
        let store = convert(basc, "order", order)?;
        making.row(name, [format!("{:.2}", store.ordering)]);
        basc.row(&mut alone, name, &store.path, 25.0, 0.0)?;
        if !["gorder", "norder"].contains(&name) {
            continue;
        }
        combined.rows.extend(alone.rows.last().cloned());
        basc.select_ranked(&store.path, Ranking::LowDegree, 20.0)?;
        basc.row(&mut combined, &format!("{name}, low-degree"), &store.path, PAGE, 20.0)?;
        basc.select(&store.path, Selector::Gvs(Rounds::OneByOne), 20.0)?;
        basc.row(&mut combined, &format!("{name}, gvs"), &store.path, PAGE, 20.0)?;
    }
    let by_order = faster(alone.runs(0).iter(), alone.runs(1).iter());
    let by_both = faster(combined.runs(0).iter(), combined.runs(combined.rows.len() - 1).iter());
    let found = "norder is 31.3% faster than gorder and 68.5% faster than pagerank (harmonic means), and takes a 6th to a 50th of the \
                 time of gorder";
    let tables = std::iter::once(making).chain(costs(&alone)).collect();
    let of_orders = Section::new("Figure 11 and table 3, page cache of 25% of the lists", found, tables);
    let found = "gvs with norder is 1.54 times as fast as a page cache with gorder (harmonic mean)";
    let of_both = Section::new("Figure 12, caches of 25% of the lists", found, costs(&combined));
    Ok(vec![
        of_orders.here(format!("norder against gorder: {by_order}")),
        of_both.here(format!("gvs with norder against a page cache with gorder: {by_both}")),
    ])
}

/// Creates figure 5: three orders, partly shuffled, 20 in total.
pub(super) fn cost_model(basc: &Basc<'_>) -> Result<Section> {
    let bases =
        [("pagerank", Some(BuildOrder::PageRank), 7), ("gorder", None, 7), ("original", Some(BuildOrder::Original), 6)];
    let (mut grid, mut cost) = (Grid::default(), Vec::new());
    for (name, base, points) in bases {
        let ordered = convert(basc, "ordered", base)?;
        let vertices = Graph::open(&ordered.path, basc.harness.options())?.num_vertices();
        for percent in (0..points).map(|point| 100 * point / (points - 1)) {
            let store = basc.harness.reorder(&ordered.path, "shuffled", partly_random(vertices, percent, 1))?;
            let of_order = Graph::open(&store.path, basc.harness.options())?.locality()?.figures.cost;
            cost.push(of_order);
            let label = format!("{name}, {percent}% shuffled, cost {of_order:.3e}");
            basc.row(&mut grid, &label, &store.path, 25.0, 0.0)?;
        }
    }
    let found = "over 20 orders the cost (equation 1) and the time of a run fit a line well";
    let section = Section::new("Figure 5, page cache of 25% of the lists", found, costs(&grid));
    Ok(basc.arguments.algorithms.iter().enumerate().fold(section, |section, (column, algorithm)| {
        let fit = |figure: fn(&RunRecord) -> f64| {
            let runs = (0..cost.len()).filter_map(|row| grid.runs(row).get(column));
            squared_correlation(&cost.iter().copied().zip(runs.map(figure)).collect::<Vec<_>>())
        };
        let (time, read) = (fit(seconds), fit(bytes_read));
        section.here(format!(
            "{algorithm}: r² = {time:.2} between cost and seconds, {read:.2} between cost and bytes read"
        ))
    }))
}

/// Returns the goodness of fit of a line through the points: the square of Pearson's correlation.
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
