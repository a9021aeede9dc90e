//! Programs for the interval engine.

use super::sources::Sources;
use crate::values::Number;
use outcrop_types::VertexId;

/// Program that computes each vertex's value from its neighbors' values: a sum starts empty, adds neighbors stretch by
/// stretch, and is applied. `crates/outcrop/examples/hubs.rs` is a complete algorithm.
///
/// The engine runs it in one of three ways: [`IntervalEngine::gather`](super::IntervalEngine::gather) reads one vector
/// and writes another (Jacobi), [`IntervalEngine::update`](super::IntervalEngine::update) replaces values interval by
/// interval, and [`IntervalEngine::propagate`](super::IntervalEngine::propagate) propagates monotonically improving
/// values along the edges of active vertices.
///
/// ```
/// use outcrop_engine::interval::IntervalProgram;
///
/// /// Shortest paths: the minimum over neighbors of distance plus edge weight.
/// struct Distances;
///
/// impl IntervalProgram for Distances {
///     type Source = f64;
///     type Target = f64;
///     type Sum = f64;
///
///     fn begin(&self, _: u32) -> f64 {
///         f64::INFINITY
///     }
///
///     fn gather(&self, least: &mut f64, _: u32, distance: f64, weight: f64) {
///         *least = least.min(distance + weight);
///     }
///
///     fn apply(&self, _: u32, old: f64, least: f64) -> f64 {
///         old.min(least)
///     }
/// }
///
/// let mut least = Distances.begin(7);
/// Distances.gather(&mut least, 3, 2.0, 0.5);
/// assert_eq!(Distances.apply(7, 3.0, least), 2.5);
/// ```
pub trait IntervalProgram: Sync {
    /// Type of the neighbors' values.
    type Source: Number;
    /// Type of the computed values.
    type Target: Number;
    /// Sum of a vertex's neighbors. With values on disk, memory holds one sum per vertex of an interval.
    type Sum: Copy + Send + Sync;

    /// Returns true if [`IntervalProgram::wants`] may return false, so that a sweep should check it before reading.
    fn selective(&self) -> bool {
        false
    }

    /// Returns true if `vertex` gets a new value. Other vertices retain theirs, and their lists need not be read.
    fn wants(&self, vertex: VertexId) -> bool {
        _ = vertex;
        true
    }

    /// Returns true if old values are read, or retained by vertices without a new one. Otherwise they need not be read,
    /// and are zero.
    fn looks_at_targets(&self) -> bool {
        true
    }

    /// Returns true if no neighbor can change `value` anymore, such as a label of 0 if the minimum wins. A pulling
    /// propagation skips such vertices.
    fn settled(&self, value: Self::Target) -> bool {
        _ = value;
        false
    }

    /// Returns the empty sum of `vertex`.
    fn begin(&self, vertex: VertexId) -> Self::Sum;

    /// Adds a neighbor's value along an edge with this weight (1 in an unweighted store).
    fn gather(&self, sum: &mut Self::Sum, neighbor: VertexId, value: Self::Source, weight: f64);

    /// Adds a stretch of neighbors; override this if it is faster or needs more than single neighbors. Stretches come
    /// in ascending order of neighbors. Their boundaries depend on the layout and, with values on disk, on memory, but
    /// not on threads. In an update, stretches of in-edges and out-edges may alternate.
    #[inline]
    fn gather_list(&self, sum: &mut Self::Sum, sources: &Sources<'_, Self::Source>) {
        sources.for_each(|neighbor, value, weight| self.gather(sum, neighbor, value, weight));
    }

    /// Returns the new value of `vertex`, whose value was `old`.
    fn apply(&self, vertex: VertexId, old: Self::Target, sum: Self::Sum) -> Self::Target;
}

/// Program that can be propagated: its sums are values. Any value can start a sum, and any sum is a value: gathering
/// returns the best of the sum and the neighbors' offers, and applying the better of two, so that order and repetition
/// do not matter.
pub(super) trait Propagated:
    IntervalProgram<Source = Self::Value, Target = Self::Value, Sum = Self::Value>
{
    /// Type of the values.
    type Value: Number;
}

impl<V: Number, P: IntervalProgram<Source = V, Target = V, Sum = V>> Propagated for P {
    type Value = V;
}
