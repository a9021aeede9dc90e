//! Adjacency lists in memory, before they are written to files.

use outcrop_types::{VertexId, index_from};

/// Vertex, neighbor, and weight of the edge.
pub(super) type Arc = (VertexId, VertexId, f32);

/// Lists of one direction.
pub(super) struct PlainLists {
    pub(super) offsets: Vec<u64>,
    pub(super) neighbors: Vec<VertexId>,
    /// Parallel to the neighbors; empty without weights.
    pub(super) weights: Vec<f32>,
}

impl PlainLists {
    /// Groups arcs by first vertex; each list keeps the order of its arcs.
    pub(super) fn group(vertices: u32, weighted: bool, arcs: impl Iterator<Item = Arc> + Clone) -> Self {
        let offsets = offsets(vertices, arcs.clone().map(|(vertex, ..)| vertex));
        let count = index_from(offsets[vertices as usize]);
        let mut neighbors = vec![0; count];
        let mut weights = vec![0.0; if weighted { count } else { 0 }];
        let mut free = offsets.clone();
        for (vertex, neighbor, weight) in arcs {
            let place = index_from(free[vertex as usize]);
            free[vertex as usize] += 1;
            neighbors[place] = neighbor;
            if weighted {
                weights[place] = weight;
            }
        }
        Self { offsets, neighbors, weights }
    }

    fn vertices(&self) -> u32 {
        (self.offsets.len() - 1) as u32
    }

    /// Returns all arcs, by vertex.
    fn arcs(&self) -> impl Iterator<Item = Arc> + Clone {
        (0..self.vertices()).flat_map(move |vertex| {
            let range = index_from(self.offsets[vertex as usize])..index_from(self.offsets[vertex as usize + 1]);
            range.map(move |place| (vertex, self.neighbors[place], self.weights.get(place).copied().unwrap_or(1.0)))
        })
    }

    /// Returns the lists of the other direction, each ascending, since vertices are processed in ascending order.
    pub(super) fn transposed(&self) -> Self {
        let weighted = !self.weights.is_empty();
        let arcs = self.arcs().map(|(vertex, neighbor, weight)| (neighbor, vertex, weight));
        Self::group(self.vertices(), weighted, arcs)
    }

    /// Returns the lowest vertex with the longest list.
    pub(super) fn widest_vertex(&self) -> VertexId {
        let length = |vertex: &VertexId| self.offsets[*vertex as usize + 1] - self.offsets[*vertex as usize];
        (0..self.vertices()).rev().max_by_key(length).unwrap_or(0)
    }
}

/// Returns the offset of each list, and the end of the last.
fn offsets(vertices: u32, arcs: impl Iterator<Item = VertexId>) -> Vec<u64> {
    let mut offsets = vec![0_u64; vertices as usize + 1];
    arcs.for_each(|vertex| offsets[vertex as usize + 1] += 1);
    let mut sum = 0;
    for offset in &mut offsets {
        sum += *offset;
        *offset = sum;
    }
    offsets
}
