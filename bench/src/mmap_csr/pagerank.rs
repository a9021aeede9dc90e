//! PageRank with a fixed number of iterations, pulling.
//!
//! Uses the definition of `outcrop_algorithms::pagerank`: vertices without out-edges distribute their rank over all
//! vertices. Memory: two values and the out-degree per vertex.

use super::blocks::{for_blocks, sum_blocks};
use super::map::Graph;
use outcrop_algorithms::AtomicFloat;
use std::iter::repeat_with;

/// Returns the ranks after `iterations` iterations.
pub(super) fn pagerank<F: AtomicFloat>(graph: Graph<'_>, alpha: f64, iterations: u32) -> Vec<F> {
    let count = graph.vertices();
    let uniform = 1.0 / f64::from(count);
    let values = |value: f64| repeat_with(|| F::new(value)).take(count as usize).collect::<Vec<F>>();
    let degrees: Vec<u32> = graph.out.offsets.windows(2).map(|ends| (ends[1] - ends[0]) as u32).collect();
    let (ranks, shares) = (values(uniform), values(0.0));
    for _ in 0..iterations {
        let dangling = hand_out(&degrees, &ranks, &shares);
        let jumps = ((1.0 - alpha) + alpha * dangling) * uniform;
        for_blocks(count, |block| {
            for vertex in block.iter() {
                let sources = graph.reverse.neighbors(vertex);
                let sum: f64 = sources.iter().map(|source| shares[*source as usize].load()).sum();
                ranks[vertex as usize].store(jumps + alpha * sum);
            }
        });
    }
    ranks
}

/// Sets the share of each vertex for each of its out-neighbors; returns the sum of the ranks of vertices without
/// out-edges.
fn hand_out<F: AtomicFloat>(degrees: &[u32], ranks: &[F], shares: &[F]) -> f64 {
    let share = |vertex: usize| {
        let (rank, degree) = (ranks[vertex].load(), degrees[vertex]);
        if degree == 0 {
            return rank;
        }
        shares[vertex].store(rank / f64::from(degree));
        0.0
    };
    sum_blocks(degrees.len() as u32, |block| block.iter().map(|vertex| share(vertex as usize)).sum())
}
