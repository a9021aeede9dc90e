//! Iterations or other steps of a run as columns of charts: one each, or grouped if there are thousands.

use super::units::{Quantity, count};
use outcrop_types::{IterationRecord, length_from, number_from};

/// Maximum number of columns of a chart.
const MOST: usize = 160;

/// Label of one column: the number of its first iteration, and its name.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) first: u32,
    pub(super) name: String,
}

/// Iterations in columns of equal size; the last may have fewer.
pub(super) struct Columns<'r, T = IterationRecord> {
    iterations: &'r [T],
    each: usize,
    names: Vec<Column>,
}

impl<'r> Columns<'r> {
    pub(super) fn new(iterations: &'r [IterationRecord]) -> Self {
        Self::named(iterations, name)
    }
}

impl<'r, T> Columns<'r, T> {
    /// Creates columns with the names that `name` returns for their iterations.
    pub(super) fn named(iterations: &'r [T], name: impl FnMut(&[T]) -> Column) -> Self {
        let each = iterations.len().div_ceil(MOST).max(1);
        let names = iterations.chunks(each).map(name).collect();
        Self { iterations, each, names }
    }

    pub(super) fn names(&self) -> &[Column] {
        &self.names
    }

    /// Returns the number of iterations per column.
    pub(super) const fn each(&self) -> usize {
        self.each
    }

    /// Returns one number per column: the mean of its iterations.
    pub(super) fn means(&self, of: impl Fn(&T) -> Quantity) -> Vec<Quantity> {
        let mean_of = |part: &[T]| mean(part.iter().map(&of));
        self.iterations.chunks(self.each).map(mean_of).collect()
    }

    /// Returns the fraction of the iterations of each column for which `is` holds.
    pub(super) fn shares(&self, is: impl Fn(&T) -> bool) -> Vec<f64> {
        let share = |part: &[T]| part.iter().filter(|one| is(one)).count() as f64 / part.len() as f64;
        self.iterations.chunks(self.each).map(share).collect()
    }
}

fn name(part: &[IterationRecord]) -> Column {
    let number = |record: Option<&IterationRecord>| record.map_or(0, |record| record.iteration);
    let (first, last) = (number(part.first()), number(part.last()));
    let name = match part.len() {
        1 => format!("iteration {}", count(first.into())),
        _ => format!("mean of iterations {} to {}", count(first.into()), count(last.into())),
    };
    Column { first, name }
}

/// Returns the mean; integers are rounded down.
fn mean(quantities: impl Iterator<Item = Quantity> + Clone) -> Quantity {
    let length = quantities.clone().count().max(1);
    let whole = |quantity: Quantity| match quantity {
        Quantity::Count(number) | Quantity::Bytes(number) => u128::from(number),
        Quantity::Seconds(_) | Quantity::Number(_) => 0,
    };
    let exact = || {
        let sum = quantities.clone().map(whole).sum::<u128>() / u128::from(length_from(length));
        number_from(sum)
    };
    let inexact = || quantities.clone().map(|quantity| quantity.drawn() / length as f64).sum::<f64>();
    match quantities.clone().next() {
        Some(Quantity::Bytes(_)) => Quantity::Bytes(exact()),
        Some(Quantity::Seconds(_)) => Quantity::Seconds(inexact()),
        Some(Quantity::Number(_)) => Quantity::Number(inexact()),
        Some(Quantity::Count(_)) | None => Quantity::Count(exact()),
    }
}
