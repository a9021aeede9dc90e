//! Embeddings by means over the neighbors of every vertex, one dimension at a time.

use crate::graph::Model;
use crate::reference::Trial;
use crate::setup::{request, with};
use outcrop_types::SplitMix64;

/// Values are rounded to single precision once per iteration, and added up.
const ROUNDING: f64 = 1e-5;

pub fn trials(model: &Model) -> Vec<Trial> {
    vec![trial(model, 3, 3, 0.0), trial(model, 18, 1, -0.5)]
}

fn trial(model: &Model, dimensions: u32, iterations: u32, beta: f64) -> Trial {
    let request = with(&request!("fastrp", "dimensions" = dimensions), "iterations", iterations);
    let request = with(&with(&request, "beta", beta), "seed", 7_u64);
    let neighbors: Vec<Vec<usize>> = (0..model.vertices()).map(|rank| neighbors(model, rank)).collect();
    let expected: Vec<_> = (0..dimensions).map(|number| column(&neighbors, number, iterations, beta)).collect();
    Trial::new(request, move |answer| {
        for (number, expected) in expected.iter().enumerate() {
            let shown = answer.singles(&format!("embedding_{number}"));
            assert_eq!(shown.len(), expected.len());
            for (rank, (shown, expected)) in shown.into_iter().zip(expected).enumerate() {
                let bound = ROUNDING * expected.abs().max(1.0);
                assert!((shown.unwrap() - expected).abs() <= bound, "{number}, {rank}: {shown:?} for {expected}");
            }
        }
    })
}

/// The entries of both lists of a vertex, or of the only one.
fn neighbors(model: &Model, rank: usize) -> Vec<usize> {
    let into = model.into[rank].iter().filter(|_| !model.undirected);
    model.out[rank].iter().chain(into).map(|(other, _)| *other).collect()
}

fn column(neighbors: &[Vec<usize>], number: u32, iterations: u32, beta: f64) -> Vec<f64> {
    let entries: usize = neighbors.iter().map(Vec::len).sum();
    let random = SplitMix64::new(7, number.into());
    let start = |rank: usize| match (neighbors[rank].len(), random.up_to(rank as u64, 5)) {
        (0, _) | (_, 2..) => 0.0,
        (degree, sign) => (1.0 - 2.0 * f64::from(sign)) * 3f64.sqrt() * (degree as f64 / entries as f64).powf(beta),
    };
    let mut values: Vec<f64> = (0..neighbors.len()).map(start).collect();
    let mut sums = vec![0.0; values.len()];
    for iteration in 0..iterations {
        let mean = |of: &Vec<usize>| of.iter().map(|other| values[*other]).sum::<f64>() / of.len().max(1) as f64;
        values = neighbors.iter().map(mean).collect();
        if iteration > 0 || iterations == 1 {
            sums.iter_mut().zip(&values).for_each(|(sum, value)| *sum += value);
        }
    }
    sums
}
