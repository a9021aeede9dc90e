//! Weakly connected components: concurrent union-find (Jayanti and Tarjan, PODC 2016) in one sweep over the out-lists.
//!
//! The label of a component is its lowest vertex. Memory: 4 bytes per vertex.

use super::blocks::for_blocks;
use super::map::Graph;
use outcrop_types::VertexId;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Returns the component of every vertex.
pub(super) fn wcc(graph: Graph<'_>) -> Vec<AtomicU32> {
    let parents: Vec<AtomicU32> = (0..graph.vertices()).map(AtomicU32::new).collect();
    for_blocks(graph.vertices(), |block| {
        for vertex in block.iter() {
            graph.out.neighbors(vertex).iter().for_each(|neighbor| unite(&parents, vertex, *neighbor));
        }
    });
    for_blocks(graph.vertices(), |block| {
        block.iter().for_each(|vertex| parents[vertex as usize].store(find(&parents, vertex), Relaxed));
    });
    parents
}

/// Returns the root of the tree of `vertex`, with path halving.
#[inline]
fn find(parents: &[AtomicU32], mut vertex: VertexId) -> VertexId {
    loop {
        let parent = parents[vertex as usize].load(Relaxed);
        if parent == vertex {
            return vertex;
        }
        let grandparent = parents[parent as usize].load(Relaxed);
        if grandparent != parent {
            // A lost race only means that another thread has shortened the path.
            _ = parents[vertex as usize].compare_exchange(parent, grandparent, Relaxed, Relaxed);
        }
        vertex = grandparent;
    }
}

#[inline]
fn unite(parents: &[AtomicU32], one: VertexId, other: VertexId) {
    let (mut one, mut other) = (find(parents, one), find(parents, other));
    while one != other {
        let (upper, lower) = (one.min(other), one.max(other));
        if parents[lower as usize].compare_exchange(lower, upper, Relaxed, Relaxed).is_ok() {
            return;
        }
        (one, other) = (find(parents, upper), find(parents, lower));
    }
}
