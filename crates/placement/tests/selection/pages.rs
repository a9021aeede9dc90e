//! Lists in memory that lie in pages.

use outcrop_store::access::{
    AccessStatistics, Adjacency, IoCost, Neighbors, Packer, Pages, Visit, Workers, requested_vertices,
};
use outcrop_types::{Result, VertexId, VertexRange, VertexSet};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The lists of one direction, so many entries a page.
pub struct PagedLists {
    pub lists: Vec<Vec<VertexId>>,
    pages: Vec<Option<u32>>,
    workers: Workers,
    statistics: AccessStatistics,
}

impl PagedLists {
    pub fn new(vertices: u32, edges: impl Iterator<Item = (u32, u32)>, page_entries: usize, workers: &Workers) -> Self {
        let mut lists = vec![Vec::new(); vertices as usize];
        edges.for_each(|(source, target)| lists[source as usize].push(target));
        lists.iter_mut().for_each(|list| list.sort_unstable());
        let mut entry = 0;
        let page_of = |list: &Vec<VertexId>| {
            let page = (!list.is_empty()).then_some((entry / page_entries) as u32);
            entry += list.len();
            page
        };
        let pages = lists.iter().map(page_of).collect();
        Self { lists, pages, workers: workers.clone(), statistics: AccessStatistics::default() }
    }

    pub fn lengths(&self) -> Vec<u32> {
        self.lists.iter().map(|list| list.len() as u32).collect()
    }

    fn visit_all(&self, vertices: &[VertexId], visit: &dyn Visit) -> Result<()> {
        let next = AtomicUsize::new(0);
        self.workers.run(false, &|_| {
            // In pieces, as lists come from a disk.
            let mut packer = Packer::in_pieces(visit, 3);
            while let Some(vertex) = vertices.get(next.fetch_add(1, Relaxed)) {
                packer.list(*vertex, Neighbors::new(&self.lists[*vertex as usize], None).into())?;
            }
            packer.finish(&self.statistics)
        })
    }
}

impl Adjacency for PagedLists {
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

impl Pages for PagedLists {
    fn num_pages(&self) -> u32 {
        self.pages.iter().flatten().max().map_or(0, |last| last + 1)
    }

    fn page_of(&self, vertex: VertexId) -> Option<u32> {
        self.pages[vertex as usize]
    }
}
