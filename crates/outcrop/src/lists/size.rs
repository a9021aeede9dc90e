//! Lists that a run opens: their directions, and their sizes in memory and on disk.

use crate::graph::Graph;
use outcrop_algorithms::Requirements;
use outcrop_store::access::Adjacency;
use outcrop_store::layout::StoredLists;
use outcrop_store::layout::compact::IndexResidence;
use outcrop_types::{Direction, MemoryPlan};

impl Graph {
    /// Returns the directions whose lists are opened: in an undirected store, one serves as both.
    pub(crate) fn directions(&self, needs: Requirements) -> Vec<Direction> {
        let wanted = [(needs.out_lists, Direction::Out), (needs.in_lists, Direction::In)];
        let mut stored: Vec<_> =
            wanted.into_iter().filter(|(wanted, _)| *wanted).map(|(_, d)| self.store.stored(d)).collect();
        stored.dedup();
        stored
    }

    /// Returns the bytes of the opened lists: the amount that one sweep over all of them reads.
    pub(crate) fn lists_bytes(&self, needs: Requirements) -> u64 {
        self.directions(needs).into_iter().map(|direction| bytes_on_disk(self, direction)).sum()
    }
}

/// Returns the out-lists and the in-lists among the open lists, if they are needed.
pub(crate) fn sides(lists: &[StoredLists], needs: Requirements) -> (Option<&dyn Adjacency>, Option<&dyn Adjacency>) {
    let dynamic = |lists| lists as &dyn Adjacency;
    let out = lists.first().filter(|_| needs.out_lists).map(dynamic);
    (out, lists.last().filter(|_| needs.in_lists).map(dynamic))
}

/// Returns the memory for opening `direction`, without the page cache.
pub(crate) fn memory(graph: &Graph, direction: Direction) -> MemoryPlan {
    memory_with_index(graph, direction, IndexResidence::Resident)
}

/// Same as [`memory`] with the given residence of the index of the `compact` layout.
pub(crate) fn memory_with_index(graph: &Graph, direction: Direction, index: IndexResidence) -> MemoryPlan {
    StoredLists::memory(&graph.store, direction, &graph.workers, index)
}

/// Returns the memory for caching all lists of `direction`, in bytes.
pub(crate) fn cache_bytes_for_all(graph: &Graph, direction: Direction) -> u64 {
    StoredLists::cache_bytes_for_all(&graph.store, direction, graph.utilization)
}

/// Returns the number of entries of all lists of `direction`.
pub(crate) fn arcs(graph: &Graph, direction: Direction) -> u64 {
    // Default: lists that the store does not have are empty.
    graph.store.manifest().arcs(direction).unwrap_or(0)
}

/// Returns the size of the file with the lists of `direction`, in bytes.
pub(crate) fn bytes_on_disk(graph: &Graph, direction: Direction) -> u64 {
    StoredLists::bytes_on_disk(&graph.store, direction)
}
