//! Sets of vertices with their ranks.

use crate::graph::Graph;
use outcrop_store::writing::look_up_ranks;
use outcrop_types::{Result, VertexId, VertexSet};

/// Vertices whose lists are read, with their ranks.
pub(super) struct Frontier(Vec<(VertexId, u32)>);

impl Frontier {
    /// Returns the memory of `members` vertices and of a set of them, in bytes.
    pub(super) fn bytes(graph: &Graph, members: u64) -> u64 {
        members * size_of::<(VertexId, u32)>() as u64 + VertexSet::bytes(graph.num_vertices())
    }

    /// Returns the members of `set` with their ranks.
    ///
    /// # Errors
    ///
    /// Returns an error if ranks are damaged or cannot be read.
    pub(super) fn of(graph: &Graph, set: &VertexSet) -> Result<Self> {
        let mut members = Vec::with_capacity(set.len());
        set.for_each(|vertex| members.push((vertex, 0)));
        look_up_ranks(&graph.store, graph.io, &mut members)?;
        Ok(Self(members))
    }

    /// Returns the rank of `vertex`, which must be a member.
    pub(super) fn rank(&self, vertex: VertexId) -> u32 {
        self.0.binary_search_by_key(&vertex, |(member, _)| *member).map_or(vertex, |place| self.0[place].1)
    }
}
