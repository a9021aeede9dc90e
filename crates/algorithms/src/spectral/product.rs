//! Products of the adjacency matrix and a vector.

use crate::AtomicFloat;
use crate::outcome::{Column, Values};
use crate::spmv::Semiring;
use crate::weights::{Refused, is_summand};
use outcrop_engine::{Engine, Gather};
use outcrop_store::access::Neighbors;
use outcrop_types::{Direction, MemoryPlan, Purpose, Result, VertexId, VertexSet, VertexValues};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Value per vertex.
pub(super) type Vector = VertexValues<AtomicU64>;

/// Returns the memory of `vectors` vectors of `vertices` values.
pub(super) fn memory(vertices: u32, vectors: u64) -> MemoryPlan {
    MemoryPlan::new().with(Purpose::VertexValues, vectors * VertexValues::<AtomicU64>::bytes(u64::from(vertices)))
}

/// Returns the value of `vertex`.
#[inline]
pub(super) fn at(vector: &[AtomicU64], vertex: VertexId) -> f64 {
    AtomicFloat::load(&vector[vertex as usize])
}

/// Product of the adjacency matrix, or of its transpose, and a vector.
struct Product<'p, V> {
    from: &'p [AtomicU64],
    to: &'p [AtomicU64],
    weights: ProductWeights<'p>,
    /// Value to store, from the sum over the list of a vertex.
    value: V,
}

/// Use of edge weights in a product.
#[derive(Clone, Copy)]
pub(super) enum ProductWeights<'r> {
    /// Every edge has weight 1.
    Ones,
    /// Any weights.
    Any,
    /// Weights that can be added up.
    Summands(&'r Summands),
}

/// Weights of a product that are added up: the largest one, and one that is refused.
#[derive(Debug, Default)]
pub(super) struct Summands {
    /// Edge with another weight.
    pub(super) refused: Refused,
    /// Bits of the largest weight; those of positive floats are in the order of the floats.
    largest: AtomicU64,
}

impl Summands {
    /// Returns the largest weight, or 1 if that is smaller or no weight is positive.
    pub(super) fn largest_up_to_1(&self) -> f64 {
        let largest = self.largest();
        if largest > 0.0 { largest.min(1.0) } else { 1.0 }
    }

    fn largest(&self) -> f64 {
        f64::from_bits(self.largest.load(Relaxed))
    }

    /// Looks at weights from a list of `vertex`.
    fn look(&self, vertex: VertexId, ids: &[VertexId], weights: &[f64]) {
        if let Some(place) = weights.iter().position(|weight| !is_summand(*weight)) {
            // Lists of in-neighbors, which are read first, end at the vertex.
            self.refused.note(ids[place], vertex, weights[place]);
        }
        let largest = weights.iter().copied().fold(0.0, f64::max);
        if largest > self.largest() {
            self.largest.fetch_max(largest.to_bits(), Relaxed);
        }
    }
}

impl<'r> ProductWeights<'r> {
    /// Returns [`ProductWeights::Summands`] if weights count.
    pub(super) const fn summands(count: bool, summands: &'r Summands) -> Self {
        if count { Self::Summands(summands) } else { Self::Ones }
    }
}

/// Stores in `to` the `value` of each vertex and of the sum of the weights in its list along `along` times the values
/// in `from`.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, or if the run is interrupted.
pub(super) fn multiply(
    engine: &Engine<'_>,
    along: Direction,
    from: &[AtomicU64],
    to: &[AtomicU64],
    weights: ProductWeights<'_>,
    value: impl Fn(VertexId, f64) -> f64 + Sync,
) -> Result<()> {
    engine.gather_along(along, &Product { from, to, weights, value })
}

impl<V: Fn(VertexId, f64) -> f64 + Sync> Gather for Product<'_, V> {
    type Sum = (VertexId, f64);

    fn begin(&self, vertex: VertexId) -> Self::Sum {
        (vertex, 0.0)
    }

    #[inline]
    fn gather(&self, (vertex, sum): &mut Self::Sum, piece: Neighbors<'_>) {
        let weights = piece.weights().filter(|_| !matches!(self.weights, ProductWeights::Ones));
        if let (Some(weights), ProductWeights::Summands(summands)) = (weights, self.weights) {
            summands.look(*vertex, piece.ids(), weights);
        }
        *sum += Semiring::default().over(piece.ids(), weights, |_, vertex| at(self.from, vertex));
    }

    #[inline]
    fn apply(&self, vertex: VertexId, (_, sum): Self::Sum) {
        AtomicFloat::store(&self.to[vertex as usize], (self.value)(vertex, sum));
    }
}

/// Sums of squares that are right up to rounding: no square of a large value is outside the range of f64.
const SQUARES: std::ops::Range<f64> = 1e-280..f64::INFINITY;

/// Returns the Euclidean norm as a divisor.
pub(super) fn norm(engine: &Engine<'_>, vector: &[AtomicU64]) -> f64 {
    let squares = engine.sum(|vertex| at(vector, vertex).powi(2));
    if SQUARES.contains(&squares) {
        return squares.sqrt();
    }
    let size = divisor(engine.sum(|vertex| at(vector, vertex).abs()));
    divisor(size * engine.sum(|vertex| (at(vector, vertex) / size).powi(2)).sqrt())
}

/// Returns a sum as a divisor: 1 instead of 0, and if it overflows, so that values that diverge do not vanish.
pub(super) fn divisor(sum: f64) -> f64 {
    if sum == 0.0 || !sum.is_finite() { 1.0 } else { sum }
}

/// Stores `next` divided by `divisor` in `current`; returns the sum of absolute changes.
pub(super) fn replace(engine: &Engine<'_>, current: &[AtomicU64], next: &[AtomicU64], divisor: f64) -> f64 {
    engine.sum(|vertex| {
        let (value, before) = (at(next, vertex) / divisor, at(current, vertex));
        AtomicFloat::store(&current[vertex as usize], value);
        (value - before).abs()
    })
}

/// Divides a vector by `divisor`.
pub(super) fn divide(engine: &Engine<'_>, vector: &[AtomicU64], divisor: f64) {
    replace(engine, vector, vector, divisor);
}

/// Adds `factor` times `other` to a vector.
pub(super) fn add(engine: &Engine<'_>, vector: &[AtomicU64], factor: f64, other: &[AtomicU64]) {
    engine.vertex_map(&VertexSet::all(engine.vertices()), |vertex| {
        AtomicFloat::store(&vector[vertex as usize], at(vector, vertex) + factor * at(other, vertex));
    });
}

/// Returns a column of the result.
pub(super) fn column(name: &'static str, vector: Vector) -> Column {
    Column::new(name, Values::Float64(vector.map(AtomicU64::into_plain)))
}
