//! Products of the adjacency matrix and a vector.

use crate::AtomicFloat;
use crate::outcome::{Column, Values};
use crate::spmv::Semiring;
use outcrop_engine::{Engine, Gather};
use outcrop_store::access::Neighbors;
use outcrop_types::{Direction, MemoryPlan, Purpose, Result, VertexId, VertexValues};
use std::sync::atomic::AtomicU64;

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
    /// False if every edge has weight 1.
    weighted: bool,
    /// Value to store, from the sum over the list of a vertex.
    value: V,
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
    weighted: bool,
    value: impl Fn(VertexId, f64) -> f64 + Sync,
) -> Result<()> {
    engine.gather_along(along, &Product { from, to, weighted, value })
}

impl<V: Fn(VertexId, f64) -> f64 + Sync> Gather for Product<'_, V> {
    type Sum = f64;

    fn begin(&self, _: VertexId) -> f64 {
        0.0
    }

    #[inline]
    fn gather(&self, sum: &mut f64, piece: Neighbors<'_>) {
        let weights = piece.weights().filter(|_| self.weighted);
        *sum += Semiring::default().over(piece.ids(), weights, |_, vertex| at(self.from, vertex));
    }

    #[inline]
    fn apply(&self, vertex: VertexId, sum: f64) {
        AtomicFloat::store(&self.to[vertex as usize], (self.value)(vertex, sum));
    }
}

/// Returns the Euclidean norm as a divisor.
pub(super) fn norm(engine: &Engine<'_>, vector: &[AtomicU64]) -> f64 {
    divisor(engine.sum(|vertex| at(vector, vertex).powi(2)).sqrt())
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

/// Returns a column of the result.
pub(super) fn column(name: &'static str, vector: Vector) -> Column {
    Column::new(name, Values::Float64(vector.map(AtomicU64::into_plain)))
}
