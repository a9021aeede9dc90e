//! Arcs between ranks, on their way to rows with original ids.

use super::NodeIds;
use arrow_array::ArrayRef;
use outcrop_store::writing::RankedArcs;
use outcrop_types::{Cancellation, Result};

/// Reader of arcs that brings the ids of some at once.
pub(crate) struct ArcRows<'r, 'n> {
    pub(crate) ids: &'r mut NodeIds<'n>,
    /// Maximum number of arcs at once.
    pub(crate) batch: usize,
    /// True if their weights count.
    pub(crate) weighted: bool,
    pub(crate) cancellation: &'r Cancellation,
}

/// Taker of the ids of both ends of some arcs, and of their weights where these count.
pub(crate) type TakeRows<'t> = &'t mut dyn FnMut([ArrayRef; 2], &[f64]) -> Result<()>;

impl ArcRows<'_, '_> {
    /// Hands over all of `arcs`; `first` gives the rank of what one begins with.
    ///
    /// # Errors
    /// A damaged or failed read; what `take` returns; interruption.
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

    /// Hands over some arcs; where their texts take too much, by halves.
    fn hand_over(&mut self, [firsts, seconds]: [&[u32]; 2], weights: &[f64], take: TakeRows<'_>) -> Result<()> {
        let Some((sources, targets)) = self.ids.of_ranks(firsts)?.zip(self.ids.of_ranks(seconds)?) else {
            let (firsts, seconds, weights) = (halves(firsts), halves(seconds), halves(weights));
            self.hand_over([firsts.0, seconds.0], weights.0, take)?;
            return self.hand_over([firsts.1, seconds.1], weights.1, take);
        };
        take([sources, targets], weights)
    }
}

/// The first and the second half.
pub(crate) fn halves<T>(all: &[T]) -> (&[T], &[T]) {
    all.split_at(all.len() / 2)
}
