//! Width of the buckets of delta-stepping.
//!
//! For random weights, buckets of the largest weight divided by the degree contain about one edge per vertex, so that
//! few vertices are propagated twice (Meyer and Sanders, Journal of Algorithms 2003, section 4). Buckets start with
//! that width, and are widened if rounds and finding the next bucket cost more than the edges, or if lists are read
//! again for few entries.

use bytemuck::{Pod, Zeroable};
use outcrop_engine::{Engine, Gather};
use outcrop_store::access::Neighbors;
use outcrop_types::{Direction, Result, VertexId, VertexSet};
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

/// Width of a bucket, in the unit of the weights.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum BucketWidth {
    /// Width from the weights of a few lists and the mean degree; wider if that pays.
    #[default]
    Auto,
    /// Exact width; positive and finite.
    Exactly(f64),
}

/// Number of sampled lists, evenly spread over the vertices.
const LISTS: u32 = 1024;

/// Maximum automatic width, in mean weights.
const MOST_MEAN_WEIGHTS: f64 = 4.0;
/// Approximate number of entries that are propagated in the time of the fixed cost of a round.
const ENTRIES_A_ROUND: u64 = 1 << 14;

/// Approximate number of bytes read in the time in which an entry is propagated; lists have 2 to 4 per entry.
const BYTES_AN_ENTRY: u64 = 16;

/// Growing width.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Width {
    pub(crate) now: f64,
    most: f64,
}

impl Width {
    /// Creates a width that never changes.
    pub(crate) const fn fixed(width: f64) -> Self {
        Self { now: width, most: width }
    }

    /// Returns the width after a bucket of `rounds` rounds that propagated `entries`, with `waiting` pending vertices.
    #[must_use]
    pub(crate) fn after(self, rounds: u32, entries: u64, waiting: u64) -> Self {
        let wider = u64::from(rounds) * ENTRIES_A_ROUND + waiting > entries;
        if wider { self.times(2.0) } else { self }
    }

    /// Returns a greater width, after a round that propagated `entries` and read more `bytes` than these justify.
    pub(crate) fn after_round(self, entries: u64, bytes: u64) -> Option<Self> {
        let dear = self.now < self.most && bytes > entries.saturating_mul(BYTES_AN_ENTRY);
        dear.then(|| self.times(4.0))
    }

    fn times(self, factor: f64) -> Self {
        Self { now: (factor * self.now).min(self.most), ..self }
    }
}

/// Returns the initial width.
pub(crate) fn of(engine: &Engine<'_>, width: BucketWidth) -> Result<Width> {
    if let BucketWidth::Exactly(width) = width {
        return Ok(Width::fixed(width));
    }
    let step = engine.vertices().div_ceil(LISTS).max(1);
    let members = (0..engine.vertices()).step_by(step as usize).collect();
    of_lists(engine, &VertexSet::from_members(members, engine.vertices()))
}

/// Returns the width for lowering from the vertices of `frontier`, derived from some of their lists.
pub(crate) fn of_frontier(engine: &Engine<'_>, frontier: &VertexSet) -> Result<Width> {
    let (step, mut place, mut members) = (frontier.len() / LISTS as usize + 1, 0, Vec::new());
    frontier.for_each(|vertex| {
        if place % step == 0 {
            members.push(vertex);
        }
        place += 1;
    });
    of_lists(engine, &VertexSet::from_members(members, engine.vertices()))
}

/// Returns the width derived from the lists of `some` vertices.
fn of_lists(engine: &Engine<'_>, some: &VertexSet) -> Result<Width> {
    let weights = Weights::default();
    engine.gather_over(some, Direction::Out, &weights)?;
    let mut lists = weights.0.into_inner().unwrap_or_else(PoisonError::into_inner);
    lists.sort_unstable_by_key(|(vertex, ..)| *vertex);
    let (sum, count) = lists.iter().fold((0.0, 0.0), |(sum, count), (_, s, c)| (sum + s, count + c));
    let mean: f64 = sum / count;
    if !(mean > 0.0 && mean.is_finite()) {
        return Ok(Width::fixed(1.0));
    }
    let degree = engine.entries(Direction::Out)? as f64 / f64::from(engine.vertices());
    Ok(Width { now: mean / degree.max(1.0), most: MOST_MEAN_WEIGHTS * mean })
}

/// Sum and number of weights of each list.
#[derive(Default)]
struct Weights(Mutex<Vec<(VertexId, f64, f64)>>);

impl Gather for Weights {
    type Sum = (f64, f64);

    fn begin(&self, _: VertexId) -> (f64, f64) {
        (0.0, 0.0)
    }

    fn gather(&self, (sum, count): &mut (f64, f64), piece: Neighbors<'_>) {
        *count += piece.len() as f64;
        _ = piece.try_for_each(|_, weight| {
            *sum += weight.max(0.0);
            ControlFlow::Continue(())
        });
    }

    fn apply(&self, vertex: VertexId, (sum, count): Self::Sum) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((vertex, sum, count));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_get_wider_where_rounds_or_the_search_for_the_next_cost_more_than_the_edges() {
        let width = Width { now: 1.0, most: 3.0 };
        assert_eq!(width.after(2, 3 * ENTRIES_A_ROUND, 0).now, 1.0);
        assert_eq!(width.after(2, 3 * ENTRIES_A_ROUND, 2 * ENTRIES_A_ROUND).now, 2.0);
        assert_eq!(width.after(2, 0, 0).after(1, 0, 0).now, 3.0);
        assert_eq!(Width::fixed(5.0).after(2, 0, 0).now, 5.0);
    }

    #[test]
    fn buckets_get_much_wider_where_a_round_reads_more_than_its_entries_are_worth() {
        let width = Width { now: 1.0, most: 6.0 };
        let after = |width: Width, bytes| width.after_round(1000, bytes).map(|width| width.now);
        assert_eq!(after(width, 1000 * BYTES_AN_ENTRY), None);
        assert_eq!(after(width, 1000 * BYTES_AN_ENTRY + 1), Some(4.0));
        assert_eq!(after(Width { now: 4.0, ..width }, u64::MAX), Some(6.0));
        assert_eq!(after(Width { now: 6.0, ..width }, u64::MAX), None);
        assert_eq!(after(Width::fixed(f64::INFINITY), u64::MAX), None);
    }
}
