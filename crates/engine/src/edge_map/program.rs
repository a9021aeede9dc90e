//! What a user of `edge_map` writes.

use outcrop_store::access::Neighbours;
use outcrop_types::VertexId;

/// What happens at an edge from an active vertex.
///
/// Programs keep their state in atomics (`Relaxed` is enough: a map ends before the next begins), so that one state serves both
/// ways of going through the edges.
pub trait EdgeMap: Sync {
    /// Pull: `target` is only updated by the calling thread. Whether it becomes active.
    fn update(&self, source: VertexId, target: VertexId, weight: f32) -> bool {
        self.update_atomic(source, target, weight)
    }

    /// Push: other threads may update `target` at the same time. Whether it becomes active.
    fn update_atomic(&self, source: VertexId, target: VertexId, weight: f32) -> bool;

    /// Whether `target` can still be updated; edges to others are passed over.
    fn cond(&self, target: VertexId) -> bool {
        _ = target;
        true
    }

    /// Whether no later edge can change `target` in this map, so that a pull stops. Sources come in ascending order.
    fn settled(&self, target: VertexId) -> bool {
        !self.cond(target)
    }
}

/// What is wanted back from a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeMapOutput {
    /// The vertices that became active.
    Frontier,
    /// Nothing.
    Nothing,
}

/// A sum (or another fold) over the in-edges of every vertex, whatever is active.
pub trait Gather: Sync {
    /// What is folded.
    type Sum;

    /// The empty sum.
    fn begin(&self) -> Self::Sum;

    /// Adds a piece of a vertex's in-list.
    fn gather(&self, sum: &mut Self::Sum, piece: Neighbours<'_>);

    /// Takes the sum of `vertex`; called once for every vertex.
    fn apply(&self, vertex: VertexId, sum: Self::Sum);
}
