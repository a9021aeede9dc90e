//! Code that a user of `edge_map` writes.

use outcrop_store::access::Neighbours;
use outcrop_types::{Direction, VertexId};

/// Action at an edge from an active vertex.
///
/// Programs keep their state in atomics (`Relaxed` is enough: a map ends before the next begins), so that one state
/// serves both ways of going through the edges. `crates/outcrop/examples/popularity.rs` is a whole algorithm.
///
/// ```
/// use outcrop_engine::EdgeMap;
/// use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
///
/// /// A breadth-first search: the first to reach a vertex becomes its parent.
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
    /// Pull: `target` is only updated by the calling thread. Whether it becomes active.
    fn update(&self, source: VertexId, target: VertexId, weight: f64) -> bool {
        self.update_atomic(source, target, weight)
    }

    /// Push: other threads may update `target` at the same time. Whether it becomes active.
    fn update_atomic(&self, source: VertexId, target: VertexId, weight: f64) -> bool;

    /// True if `target` can still be updated; edges to others are passed over.
    fn cond(&self, target: VertexId) -> bool {
        _ = target;
        true
    }

    /// True if no later edge can change `target` in this map, so that a pull stops. Sources come in ascending order.
    fn settled(&self, target: VertexId) -> bool {
        !self.cond(target)
    }

    /// True if the first active source may settle a target and no weight is looked at, so that a pull had better try
    /// first neighbours before it reads lists.
    fn tries_first(&self) -> bool {
        false
    }
}

/// Result that is wanted from a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeMapOutput {
    /// The vertices that became active.
    Frontier,
    /// Nothing.
    Nothing,
}

/// Way that a map goes through the edges, and its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeMapOptions {
    /// Result that is wanted.
    pub output: EdgeMapOutput,
    /// Flow of values: along the edges, or with [`Direction::In`] against them, from targets to sources.
    pub along: Direction,
    /// Treatment of a large frontier.
    pub dense: Dense,
    /// A frontier is large once it and its edges are more than all edges divided by this; 20 in Ligra. With 0 none is
    /// large.
    pub large: u32,
}

/// Treatment of a large frontier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dense {
    /// The in-lists of all vertices that can be updated are gone through, where in-lists are open.
    Pull,
    /// The out-lists are gone through in the order of the disk, past those of other vertices (`dense_forward` in
    /// Ligra): for programs whose in-lists would be read to their ends anyway.
    PushSweep,
}

impl From<EdgeMapOutput> for EdgeMapOptions {
    fn from(output: EdgeMapOutput) -> Self {
        Self { output, along: Direction::Out, dense: Dense::Pull, large: 20 }
    }
}

/// Action at an edge from an active vertex, with a value for the target: the bucket that it belongs to, say. As
/// [`EdgeMap`] in all else.
pub trait EdgeMapData: Sync {
    /// Value that is given. Values of one target come out in ascending order.
    type Data: Copy + Ord + Send;

    /// Pull: `target` is only updated by the calling thread. What it is given.
    fn update(&self, source: VertexId, target: VertexId, weight: f64) -> Option<Self::Data> {
        self.update_atomic(source, target, weight)
    }

    /// Push: other threads may update `target` at the same time. What it is given.
    fn update_atomic(&self, source: VertexId, target: VertexId, weight: f64) -> Option<Self::Data>;

    /// True if `target` can still be updated; edges to others are passed over.
    fn cond(&self, target: VertexId) -> bool {
        _ = target;
        true
    }

    /// True if no later edge can change `target` in this map, so that a pull stops. Sources come in ascending order.
    fn settled(&self, target: VertexId) -> bool {
        !self.cond(target)
    }

    /// True if the first active source may settle a target and no weight is looked at, so that a pull had better try
    /// first neighbours before it reads lists.
    fn tries_first(&self) -> bool {
        false
    }
}

/// A sum (or another fold) over the edges of vertices, whatever is active.
pub trait Gather: Sync {
    /// Folded sum.
    type Sum;

    /// The empty sum of `vertex`.
    fn begin(&self, vertex: VertexId) -> Self::Sum;

    /// Adds a piece of a vertex's list.
    fn gather(&self, sum: &mut Self::Sum, piece: Neighbours<'_>);

    /// Takes the sum of `vertex`; called once for every vertex that is gathered.
    fn apply(&self, vertex: VertexId, sum: Self::Sum);
}
