//! Step after step, from the differences between neighbors.

use crate::graph::Model;
use crate::reference::{Trial, simple};
use crate::setup::{request, with};
use outcrop::{InputVector, RunRequest};

pub fn trials(model: &Model) -> Vec<Trial> {
    let start: Vec<f64> = (0..model.vertices()).map(|rank| (rank * 5 % 13) as f64 - 4.5).collect();
    let neighbors: Vec<Vec<usize>> = simple(model).into_iter().map(|others| others.into_iter().collect()).collect();
    let most = neighbors.iter().map(Vec::len).max().unwrap_or(0) as f64;
    let given = InputVector::Values(start.clone().into());
    let few = request!("heat", "vector" = given.clone());
    // The largest rate that is stable.
    let fast = request!("heat", "vector" = given, "rate" = 1.0 / most.max(1.0));
    let entries: Vec<_> = model.ids.iter().zip(&start).take(1).map(|(id, value)| (id.clone(), *value)).collect();
    let one: Vec<f64> = start.iter().enumerate().map(|(rank, value)| if rank == 0 { *value } else { 0.0 }).collect();
    let named = request!("heat", "vector" = InputVector::Entries(entries.into()));
    vec![
        trial(&neighbors, &start, (few, 5), 1.0 / (1.0 + most)),
        trial(&neighbors, &start, (fast, 9), 1.0 / most.max(1.0)),
        trial(&neighbors, &one, (named, 3), 1.0 / (1.0 + most)),
    ]
}

fn trial(neighbors: &[Vec<usize>], start: &[f64], (request, steps): (RunRequest<'static>, u32), rate: f64) -> Trial {
    let mut expected = start.to_vec();
    for _ in 0..steps {
        let flow =
            |vertex: usize| neighbors[vertex].iter().map(|other| expected[*other] - expected[vertex]).sum::<f64>();
        expected = (0..expected.len()).map(|vertex| expected[vertex] + rate * flow(vertex)).collect();
    }
    let largest = start.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
    let check = move |answer: &crate::answer::Answer| {
        let found = answer.doubles("temperature");
        assert_eq!(found.len(), expected.len());
        for (rank, (found, expected)) in found.into_iter().zip(&expected).enumerate() {
            let found = found.unwrap();
            assert!((found - expected).abs() <= 1e-10 * largest, "rank {rank}: {found:e}, expected {expected:e}");
        }
    };
    Trial::new(with(&request, "iterations", steps), check)
}
