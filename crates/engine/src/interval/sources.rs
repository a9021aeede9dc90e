//! Neighbors with their values.

use crate::unrolled_sum::unrolled_sum;
use crate::values::Number;
use outcrop_store::access::Neighbors;
use outcrop_types::{BitSet, Direction, VertexId};

/// Stretch of a vertex's list, with the neighbors' values.
#[derive(Debug)]
pub struct Sources<'s, T> {
    direction: Direction,
    list: Neighbors<'s>,
    /// Values of consecutive vertices from `first` on, which include all neighbors.
    values: &'s [T],
    first: VertexId,
    /// Neighbors with an offer, if others can be skipped.
    offering: Option<&'s BitSet>,
}

impl<'s, T: Number> Sources<'s, T> {
    pub(super) const fn new(direction: Direction, list: Neighbors<'s>, first: VertexId, values: &'s [T]) -> Self {
        Self { direction, list, values, first, offering: None }
    }

    /// Returns the stretch with a set of offering neighbors; others can be skipped.
    pub(super) const fn offering(self, offering: Option<&'s BitSet>) -> Self {
        Self { offering, ..self }
    }

    /// Returns the direction of the edges: in-edges if neighbors are their sources.
    pub const fn direction(&self) -> Direction {
        self.direction
    }

    /// Returns the neighbors, ascending.
    #[inline]
    pub const fn ids(&self) -> &'s [VertexId] {
        self.list.ids()
    }

    /// Returns the weight of each neighbor in a weighted store; from constructed lists only if the engine's
    /// requirements include weights.
    #[inline]
    pub const fn weights(&self) -> Option<&'s [f64]> {
        self.list.weights()
    }

    /// Returns the number of neighbors.
    pub const fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns true if there is no neighbor.
    pub const fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the value of the neighbor at `position` of [`Sources::ids`].
    #[inline]
    pub fn value_at(&self, position: usize) -> T {
        self.value_of(self.ids()[position])
    }

    #[inline]
    fn value_of(&self, id: VertexId) -> T {
        self.values[(id - self.first) as usize]
    }

    /// Calls `take` with each neighbor, its value and its weight, which is 1 in an unweighted store. A propagation
    /// omits neighbors whose value was already taken.
    #[inline]
    pub fn for_each(&self, take: impl FnMut(VertexId, T, f64)) {
        match self.offering {
            None => self.each(|_| true, take),
            Some(offering) => self.each(|id| offering.contains(id), take),
        }
    }

    /// Calls `take` in a loop per case: checking for weights at each neighbor takes twice the time.
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

    /// Sums `term` of each value, unrolled. The result is the same for the same stretch.
    #[inline]
    pub fn sum(&self, term: impl Fn(T) -> f64) -> f64 {
        self.sum_of(|_, value| term(value))
    }

    /// Sums `term` of each value times its edge weight, which is 1 in an unweighted store, like [`Sources::sum`].
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
