//! Lists of a graph without directions, and their visitors.

use outcrop_store::access::{Adjacency, FoldLists, are_same};
use outcrop_types::{Result, VertexId, VertexRange};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Lists of a graph taken as undirected.
pub struct Neighborhoods<'g> {
    pub(super) out: &'g dyn Adjacency,
    /// Lists of in-neighbors; `None` in an undirected store, which has one list per vertex.
    pub(super) into: Option<&'g dyn Adjacency>,
}

impl<'g> Neighborhoods<'g> {
    /// Creates neighborhoods from the lists `out` and `into`, which are the same for an undirected graph.
    pub fn new(out: &'g dyn Adjacency, into: &'g dyn Adjacency) -> Self {
        Self { out, into: Some(into).filter(|into| !are_same(*into, out)) }
    }

    /// Returns the number of vertices.
    pub fn vertices(&self) -> u32 {
        self.out.num_vertices()
    }

    /// Returns the number of entries of all lists of both directions: at least the sum of all neighborhood sizes.
    pub fn arcs(&self) -> u64 {
        self.out.num_arcs() + self.into.map_or(0, Adjacency::num_arcs)
    }

    /// Folds all out-lists with the first fold, then all in-lists of a directed graph with the second.
    ///
    /// # Errors
    ///
    /// Returns an error if a read fails or the data is damaged, or if the run is interrupted.
    pub fn sweep<F: FoldLists>(&self, [out, into]: [F; 2]) -> Result<()> {
        let everything = VertexRange::new(0, self.vertices());
        self.out.sweep(everything, &out)?;
        self.into.map_or(Ok(()), |lists| lists.sweep(everything, &into))
    }

    /// Returns true if edges may be directed.
    pub const fn directed(&self) -> bool {
        self.into.is_some()
    }
}

/// Visitor of neighborhoods.
pub trait VisitNeighbors: Sync {
    /// Returns true if `neighbor` is to be visited for `vertex`. The answer must not change during a visit.
    fn keeps(&self, vertex: VertexId, neighbor: VertexId) -> bool;

    /// Returns true if `vertex` needs no more neighbors after `more` neighbors in addition to those visited before: the
    /// rest of its lists is skipped.
    fn enough(&self, vertex: VertexId, more: usize) -> bool {
        _ = (vertex, more);
        false
    }

    /// Visits a part of the neighborhood of `vertex`. All parts together contain each neighbor once, or enough of them;
    /// a vertex without any is not visited.
    fn neighbors(&self, vertex: VertexId, part: &[VertexId]);
}

/// Visitor that adds the number of neighbors of each vertex to its value.
pub struct CountNeighbors<'c>(pub &'c [AtomicU32]);

impl VisitNeighbors for CountNeighbors<'_> {
    #[inline]
    fn keeps(&self, _: VertexId, _: VertexId) -> bool {
        true
    }

    #[inline]
    fn neighbors(&self, vertex: VertexId, part: &[VertexId]) {
        self.0[vertex as usize].fetch_add(part.len() as u32, Relaxed);
    }
}
