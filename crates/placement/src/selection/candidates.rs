//! Candidate lists of a selection.

use outcrop_store::access::Pages;
use outcrop_types::VertexId;

/// Lists of one direction from which a selection chooses.
#[derive(Clone, Copy)]
pub struct Candidates<'c> {
    /// The lists.
    pub lists: &'c dyn Pages,
    /// Number of entries in the list of each vertex.
    pub lengths: &'c [u32],
    /// Number of requests for the list of each vertex: the number of lists, or sets, that contain the vertex.
    pub requests: &'c [u32],
}

impl Candidates<'_> {
    /// Returns the first vertices of `ranked` with a list in a page whose lists have at most `entries` entries in
    /// total; `None` if `ranked` contains a vertex that the graph does not have.
    pub fn first(&self, ranked: &[VertexId], entries: u64) -> Option<Vec<VertexId>> {
        let mut left = entries;
        let mut first = Vec::new();
        for vertex in ranked {
            let length = u64::from(*self.lengths.get(*vertex as usize)?);
            if self.lists.page_of(*vertex).is_none() {
                continue;
            }
            let Some(rest) = left.checked_sub(length) else { break };
            left = rest;
            first.push(*vertex);
        }
        Some(first)
    }
}
