//! Small in-memory graphs for tests.

use outcrop_store::access::{
    AccessStatistics, Adjacency, IoCost, Neighbors, Packer, Visit, Workers, requested_vertices,
};
use outcrop_types::{Cancellation, Result, VertexId, VertexRange, VertexSet};
use proptest::prelude::*;

/// Lists in memory, visited from the last to the first, in pieces of at most three.
#[derive(Clone, Debug)]
pub(crate) struct InMemory {
    lists: Vec<Vec<VertexId>>,
    statistics: std::sync::Arc<AccessStatistics>,
}

impl InMemory {
    pub(crate) fn new(vertices: u32, edges: &[(VertexId, VertexId)]) -> Self {
        let mut lists = vec![Vec::new(); vertices as usize];
        edges.iter().for_each(|(source, target)| lists[*source as usize].push(*target));
        lists.iter_mut().for_each(|list| list.sort_unstable());
        Self { lists, statistics: std::sync::Arc::default() }
    }

    pub(crate) fn list(&self, vertex: VertexId) -> &[VertexId] {
        &self.lists[vertex as usize]
    }

    pub(crate) fn out_degrees(&self) -> Vec<u32> {
        self.lists.iter().map(|list| list.len() as u32).collect()
    }

    pub(crate) fn in_degrees(&self) -> Vec<u32> {
        let mut degrees = vec![0; self.lists.len()];
        self.lists.iter().flatten().for_each(|target| degrees[*target as usize] += 1);
        degrees
    }

    fn visit_all(&self, vertices: &[VertexId], visit: &dyn Visit) -> Result<()> {
        let mut packer = Packer::in_pieces(visit, 3);
        for vertex in vertices.iter().rev() {
            packer.list(*vertex, Neighbors::new(self.list(*vertex), None).into())?;
        }
        packer.finish(&self.statistics)
    }
}

impl Adjacency for InMemory {
    fn num_vertices(&self) -> u32 {
        self.lists.len() as u32
    }

    fn num_arcs(&self) -> u64 {
        self.lists.iter().map(|list| list.len() as u64).sum()
    }

    fn cost_of(&self, _: &VertexSet) -> IoCost {
        IoCost::default()
    }

    fn cost_of_sweep(&self) -> IoCost {
        IoCost::default()
    }

    fn select(&self, set: &VertexSet, visit: &dyn Visit) -> Result<()> {
        let mut members = Vec::new();
        set.for_each(|vertex| members.push(vertex));
        self.visit_all(&members, visit)
    }

    fn sweep(&self, range: VertexRange, visit: &dyn Visit) -> Result<()> {
        self.visit_all(&requested_vertices(range, visit), visit)
    }

    fn statistics(&self) -> &AccessStatistics {
        &self.statistics
    }
}

pub(crate) fn workers(threads: usize) -> Workers {
    Workers::start(threads, Cancellation::new()).unwrap()
}

/// Graphs with loops, repeated edges and vertices without edges.
pub(crate) fn any_graph() -> impl Strategy<Value = InMemory> {
    (1_u32..40, 0_usize..120).prop_flat_map(|(vertices, edges)| {
        let end = move || 0..vertices.div_ceil(2).max(vertices.saturating_sub(5));
        proptest::collection::vec((end(), end()), 0..edges + 1).prop_map(move |edges| InMemory::new(vertices, &edges))
    })
}
