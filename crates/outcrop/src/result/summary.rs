//! Summary statistics of the values of a result.

use super::groups::Groups;
use super::rows::Rows;
use super::source::{BATCH_ROWS, TableSource, batch_memory};
use outcrop_algorithms::{Column, Spec, Statistic, Values};
use outcrop_report::{Bin, Histogram};
use outcrop_types::{Purpose, Result};
use serde_json::{Value, json};

/// Maximum number of bins of a histogram.
const BINS: usize = 32;

/// Counts of a column.
#[derive(Default)]
struct Counted {
    known: u64,
    least: f64,
    most: f64,
    /// Number of occurrences of the maximum.
    of_most: u64,
    sum: f64,
}

impl Counted {
    fn take(&mut self, value: f64) {
        if self.known == 0 {
            (self.least, self.most) = (value, value);
        }
        self.known += 1;
        self.sum += value;
        self.least = self.least.min(value);
        if value > self.most {
            (self.most, self.of_most) = (value, 0);
        }
        self.of_most += u64::from(value == self.most);
    }

    fn statistic(&self, statistic: Statistic) -> Option<f64> {
        let some = self.known > 0;
        match statistic {
            Statistic::Known => Some(self.known as f64),
            Statistic::Sum => Some(self.sum),
            Statistic::ThirdOfSum => Some(self.sum / 3.0),
            Statistic::Mean => some.then(|| self.sum / self.known as f64),
            Statistic::Most => some.then_some(self.most),
            Statistic::MostAndOne => Some(if some { self.most + 1.0 } else { 0.0 }),
            Statistic::CountOfMost => Some(self.of_most as f64),
            Statistic::Groups | Statistic::LargestGroup => None,
        }
    }
}

/// Statements about a result, and the distribution of its values.
#[derive(Default)]
pub(crate) struct Summary {
    pub(crate) said: Vec<(&'static str, Value)>,
    pub(crate) histogram: Option<Histogram>,
}

impl Summary {
    /// Scans the first value column, twice if its values are numbers. Returns an empty summary if memory does not
    /// suffice.
    ///
    /// # Errors
    ///
    /// Returns an error if a read of values on disk or of ranks fails, or if the work is interrupted.
    pub(crate) fn of(columns: &[Column], spec: &'static Spec, source: &TableSource) -> Result<Self> {
        let (Some(column), false) = (columns.first(), spec.statistics.is_empty()) else { return Ok(Self::default()) };
        if spec.names_groups() {
            return of_groups(column, spec, source);
        }
        let Ok(_held) = source.budget.reserve(batch_memory(&source.store), Purpose::Results) else {
            return Ok(Self::default());
        };
        let mut counted = Counted::default();
        for_each_number(&column.values, source, &mut |value| counted.take(value))?;
        let said = spec.statistics.iter().map(|(name, statistic)| (*name, number(counted.statistic(*statistic))));
        let whole = !matches!(
            column.values,
            Values::Float64(_) | Values::Float64File(_) | Values::Float32(_) | Values::Float32File(_)
        );
        let each = |take: &mut dyn FnMut(f64)| for_each_number(&column.values, source, take);
        let histogram = histogram(column.name.to_string(), whole, &counted, each)?;
        Ok(Self { said: said.collect(), histogram })
    }
}

/// Returns the summary of groups of vertices, with the distribution of the group sizes over all vertices.
fn of_groups(column: &Column, spec: &Spec, source: &TableSource) -> Result<Summary> {
    // If memory cannot hold another number per vertex, groups are not counted.
    let Ok(Some(groups)) = Groups::of(&column.values, source) else { return Ok(Summary::default()) };
    let value = |statistic| match statistic {
        Statistic::Groups => json!(groups.count()),
        _ => json!(groups.largest()),
    };
    let said = spec.statistics.iter().map(|(name, statistic)| (*name, value(*statistic))).collect();
    let mut counted = Counted::default();
    groups.for_each_size(&mut |size| counted.take(size));
    let each = |take: &mut dyn FnMut(f64)| {
        groups.for_each_size(take);
        Ok(())
    };
    Ok(Summary { said, histogram: histogram(format!("{} size", column.name), true, &counted, each)? })
}

/// Returns a JSON number, as an integer if possible.
fn number(value: Option<f64>) -> Value {
    match value {
        Some(value) if value.fract() == 0.0 && value.abs() < 9e15 => json!(value as i64),
        Some(value) => json!(value),
        None => Value::Null,
    }
}

/// Calls `take` with each non-null value.
fn for_each_number(values: &Values, source: &TableSource, take: &mut dyn FnMut(f64)) -> Result<()> {
    let vertices = source.store.manifest().graph.vertices;
    for start in (0..vertices).step_by(BATCH_ROWS as usize) {
        source.cancellation.check()?;
        let ranks: Vec<u32> = (start..start.saturating_add(BATCH_ROWS).min(vertices)).collect();
        // Values on disk are in rank order, those in memory in vertex order: either way, each occurs once.
        let rows = Rows { vertices: ranks.clone(), ranks };
        rows.numbers(values)?.into_iter().flatten().for_each(&mut *take);
    }
    Ok(())
}

/// Computes a histogram of the values of `column` that `for_each` yields: one bin per value if they are few `whole`
/// numbers, otherwise ranges, which double in width if the values are widely spread.
fn histogram(
    column: String,
    whole: bool,
    counted: &Counted,
    for_each: impl FnOnce(&mut dyn FnMut(f64)) -> Result<()>,
) -> Result<Option<Histogram>> {
    let Counted { known, least, most, .. } = *counted;
    if known == 0 || most <= least {
        return Ok(None);
    }
    let each = whole && most - least < BINS as f64;
    // Start of ranges that widen by a constant factor: the smallest value, or above 0.
    let first = if least > 0.0 {
        least
    } else if whole {
        1.0
    } else {
        most / 1e6
    };
    let widening = !each && least >= 0.0 && most > 64.0 * first;
    let zeros = usize::from(widening && least <= 0.0);
    let edge = |bin: usize| match (each, widening) {
        (true, _) => least + bin as f64,
        (_, true) if bin < zeros => least,
        (_, true) => first * (most / first).powf((bin - zeros) as f64 / (BINS - zeros) as f64),
        _ => least + (most - least) * bin as f64 / BINS as f64,
    };
    let count = if each { (most - least) as usize + 1 } else { BINS };
    let mut edges: Vec<f64> = (0..count).map(edge).map(|edge| if whole { edge.ceil() } else { edge }).collect();
    edges.dedup();
    let mut bins = vec![0_u64; edges.len()];
    for_each(&mut |value| {
        let place = edges.partition_point(|edge| *edge <= value).saturating_sub(1);
        bins.get_mut(place).into_iter().for_each(|bin| *bin += 1);
    })?;
    let bins = edges.into_iter().zip(bins).map(|(from, vertices)| Bin { from, vertices }).collect();
    Ok(Some(Histogram { column, whole, to: most, bins }))
}
