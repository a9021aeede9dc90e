//! Lists that a run opens: which directions they are, and their sizes in memory and on disk.

use crate::graph::Graph;
use outcrop_algorithms::Requirements;
use outcrop_store::access::Adjacency;
use outcrop_store::layout::StoredLists;
use outcrop_store::layout::compact::IndexResidence;
use outcrop_types::{Direction, MemoryPlan};

impl Graph {
    /// The directions whose lists are opened: one of an undirected store serves as both.
    pub(crate) fn directions(&self, needs: Requirements) -> Vec<Direction> {
        let wanted = [(needs.out_lists, Direction::Out), (needs.in_lists, Direction::In)];
        let mut stored: Vec<_> =
            wanted.into_iter().filter(|(wanted, _)| *wanted).map(|(_, d)| self.store.stored(d)).collect();
        stored.dedup();
        stored
    }

    /// Bytes of the lists that are opened: what one sweep over all of them reads.
    pub(crate) fn lists_bytes(&self, needs: Requirements) -> u64 {
        self.directions(needs).into_iter().map(|direction| bytes_on_disk(self, direction)).sum()
    }
}

/// The out-lists and the in-lists of those that are open, where they are needed.
pub(crate) fn sides(lists: &[StoredLists], needs: Requirements) -> (Option<&dyn Adjacency>, Option<&dyn Adjacency>) {
    let dynamic = |lists| lists as &dyn Adjacency;
    let out = lists.first().filter(|_| needs.out_lists).map(dynamic);
    (out, lists.last().filter(|_| needs.in_lists).map(dynamic))
}

/// Memory that opening `direction` takes from the budget, but for the page cache.
pub(crate) fn memory(graph: &Graph, direction: Direction) -> MemoryPlan {
    memory_with_index(graph, direction, IndexResidence::Resident)
}

/// [`memory`] with the index of the `compact` layout where `index` says.
pub(crate) fn memory_with_index(graph: &Graph, direction: Direction, index: IndexResidence) -> MemoryPlan {
    StoredLists::memory(&graph.store, direction, &graph.workers, index)
}

/// Memory that holding all lists of `direction` takes, in bytes.
pub(crate) fn cache_bytes_for_all(graph: &Graph, direction: Direction) -> u64 {
    StoredLists::cache_bytes_for_all(&graph.store, direction, graph.utilisation)
}

/// Entries of all lists of `direction`.
pub(crate) fn arcs(graph: &Graph, direction: Direction) -> u64 {
    // Default: lists that the store does not have hold nothing.
    graph.store.manifest().arcs(direction).unwrap_or(0)
}

/// Bytes of the file with the lists of `direction`.
pub(crate) fn bytes_on_disk(graph: &Graph, direction: Direction) -> u64 {
    StoredLists::bytes_on_disk(&graph.store, direction)
}
