//! Neighbours with their values.

use crate::unrolled_sum::unrolled_sum;
use crate::values::Number;
use outcrop_store::access::Neighbours;
use outcrop_types::VertexId;

/// A stretch of a vertex's list, and the values of the neighbours in it.
#[derive(Debug)]
pub struct Sources<'s, T> {
    list: Neighbours<'s>,
    values: Values<'s, T>,
}

/// Values of neighbours, by place.
#[derive(Debug)]
enum Values<'s, T> {
    /// Those of consecutive vertices from the first on, all neighbours among them.
    Window(VertexId, &'s [T]),
    /// One for each neighbour.
    Interleaved(&'s [T]),
}

impl<'s, T: Number> Sources<'s, T> {
    pub(super) const fn window(list: Neighbours<'s>, first: VertexId, values: &'s [T]) -> Self {
        Self { list, values: Values::Window(first, values) }
    }

    pub(super) const fn interleaved(list: Neighbours<'s>, values: &'s [T]) -> Self {
        Self { list, values: Values::Interleaved(values) }
    }

    /// The neighbours, ascending.
    #[inline]
    pub const fn ids(&self) -> &'s [VertexId] {
        self.list.ids()
    }

    /// The weight of each neighbour, in a store with weights; from constructed lists only where the engine's demand has them.
    #[inline]
    pub const fn weights(&self) -> Option<&'s [f64]> {
        self.list.weights()
    }

    /// Number of neighbours.
    pub const fn len(&self) -> usize {
        self.list.len()
    }

    /// True if there is no neighbour.
    pub const fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The value of the neighbour at `position` of [`Sources::ids`].
    #[inline]
    pub fn value_at(&self, position: usize) -> T {
        match self.values {
            Values::Window(first, values) => values[(self.ids()[position] - first) as usize],
            Values::Interleaved(values) => values[position],
        }
    }

    /// Calls `take` with each neighbour, its value and its weight, which is 1 in a store without weights.
    #[inline]
    pub fn for_each(&self, take: impl FnMut(VertexId, T, f64)) {
        match self.values {
            Values::Window(first, values) => each(self.list, |_, id| values[(id - first) as usize], take),
            Values::Interleaved(values) => each(self.list, |position, _| values[position], take),
        }
    }

    /// As [`Sources::for_each`], with those neighbours only that `wants`; values of others are not looked at.
    #[inline]
    pub(super) fn for_each_of(&self, wants: impl Fn(VertexId) -> bool, mut take: impl FnMut(VertexId, T, f64)) {
        for (position, id) in self.ids().iter().enumerate() {
            if wants(*id) {
                let weight = self.weights().map_or(1.0, |weights| weights[position]);
                take(*id, self.value_at(position), weight);
            }
        }
    }

    /// Sums `term` of each value, unrolled: the same for the same stretch.
    #[inline]
    pub fn sum(&self, term: impl Fn(T) -> f64) -> f64 {
        self.sum_of(|_, value| term(value))
    }

    /// Sums `term` of each value times the weight of its edge, which is 1 in a store without weights, as [`Sources::sum`] does.
    #[inline]
    pub fn weighted_sum(&self, term: impl Fn(T) -> f64) -> f64 {
        match self.weights() {
            None => self.sum(term),
            Some(weights) => self.sum_of(|position, value| weights[position] * term(value)),
        }
    }

    #[inline]
    fn sum_of(&self, term: impl Fn(usize, T) -> f64) -> f64 {
        match self.values {
            Values::Window(first, values) => {
                unrolled_sum(self.ids(), |position, id| term(position, values[(id - first) as usize]))
            }
            Values::Interleaved(values) => unrolled_sum(self.ids(), |position, _| term(position, values[position])),
        }
    }
}

#[inline]
fn each<T>(list: Neighbours<'_>, value: impl Fn(usize, VertexId) -> T, mut take: impl FnMut(VertexId, T, f64)) {
    let ids = list.ids().iter().enumerate();
    match list.weights() {
        None => ids.for_each(|(position, id)| take(*id, value(position, *id), 1.0)),
        Some(weights) => {
            ids.zip(weights).for_each(|((position, id), weight)| take(*id, value(position, *id), *weight));
        }
    }
}
