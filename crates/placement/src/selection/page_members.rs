//! Lists in each page.

use super::candidates::Candidates;
use outcrop_types::{MemoryBudget, Purpose, Result, VertexId, VertexValues};
use std::ops::Range;

/// Vertices grouped by page; those of a page can be reordered.
pub(super) struct PageMembers {
    /// Start of the vertices of each page, and the end.
    starts: VertexValues<u32>,
    vertices: VertexValues<VertexId>,
}

impl PageMembers {
    /// Groups all vertices whose lists are in pages, ascending within each page.
    pub(super) fn of(candidates: &Candidates<'_>, budget: &MemoryBudget) -> Result<Self> {
        let pages = candidates.lists.num_pages() as usize;
        let page_of = |vertex: VertexId| candidates.lists.page_of(vertex).map(|page| page as usize);
        let mut starts = VertexValues::new(budget, Purpose::IdMap, pages + 1, |_| 0)?;
        let everyone = 0..candidates.lists.num_vertices();
        everyone.clone().filter_map(page_of).for_each(|page| starts[page] += 1);
        let mut sum = 0;
        for start in starts.iter_mut() {
            (*start, sum) = (sum, sum + *start);
        }
        let mut vertices = VertexValues::new(budget, Purpose::IdMap, sum as usize, |_| 0)?;
        for vertex in everyone {
            if let Some(page) = page_of(vertex) {
                vertices[starts[page] as usize] = vertex;
                starts[page] += 1;
            }
        }
        // Each start has become the end of its page, which is the start of the next.
        starts.copy_within(..pages, 1);
        starts[0] = 0;
        Ok(Self { starts, vertices })
    }

    pub(super) fn pages(&self) -> u32 {
        (self.starts.len() - 1) as u32
    }

    /// Places of the vertices of `page` among all.
    pub(super) fn places(&self, page: u32) -> Range<usize> {
        self.starts[page as usize] as usize..self.starts[page as usize + 1] as usize
    }

    pub(super) fn vertices(&self) -> &[VertexId] {
        &self.vertices
    }

    pub(super) fn vertices_mut(&mut self) -> &mut [VertexId] {
        &mut self.vertices
    }
}
