//! Neighbors with their values.

use crate::unrolled_sum::unrolled_sum;
use crate::values::Number;
use outcrop_store::access::Neighbors;
use outcrop_types::{BitSet, Direction, VertexId};

/// A stretch of a vertex's list, and the values of the neighbors in it.
#[derive(Debug)]
pub struct Sources<'s, T> {
    direction: Direction,
    list: Neighbors<'s>,
    /// Values of consecutive vertices from `first` on, all neighbors among them.
    values: &'s [T],
    first: VertexId,
    /// The neighbors that have something to offer, where others need not be looked at.
    offering: Option<&'s BitSet>,
}

impl<'s, T: Number> Sources<'s, T> {
    pub(super) const fn new(direction: Direction, list: Neighbors<'s>, first: VertexId, values: &'s [T]) -> Self {
        Self { direction, list, values, first, offering: None }
    }

    /// The same, of which those need not be looked at that have nothing new to offer.
    pub(super) const fn offering(self, offering: Option<&'s BitSet>) -> Self {
        Self { offering, ..self }
    }

    /// The direction of the edges: in-edges where neighbors are their sources.
    pub const fn direction(&self) -> Direction {
        self.direction
    }

    /// The neighbors, ascending.
    #[inline]
    pub const fn ids(&self) -> &'s [VertexId] {
        self.list.ids()
    }

    /// The weight of each neighbor, in a store with weights; from constructed lists only where the engine's
    /// requirements have them.
    #[inline]
    pub const fn weights(&self) -> Option<&'s [f64]> {
        self.list.weights()
    }

    /// Number of neighbors.
    pub const fn len(&self) -> usize {
        self.list.len()
    }

    /// True if there is no neighbor.
    pub const fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The value of the neighbor at `position` of [`Sources::ids`].
    #[inline]
    pub fn value_at(&self, position: usize) -> T {
        self.value_of(self.ids()[position])
    }

    #[inline]
    fn value_of(&self, id: VertexId) -> T {
        self.values[(id - self.first) as usize]
    }

    /// Calls `take` with each neighbor, its value and its weight, which is 1 in a store without weights. A propagation
    /// leaves out those that were taken before.
    #[inline]
    pub fn for_each(&self, take: impl FnMut(VertexId, T, f64)) {
        match self.offering {
            None => self.each(|_| true, take),
            Some(offering) => self.each(|id| offering.contains(id), take),
        }
    }

    /// A loop for each case: one that asks for weights at each neighbor takes twice the time.
    #[inline]
    fn each(&self, wants: impl Fn(VertexId) -> bool, mut take: impl FnMut(VertexId, T, f64)) {
        let ids = self.ids().iter();
        match self.weights() {
            None => ids.filter(|id| wants(**id)).for_each(|id| take(*id, self.value_of(*id), 1.0)),
            Some(weights) => ids
                .zip(weights)
                .filter(|(id, _)| wants(**id))
                .for_each(|(id, weight)| take(*id, self.value_of(*id), *weight)),
        }
    }

    /// Sums `term` of each value, unrolled: the same for the same stretch.
    #[inline]
    pub fn sum(&self, term: impl Fn(T) -> f64) -> f64 {
        self.sum_of(|_, value| term(value))
    }

    /// Sums `term` of each value times the weight of its edge, which is 1 in a store without weights, as
    /// [`Sources::sum`] does.
    #[inline]
    pub fn weighted_sum(&self, term: impl Fn(T) -> f64) -> f64 {
        match self.weights() {
            None => self.sum(term),
            Some(weights) => self.sum_of(|position, value| weights[position] * term(value)),
        }
    }

    #[inline]
    fn sum_of(&self, term: impl Fn(usize, T) -> f64) -> f64 {
        unrolled_sum(self.ids(), |position, id| term(position, self.value_of(id)))
    }
}
