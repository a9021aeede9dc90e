//! Lists of which some are selected.

use outcrop_store::access::Pages;
use outcrop_types::VertexId;

/// The lists of which some are selected: those of one direction.
#[derive(Clone, Copy)]
pub struct Candidates<'c> {
    /// The lists.
    pub lists: &'c dyn Pages,
    /// Number of entries in the list of each vertex.
    pub lengths: &'c [u32],
    /// Number of requests that the list of each vertex may get: in how many lists it stands, or how many sets it is in.
    pub requests: &'c [u32],
}

impl Candidates<'_> {
    /// The vertices whose lists can be selected, ascending: those with a list in a page.
    pub(super) fn vertices(&self) -> impl Iterator<Item = VertexId> {
        (0..self.lists.num_vertices()).filter(|vertex| self.lists.page_of(*vertex).is_some())
    }

    /// The first vertices of `ranked` whose lists have at most `entries` entries in total.
    pub(super) fn within(&self, mut ranked: Vec<VertexId>, entries: u64) -> Vec<VertexId> {
        let mut filled = 0;
        let fits = |vertex: &&VertexId| {
            filled += u64::from(self.lengths[**vertex as usize]);
            filled <= entries
        };
        let count = ranked.iter().take_while(fits).count();
        ranked.truncate(count);
        ranked
    }
}
