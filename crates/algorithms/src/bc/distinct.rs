//! Iteration over lists without duplicates.

use outcrop_store::access::Neighbors;
use outcrop_types::VertexId;
use std::ops::ControlFlow;

/// Filter of duplicates in the pieces of a list, whose neighbors ascend.
pub(super) struct Distinct(Option<VertexId>);

impl Distinct {
    /// State before the first piece.
    pub(super) const NONE: Self = Self(None);

    /// Calls `take` with each neighbor of the next piece that has not occurred before.
    #[inline]
    pub(super) fn each(&mut self, piece: Neighbors<'_>, mut take: impl FnMut(VertexId)) {
        for neighbor in piece.ids() {
            if self.0.replace(*neighbor) != Some(*neighbor) {
                take(*neighbor);
            }
        }
    }

    /// Calls `take` with each neighbor of the next piece that has an entry for which `counts` holds and that has not
    /// occurred before.
    #[inline]
    pub(super) fn each_where(
        &mut self,
        piece: Neighbors<'_>,
        counts: impl Fn(VertexId, f64) -> bool,
        mut take: impl FnMut(VertexId),
    ) {
        _ = piece.try_for_each(|neighbor, weight| {
            if counts(neighbor, weight) && self.0.replace(neighbor) != Some(neighbor) {
                take(neighbor);
            }
            ControlFlow::Continue(())
        });
    }
}

/// Sum over distinct neighbors.
pub(super) struct DistinctSum {
    /// Sum so far.
    pub(super) total: f64,
    distinct: Distinct,
}

impl DistinctSum {
    /// Empty sum.
    pub(super) const EMPTY: Self = Self { total: 0.0, distinct: Distinct::NONE };

    /// Adds the terms of the neighbors of the next piece.
    #[inline]
    pub(super) fn add(&mut self, piece: Neighbors<'_>, term: impl Fn(VertexId) -> f64) {
        self.distinct.each(piece, |neighbor| self.total += term(neighbor));
    }

    /// Adds the terms of those neighbors of the next piece that have an entry for which `counts` holds.
    #[inline]
    pub(super) fn add_where(
        &mut self,
        piece: Neighbors<'_>,
        counts: impl Fn(VertexId, f64) -> bool,
        term: impl Fn(VertexId) -> f64,
    ) {
        self.distinct.each_where(piece, counts, |neighbor| self.total += term(neighbor));
    }
}
