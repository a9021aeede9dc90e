//! Code that a user of the interval engine writes.

use super::sources::Sources;
use crate::values::Number;
use outcrop_types::VertexId;

/// Every vertex gets a new value from those of its neighbours; what is read and what is written are apart (Jacobi).
pub trait IntervalGather: Sync {
    /// The values of neighbours.
    type Source: Number;
    /// The values that are made.
    type Target: Number;
    /// Sum that a vertex folds its neighbours into. On disk that of every vertex of an interval is held.
    type Sum: Send;

    /// True if [`IntervalGather::wants`] may say no, so that a sweep had better ask before it reads.
    fn selective(&self) -> bool {
        false
    }

    /// True if `vertex` is to get a value; others keep theirs, and their lists need not be read.
    fn wants(&self, vertex: VertexId) -> bool {
        _ = vertex;
        true
    }

    /// True if old values are looked at, or kept where a vertex gets none; where not, they need not be read, and are zero.
    fn looks_at_targets(&self) -> bool {
        true
    }

    /// The empty sum of `vertex`.
    fn begin(&self, vertex: VertexId) -> Self::Sum;

    /// Adds some neighbours. Stretches come in ascending order of neighbours; how a list is cut into stretches depends on the layout,
    /// and with values on disk on memory, but not on threads.
    fn gather(&self, sum: &mut Self::Sum, sources: &Sources<'_, Self::Source>);

    /// The new value of `vertex`, whose value was `old`.
    fn apply(&self, vertex: VertexId, old: Self::Target, sum: Self::Sum) -> Self::Target;
}

/// Values that only get better, handed along edges until none does. The values at the end must not depend on the order of offers.
pub trait Propagation: Sync {
    /// The values.
    type Value: Number;

    /// Value that an edge of `weight` (1 in a store without weights) offers its target, of a `source` whose value is `value`; `None` for
    /// nothing.
    fn relax(&self, source: VertexId, value: Self::Value, weight: f64) -> Option<Self::Value>;

    /// True if `offered` is strictly better than `known`.
    fn better(&self, offered: Self::Value, known: Self::Value) -> bool;

    /// True if no offer can ever be better than `value`, such as a label of 0 where the least wins: a pull passes over such vertices.
    fn settled(&self, value: Self::Value) -> bool {
        _ = value;
        false
    }
}

/// A whole vertex at once, on the constructed subgraph (LOSC, Algorithm 1 and section 3.7).
pub trait VertexProgram: Sync {
    /// The values.
    type Value: Number;

    /// The new value of `vertex`. Values of neighbours in its own interval are those before the interval (the Old-copy), those of
    /// earlier intervals are new already.
    fn update(
        &self,
        vertex: VertexId,
        value: Self::Value,
        in_edges: &Sources<'_, Self::Value>,
        out_edges: &Sources<'_, Self::Value>,
    ) -> Self::Value;
}
