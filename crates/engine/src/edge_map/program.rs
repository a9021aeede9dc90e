//! Traits of edge-map programs.

use outcrop_store::access::Neighbors;
use outcrop_types::{Direction, VertexId};

/// Action at an edge from an active vertex.
///
/// Programs store their state in atomics, so that it works for both push and pull; `Relaxed` suffices, since each map
/// ends before the next starts. `crates/outcrop/examples/popularity.rs` is a complete algorithm.
///
/// ```
/// use outcrop_engine::EdgeMap;
/// use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
///
/// /// Breadth-first search: the first vertex to reach another becomes its parent.
/// struct Search<'p> {
///     parents: &'p [AtomicU32],
/// }
///
/// const NOBODY: u32 = u32::MAX;
///
/// impl EdgeMap for Search<'_> {
///     fn update_atomic(&self, source: u32, target: u32, _: f64) -> bool {
///         self.parents[target as usize].compare_exchange(NOBODY, source, Relaxed, Relaxed).is_ok()
///     }
///
///     fn cond(&self, target: u32) -> bool {
///         self.parents[target as usize].load(Relaxed) == NOBODY
///     }
/// }
///
/// let parents = [AtomicU32::new(0), AtomicU32::new(NOBODY)];
/// let search = Search { parents: &parents };
/// assert!(search.update(0, 1, 1.0) && !search.cond(1) && !search.update(0, 1, 1.0));
/// ```
pub trait EdgeMap: Sync {
    /// Processes an edge in a pull: only the calling thread updates `target`. Returns true if it becomes active.
    fn update(&self, source: VertexId, target: VertexId, weight: f64) -> bool {
        self.update_atomic(source, target, weight)
    }

    /// Processes an edge in a push: other threads may update `target` concurrently. Returns true if it becomes active.
    fn update_atomic(&self, source: VertexId, target: VertexId, weight: f64) -> bool;

    /// Returns true if `target` can still be updated; edges to other vertices are skipped.
    fn cond(&self, target: VertexId) -> bool {
        _ = target;
        true
    }

    /// Returns true if no later edge can change `target` in this map, so that a pull stops. Sources are in ascending
    /// order.
    fn settled(&self, target: VertexId) -> bool {
        !self.cond(target)
    }

    /// Returns true if the first active source may settle a target and weights are not used, so that a pull should try
    /// first neighbors before it reads lists.
    fn tries_first(&self) -> bool {
        false
    }
}

/// Requested result of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeMapOutput {
    /// Vertices that became active.
    Frontier,
    /// No result.
    Nothing,
}

/// Options of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeMapOptions {
    /// Requested result.
    pub output: EdgeMapOutput,
    /// Flow of values: along the edges, or with [`Direction::In`] against them, from targets to sources.
    pub along: Direction,
    /// Treatment of a large frontier.
    pub dense: Dense,
    /// A frontier is large if it and its edges exceed the number of all edges divided by this; 20 in Ligra. With 0 no
    /// frontier is large.
    pub large: u32,
}

/// Treatment of a large frontier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dense {
    /// Scans the in-lists of all vertices that can be updated, if in-lists are open.
    Pull,
    /// Sweeps over the out-lists in disk order, skipping those of other vertices (`dense_forward` in Ligra): for
    /// programs that would read in-lists to their ends anyway.
    PushSweep,
}

impl From<EdgeMapOutput> for EdgeMapOptions {
    fn from(output: EdgeMapOutput) -> Self {
        Self { output, along: Direction::Out, dense: Dense::Pull, large: 20 }
    }
}

/// Action at an edge from an active vertex, with a value for the target, such as its bucket. Otherwise like
/// [`EdgeMap`].
pub trait EdgeMapData: Sync {
    /// Value type. Values of one target are returned in ascending order.
    type Data: Copy + Ord + Send;

    /// Processes an edge in a pull: only the calling thread updates `target`. Returns its value.
    fn update(&self, source: VertexId, target: VertexId, weight: f64) -> Option<Self::Data> {
        self.update_atomic(source, target, weight)
    }

    /// Processes an edge in a push: other threads may update `target` concurrently. Returns its value.
    fn update_atomic(&self, source: VertexId, target: VertexId, weight: f64) -> Option<Self::Data>;

    /// Returns true if `target` can still be updated; edges to other vertices are skipped.
    fn cond(&self, target: VertexId) -> bool {
        _ = target;
        true
    }

    /// Returns true if no later edge can change `target` in this map, so that a pull stops. Sources are in ascending
    /// order.
    fn settled(&self, target: VertexId) -> bool {
        !self.cond(target)
    }

    /// Returns true if the first active source may settle a target and weights are not used, so that a pull should try
    /// first neighbors before it reads lists.
    fn tries_first(&self) -> bool {
        false
    }
}

/// Sum (or another fold) over the edges of vertices, independent of a frontier.
pub trait Gather: Sync {
    /// Folded sum.
    type Sum;

    /// Returns the empty sum of `vertex`.
    fn begin(&self, vertex: VertexId) -> Self::Sum;

    /// Adds a piece of a vertex's list.
    fn gather(&self, sum: &mut Self::Sum, piece: Neighbors<'_>);

    /// Processes the sum of `vertex`; called once for every gathered vertex.
    fn apply(&self, vertex: VertexId, sum: Self::Sum);
}
