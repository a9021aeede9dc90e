//! Conversion of sorted arcs to rows with IDs.

use super::NodeIds;
use arrow_array::{ArrayRef, UInt64Array};
use outcrop_store::writing::RankedArcs;
use outcrop_types::{Cancellation, Result};
use std::sync::Arc;

/// Reader of arcs that looks up the IDs of a batch at once.
pub(crate) struct ArcRows<'r, 'n> {
    /// IDs of ranks; `None` to return the numbers in the arcs themselves.
    pub(crate) ids: Option<&'r mut NodeIds<'n>>,
    /// Maximum number of arcs per batch.
    pub(crate) batch: usize,
    /// True if their weights are needed.
    pub(crate) weighted: bool,
    pub(crate) cancellation: &'r Cancellation,
}

/// Receiver of the IDs of both ends of some arcs, and of their weights if needed.
pub(crate) type TakeRows<'t> = &'t mut dyn FnMut([ArrayRef; 2], &[f64]) -> Result<()>;

impl ArcRows<'_, '_> {
    /// Passes on all of `arcs`; `first` returns the rank of the first end of an arc.
    ///
    /// # Errors
    ///
    /// Returns an error if a read fails or the data is damaged, if `take` fails, or if the query is interrupted.
    pub(crate) fn each(&mut self, mut arcs: RankedArcs, first: impl Fn(u32) -> u32, take: TakeRows<'_>) -> Result<()> {
        let (mut ends, mut weights) = ([Vec::new(), Vec::new()], Vec::new());
        loop {
            self.cancellation.check()?;
            ends.iter_mut().for_each(Vec::clear);
            weights.clear();
            while ends[0].len() < self.batch
                && let Some((from, to, weight)) = arcs.next_arc()?
            {
                ends[0].push(first(from));
                ends[1].push(to);
                weights.extend(self.weighted.then_some(weight));
            }
            if ends[0].is_empty() {
                return Ok(());
            }
            self.hand_over([&ends[0], &ends[1]], &weights, take)?;
        }
    }

    /// Passes on some arcs; splits them in halves if their texts need too much memory.
    fn hand_over(&mut self, [firsts, seconds]: [&[u32]; 2], weights: &[f64], take: TakeRows<'_>) -> Result<()> {
        let Some(ids) = &mut self.ids else { return take([numbers(firsts), numbers(seconds)], weights) };
        let Some((sources, targets)) = ids.of_ranks(firsts)?.zip(ids.of_ranks(seconds)?) else {
            let (firsts, seconds, weights) = (halves(firsts), halves(seconds), halves(weights));
            self.hand_over([firsts.0, seconds.0], weights.0, take)?;
            return self.hand_over([firsts.1, seconds.1], weights.1, take);
        };
        take([sources, targets], weights)
    }
}

fn numbers(all: &[u32]) -> ArrayRef {
    Arc::new(UInt64Array::from_iter_values(all.iter().map(|number| u64::from(*number))))
}

/// Returns the first and the second half.
pub(crate) fn halves<T>(all: &[T]) -> (&[T], &[T]) {
    all.split_at(all.len() / 2)
}
