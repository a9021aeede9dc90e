//! Direction-optimizing breadth-first search (Beamer, Asanović and Patterson, SC 2012): distances in edges.
//!
//! Memory: 4 bytes per vertex, and frontiers.

use super::edge_map::{EdgeMap, EdgeProgram, Frontier};
use super::map::Graph;
use outcrop_algorithms::UNREACHED;
use outcrop_types::VertexId;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Returns the distances from `source` and the number of iterations.
pub(super) fn bfs(graph: Graph<'_>, source: VertexId) -> (Vec<AtomicU32>, u32) {
    let distances: Vec<AtomicU32> = (0..graph.vertices()).map(|_| AtomicU32::new(UNREACHED)).collect();
    distances[source as usize].store(0, Relaxed);
    let mut edge_map = EdgeMap::new(graph);
    let mut frontier = Frontier::of(graph, source);
    let mut search = Search { distances, level: 0 };
    while !frontier.is_empty() {
        search.level += 1;
        frontier = edge_map.step(frontier, &search);
    }
    (search.distances, search.level)
}

struct Search {
    distances: Vec<AtomicU32>,
    /// Distance of the vertices found in the current iteration.
    level: u32,
}

impl EdgeProgram for Search {
    const WEIGHTED: bool = false;

    #[inline]
    fn wanted(&self, target: VertexId) -> bool {
        self.distances[target as usize].load(Relaxed) == UNREACHED
    }

    #[inline]
    fn update(&self, _: VertexId, target: VertexId, _: f32) -> bool {
        self.distances[target as usize].compare_exchange(UNREACHED, self.level, Relaxed, Relaxed).is_ok()
    }
}
