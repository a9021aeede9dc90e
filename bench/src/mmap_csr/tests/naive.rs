//! Reference results from other methods.

use super::Sample;
use outcrop_types::VertexId;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

fn out_lists(sample: &Sample) -> Vec<Vec<(usize, f32)>> {
    let mut lists = vec![Vec::new(); sample.vertices as usize];
    sample.arcs().iter().for_each(|(a, b, weight)| lists[*a as usize].push((*b as usize, *weight)));
    lists
}

/// Returns the distances in edges, from a queue; `u32::MAX` for unreachable vertices.
pub(super) fn bfs(sample: &Sample, source: VertexId) -> Vec<u32> {
    let lists = out_lists(sample);
    let mut distances = vec![u32::MAX; lists.len()];
    let mut queue = VecDeque::from([source as usize]);
    distances[source as usize] = 0;
    while let Some(vertex) = queue.pop_front() {
        for (neighbor, _) in &lists[vertex] {
            if distances[*neighbor] == u32::MAX {
                distances[*neighbor] = distances[vertex] + 1;
                queue.push_back(*neighbor);
            }
        }
    }
    distances
}

/// Returns the distances from Dijkstra's algorithm; infinite for unreachable vertices. The bits of nonnegative floats
/// sort like the floats.
pub(super) fn dijkstra(sample: &Sample, source: VertexId) -> Vec<f64> {
    let lists = out_lists(sample);
    let mut distances = vec![f64::INFINITY; lists.len()];
    let mut queue = BinaryHeap::from([Reverse((0_u64, source as usize))]);
    distances[source as usize] = 0.0;
    while let Some(Reverse((bits, vertex))) = queue.pop() {
        for (neighbor, weight) in &lists[vertex] {
            let distance = f64::from_bits(bits) + f64::from(*weight);
            if distance < distances[*neighbor] {
                distances[*neighbor] = distance;
                queue.push(Reverse((distance.to_bits(), *neighbor)));
            }
        }
    }
    distances
}

/// Returns the lowest vertex of each component, from label propagation until nothing changes.
pub(super) fn components(sample: &Sample) -> Vec<u32> {
    let mut labels: Vec<u32> = (0..sample.vertices).collect();
    loop {
        let before = labels.clone();
        for (a, b, _) in sample.arcs() {
            let least = labels[a as usize].min(labels[b as usize]);
            labels[a as usize] = least;
            labels[b as usize] = least;
        }
        if labels == before {
            return labels;
        }
    }
}

/// Returns the ranks, from iterations with the dense matrix of the walk.
pub(super) fn ranks(sample: &Sample, alpha: f64, iterations: u32) -> Vec<f64> {
    let n = sample.vertices as usize;
    let mut chances = vec![vec![0.0; n]; n];
    for (from, row) in out_lists(sample).iter().zip(&mut chances) {
        match from.len() {
            0 => row.fill(1.0 / n as f64),
            degree => from.iter().for_each(|(to, _)| row[*to] += 1.0 / degree as f64),
        }
    }
    let mut ranks = vec![1.0 / n as f64; n];
    for _ in 0..iterations {
        let followed = |to: usize| ranks.iter().zip(&chances).map(|(rank, row)| rank * row[to]).sum::<f64>();
        ranks = (0..n).map(|to| (1.0 - alpha) / n as f64 + alpha * followed(to)).collect();
    }
    ranks
}
