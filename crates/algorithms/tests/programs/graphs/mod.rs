//! Graphs as edges, and as the arcs that programs go along.

#[path = "../../../../gas/tests/gas/graphs.rs"]
#[allow(dead_code, reason = "tests of engines use other parts of it")]
mod arcs;
mod edges;

pub use arcs::Arcs;
pub use edges::{Graph, graphs, with_ranks};

use crate::lists::drawn_edges;
use outcrop_engine::Directions;
use std::collections::BTreeSet;

/// The arcs of a graph that a program goes along.
pub fn arcs(graph: &Graph, along: Directions) -> Arcs {
    let out = |vertex: u32| graph.out(vertex).map(move |(target, weight)| (vertex, target, weight));
    let neighbors = |vertex: u32| {
        let others: BTreeSet<u32> = graph.others(vertex).map(|(other, _)| other).collect();
        others.into_iter().map(move |other| (vertex, other, 1.0))
    };
    let arcs = match along {
        Directions::Both => (0..graph.vertices).flat_map(neighbors).collect(),
        _ => (0..graph.vertices).flat_map(out).collect(),
    };
    Arcs { vertices: graph.vertices, arcs }
}

/// A graph of which several threads go over parts.
pub fn large() -> Graph {
    Graph::new(20_000, drawn_edges(20_000, 60_000), true)
}

/// A graph of these vertices and edges, undirected.
pub fn undirected(vertices: u32, edges: impl IntoIterator<Item = (u32, u32)>) -> Graph {
    Graph::new(vertices, edges.into_iter().map(|(one, other)| (one, other, 1.0)).collect(), false)
}
