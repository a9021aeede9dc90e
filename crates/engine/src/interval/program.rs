//! Code that a user of the interval engine writes.

use super::sources::Sources;
use crate::values::Number;
use outcrop_types::VertexId;

/// A program that makes a value of each vertex from those of its neighbors: a sum that begins empty, takes in
/// neighbors stretch by stretch, and is applied. `crates/outcrop/examples/hubs.rs` is a whole algorithm.
///
/// The engine runs it in one of three ways: [`IntervalEngine::gather`](super::IntervalEngine::gather) reads one vector
/// and writes another (Jacobi), [`IntervalEngine::update`](super::IntervalEngine::update) replaces values interval by
/// interval, and [`IntervalEngine::propagate`](super::IntervalEngine::propagate) hands on values that only get better,
/// along the edges of active vertices.
///
/// ```
/// use outcrop_engine::interval::IntervalProgram;
///
/// /// Shortest paths: the least of what neighbors are away, and the edge besides.
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
    /// The values of neighbors.
    type Source: Number;
    /// The values that are made.
    type Target: Number;
    /// Sum that a vertex folds its neighbors into. On disk that of every vertex of an interval is held.
    type Sum: Copy + Send + Sync;

    /// True if [`IntervalProgram::wants`] may say no, so that a sweep had better ask before it reads.
    fn selective(&self) -> bool {
        false
    }

    /// True if `vertex` is to get a value; others keep theirs, and their lists need not be read.
    fn wants(&self, vertex: VertexId) -> bool {
        _ = vertex;
        true
    }

    /// True if old values are looked at, or kept where a vertex gets none; where not, they need not be read, and are
    /// zero.
    fn looks_at_targets(&self) -> bool {
        true
    }

    /// True if no neighbor can change `value` any more, such as a label of 0 where the least wins: a propagation that
    /// pulls passes over such vertices.
    fn settled(&self, value: Self::Target) -> bool {
        _ = value;
        false
    }

    /// The empty sum of `vertex`.
    fn begin(&self, vertex: VertexId) -> Self::Sum;

    /// Adds a neighbor with its value, along an edge of this weight (1 in a store without weights).
    fn gather(&self, sum: &mut Self::Sum, neighbor: VertexId, value: Self::Source, weight: f64);

    /// Adds some neighbors, where that is quicker or says more than one by one. Stretches come in ascending order of
    /// neighbors; how a list is cut into stretches depends on the layout, and with values on disk on memory, but not
    /// on threads. In-edges and out-edges of an update may come by turns.
    #[inline]
    fn gather_list(&self, sum: &mut Self::Sum, sources: &Sources<'_, Self::Source>) {
        sources.for_each(|neighbor, value, weight| self.gather(sum, neighbor, value, weight));
    }

    /// The new value of `vertex`, whose value was `old`.
    fn apply(&self, vertex: VertexId, old: Self::Target, sum: Self::Sum) -> Self::Target;
}

/// A program that can be propagated: its sums are values. A sum may then begin as any value, and a value may be taken
/// for a sum: gathering gives the best of the sum and what neighbors offer, and applying the better of two, so that
/// order and repetition do not matter.
pub(super) trait Propagated:
    IntervalProgram<Source = Self::Value, Target = Self::Value, Sum = Self::Value>
{
    /// The values.
    type Value: Number;
}

impl<V: Number, P: IntervalProgram<Source = V, Target = V, Sum = V>> Propagated for P {
    type Value = V;
}
