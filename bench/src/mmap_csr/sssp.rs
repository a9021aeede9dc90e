//! Shortest weighted paths: Bellman-Ford on frontiers, as in Ligra (Shun and Blelloch, PPoPP 2013, section 4.6).
//!
//! Every weight of an unweighted graph is 1. Memory: one value per vertex, and frontiers.

use super::edge_map::{EdgeMap, EdgeProgram, Frontier};
use super::map::Graph;
use outcrop_algorithms::AtomicFloat;
use outcrop_types::VertexId;

/// Returns the distances from `source`, infinite for unreachable vertices, and the number of iterations.
pub(super) fn sssp<F: AtomicFloat>(graph: Graph<'_>, source: VertexId) -> (Vec<F>, u32) {
    let distances: Vec<F> = (0..graph.vertices()).map(|_| F::new(f64::INFINITY)).collect();
    distances[source as usize].store(0.0);
    let mut edge_map = EdgeMap::new(graph);
    let mut frontier = Frontier::of(graph, source);
    let relax = Relax { distances };
    let mut iterations = 0;
    while !frontier.is_empty() {
        frontier = edge_map.step(frontier, &relax);
        iterations += 1;
    }
    (relax.distances, iterations)
}

struct Relax<F> {
    distances: Vec<F>,
}

impl<F: AtomicFloat> EdgeProgram for Relax<F> {
    const WEIGHTED: bool = true;

    #[inline]
    fn wanted(&self, _: VertexId) -> bool {
        true
    }

    #[inline]
    fn update(&self, source: VertexId, target: VertexId, weight: f32) -> bool {
        self.distances[target as usize].lower_to(self.distances[source as usize].load() + f64::from(weight))
    }
}
