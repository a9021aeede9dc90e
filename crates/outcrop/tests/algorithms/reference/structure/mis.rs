//! Check that a set is independent and maximal.

use crate::graph::Model;
use crate::reference::{Trial, simple};
use crate::setup::{request, with_some};

pub fn trials(model: &Model) -> Vec<Trial> {
    let trial = |seed: Option<u64>| {
        let neighbors = simple(model);
        Trial::new(with_some(request!("mis"), "seed", seed), move |answer| {
            let members: Vec<bool> = answer.counts("in_set").into_iter().map(|cell| cell.unwrap() == 1).collect();
            assert!(answer.counts("in_set").iter().all(|cell| cell.unwrap() <= 1));
            for (vertex, others) in neighbors.iter().enumerate() {
                let beside = others.iter().any(|other| members[*other]);
                assert_ne!(members[vertex], beside, "{vertex} is in the set, or has a neighbour that is");
            }
        })
    };
    vec![trial(None), trial(Some(7))]
}
