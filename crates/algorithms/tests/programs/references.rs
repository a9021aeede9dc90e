//! Results that other methods find.

use crate::graphs::Graph;
use outcrop_algorithms::pagerank::{PageRankParams, Stop};
use outcrop_algorithms::{IdOrder, UNREACHED};

/// Distances by a queue, and the smallest vertex one step nearer.
pub fn search(graph: &Graph, sources: &[u32]) -> Vec<[u32; 2]> {
    let mut found = vec![[UNREACHED; 2]; graph.vertices as usize];
    let mut queue: std::collections::VecDeque<u32> = sources.iter().copied().collect();
    queue.iter().for_each(|source| found[*source as usize][0] = 0);
    while let Some(vertex) = queue.pop_front() {
        let [distance, _] = found[vertex as usize];
        for (target, _) in graph.out(vertex) {
            let known = &mut found[target as usize];
            if known[0] == UNREACHED {
                known[0] = distance + 1;
                queue.push_back(target);
            }
            if known[0] == distance + 1 {
                known[1] = known[1].min(vertex);
            }
        }
    }
    found
}

/// The columns of a search: distances, and the ranks of predecessors.
pub fn columns_of(found: &[[u32; 2]], ranks: IdOrder<'_>) -> [Vec<u64>; 2] {
    let columns =
        found.iter().map(|[distance, predecessor]| [*distance, ranks.of_reached(*predecessor)].map(u64::from));
    let (distances, predecessors) = columns.map(Into::<(u64, u64)>::into).unzip();
    [distances, predecessors]
}

/// The smallest rank of each component, by merging.
pub fn components(graph: &Graph, ranks: IdOrder<'_>) -> Vec<u32> {
    let mut parents: Vec<u32> = (0..graph.vertices).collect();
    fn root(parents: &mut [u32], mut vertex: u32) -> u32 {
        while parents[vertex as usize] != vertex {
            parents[vertex as usize] = parents[parents[vertex as usize] as usize];
            vertex = parents[vertex as usize];
        }
        vertex
    }
    for (source, target, _) in &graph.edges {
        let (one, other) = (root(&mut parents, *source), root(&mut parents, *target));
        let (keep, merge) = if ranks.of(one) < ranks.of(other) { (one, other) } else { (other, one) };
        parents[merge as usize] = keep;
    }
    (0..graph.vertices).map(|vertex| ranks.of(root(&mut parents, vertex))).collect()
}

/// Plain power iteration; the ranks, iterations and the last change.
pub fn iterate(graph: &Graph, parameters: &PageRankParams<'_>) -> (Vec<f64>, u32, f64) {
    let (count, alpha) = (graph.vertices as usize, parameters.alpha);
    let jumps = jump_probabilities(graph, parameters);
    let mut ranks = vec![1.0 / count.max(1) as f64; count];
    let (most, tolerance) = match parameters.stop {
        Stop::After(most) => (most, 0.0),
        Stop::Below { tolerance, at_most } => (at_most, tolerance),
    };
    let (mut iterations, mut change) = (0, f64::INFINITY);
    while iterations < most && change >= tolerance {
        let mut next = vec![0.0; count];
        let mut dangling = 0.0;
        for vertex in 0..graph.vertices {
            let links = graph.out(vertex).count();
            graph.out(vertex).for_each(|(target, _)| next[target as usize] += ranks[vertex as usize] / links as f64);
            dangling += if links == 0 { ranks[vertex as usize] } else { 0.0 };
        }
        let jumping = 1.0 - alpha + alpha * dangling;
        next.iter_mut().zip(&jumps).for_each(|(rank, jump)| *rank = alpha * *rank + jumping * jump);
        change = next.iter().zip(&ranks).map(|(new, old)| (new - old).abs()).sum();
        ranks = next;
        iterations += 1;
    }
    (ranks, iterations, change)
}

fn jump_probabilities(graph: &Graph, parameters: &PageRankParams<'_>) -> Vec<f64> {
    let count = graph.vertices as usize;
    let Some(weights) = parameters.personalization else { return vec![1.0 / count.max(1) as f64; count] };
    let total: f64 = weights.iter().map(|(_, weight)| weight).sum();
    let mut jumps = vec![0.0; count];
    weights.iter().for_each(|(vertex, weight)| jumps[*vertex as usize] += weight / total);
    jumps
}

/// Shares are whole multiples of 2^-62, and there are up to 200 of them to a vertex.
pub fn assert_close(found: &[f64], expected: &[f64], relative: f64) {
    assert_eq!(found.len(), expected.len());
    for (vertex, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!(
            (found - expected).abs() <= relative * expected + 1e-16,
            "vertex {vertex}: {found:e}, expected {expected:e}"
        );
    }
}
