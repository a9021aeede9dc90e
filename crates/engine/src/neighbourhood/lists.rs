//! The lists of a graph without directions, and who is shown them.

use outcrop_store::access::{Adjacency, FoldLists, are_same};
use outcrop_types::{Result, VertexId, VertexRange};

/// The lists of a graph, seen without directions.
pub struct Neighbourhoods<'g> {
    pub(super) out: &'g dyn Adjacency,
    /// Lists of in-neighbors; `None` in an undirected store, which has one list per vertex.
    pub(super) into: Option<&'g dyn Adjacency>,
}

impl<'g> Neighbourhoods<'g> {
    /// Creates neighborhoods from the lists `out` and `into`, which are the same for an undirected graph.
    pub fn new(out: &'g dyn Adjacency, into: &'g dyn Adjacency) -> Self {
        Self { out, into: Some(into).filter(|into| !are_same(*into, out)) }
    }

    /// Number of vertices.
    pub fn vertices(&self) -> u32 {
        self.out.num_vertices()
    }

    /// Entries of all lists of both directions: at least the sum of all neighbourhoods.
    pub fn arcs(&self) -> u64 {
        self.out.num_arcs() + self.into.map_or(0, Adjacency::num_arcs)
    }

    /// Shows all out-lists to the first fold, then all in-lists of a directed graph to the second.
    ///
    /// # Errors
    /// A failed or damaged read; interruption.
    pub fn sweep<F: FoldLists>(&self, [out, into]: [F; 2]) -> Result<()> {
        let everything = VertexRange::new(0, self.vertices());
        self.out.sweep(everything, &out)?;
        self.into.map_or(Ok(()), |lists| lists.sweep(everything, &into))
    }

    /// True if an edge may have a direction.
    pub const fn directed(&self) -> bool {
        self.into.is_some()
    }
}

/// Is shown neighbourhoods.
pub trait VisitNeighbours: Sync {
    /// True if `neighbour` is to be shown to `vertex`. The answer must not change while a visit is under way.
    fn keeps(&self, vertex: VertexId, neighbour: VertexId) -> bool;

    /// True if `vertex` needs to be shown nothing more once it has been shown `more` neighbours beside those that it
    /// was shown before: the rest of its lists is passed over.
    fn enough(&self, vertex: VertexId, more: usize) -> bool {
        _ = (vertex, more);
        false
    }

    /// A part of the neighbourhood of `vertex`. All parts together hold each neighbour once, or enough of them; a
    /// vertex without any is not shown.
    fn neighbours(&self, vertex: VertexId, part: &[VertexId]);
}
