//! Entries of lists, counted one by one.

use crate::answer::Answer;
use crate::graph::Model;
use crate::reference::Trial;
use crate::setup::{request, with};

/// Relative: sums are taken in another order.
const CLOSE: f64 = 1e-12;

pub fn trials(model: &Model) -> Vec<Trial> {
    let directions = ["both", "out", "in"];
    let weighted = directions.map(|direction| (direction, true)).into_iter().filter(|_| model.weighted);
    weighted.chain(directions.map(|direction| (direction, false))).map(|(one, by)| trial(model, one, by)).collect()
}

fn trial(model: &Model, direction: &'static str, weighted: bool) -> Trial {
    let sides: Vec<_> = match direction {
        _ if model.undirected => vec![&model.out],
        "both" => vec![&model.out, &model.into],
        "out" => vec![&model.out],
        _ => vec![&model.into],
    };
    let mut expected = vec![0.0; model.vertices()];
    for (rank, list) in sides.into_iter().flat_map(|lists| lists.iter().enumerate()) {
        for (other, weight) in list {
            let times = if model.undirected && *other == rank { 2.0 } else { 1.0 };
            expected[rank] += times * if weighted { *weight } else { 1.0 };
        }
    }
    let request = request!("degrees", "direction" = direction);
    let request = if weighted { with(&request, "weighted", true) } else { request };
    Trial::new(request, move |answer: &Answer| {
        let found = answer.doubles("degree");
        assert_eq!(found.len(), expected.len());
        for (rank, (found, expected)) in found.into_iter().zip(&expected).enumerate() {
            let found = found.unwrap();
            assert!((found - expected).abs() <= CLOSE * expected, "rank {rank}: {found}, expected {expected}");
        }
    })
}
