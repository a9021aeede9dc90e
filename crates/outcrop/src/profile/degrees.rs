//! Distribution of degrees.

use super::power_law::fit;
use super::ranges::{Counts, ranges, share};
use crate::graph::Graph;
use crate::request::RunRequest;
use outcrop_report::DegreeRecord;
use outcrop_types::Result;

/// Measures the degrees of `direction`, a value of the parameter of `degrees`.
///
/// # Errors
///
/// Returns an error under the same conditions as [`Graph::run`].
pub(super) fn measure(graph: &Graph, direction: &str) -> Result<DegreeRecord> {
    let result = graph.run_unrecorded(&RunRequest::new("degrees")?.with("direction", direction)?)?;
    let mut counts = Counts::new(&result)?;
    result.counts().iter().for_each(|degree| counts.add(*degree));
    let vertices = counts.total();
    let sum: u64 = counts.iter().map(|(degree, vertices)| degree * vertices).sum();
    Ok(DegreeRecord {
        mean: share(sum, vertices),
        median: median(&counts),
        max: counts.most().unwrap_or(0),
        zeros: counts.iter().next().filter(|(degree, _)| *degree == 0).map_or(0, |(_, zeros)| zeros),
        histogram: ranges(counts.iter()),
        power_law: fit(&counts.iter().collect::<Vec<_>>()),
    })
}

/// Returns the median, or the mean of the two middle values.
fn median(counts: &Counts) -> f64 {
    let total = counts.total();
    let at = |place: u64| {
        let mut passed = 0;
        let found = counts.iter().find(|(_, count)| {
            passed += count;
            passed > place
        });
        found.map_or(0, |(value, _)| value) as f64
    };
    f64::midpoint(at(total.saturating_sub(1) / 2), at(total / 2))
}
