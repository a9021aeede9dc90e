//! Labels by counting those of all neighbors in each iteration, as LDBC Graphalytics defines it.

use crate::graph::Model;
use crate::reference::Trial;
use crate::setup::{request, with_some};
use std::collections::BTreeMap;

pub fn trials(model: &Model) -> Vec<Trial> {
    let trial = |at_most: Option<u32>, iterations: Option<u32>, weighted: bool| {
        let rounds = at_most.or(iterations).unwrap_or(10);
        let request = with_some(request!("cdlp", "weighted" = weighted), "max-iter", at_most);
        let request = with_some(request, "iterations", iterations);
        let expected = move |model: &Model| labels(model, rounds, weighted);
        Trial::lazy(model, request, expected, move |answer, expected| {
            assert_eq!(answer.nodes("label"), *expected);
            assert!(answer.iterations <= rounds);
        })
    };
    let mut trials = vec![trial(None, None, false), trial(Some(1), None, false), trial(None, Some(3), false)];
    trials.extend(model.weighted.then(|| trial(Some(4), None, true)));
    trials
}

/// Every edge of a vertex that is no loop, in and out: the other end and the weight.
fn edges(model: &Model, vertex: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
    let into = if model.undirected { &[][..] } else { &model.into[vertex][..] };
    model.out[vertex].iter().chain(into).copied().filter(move |(other, _)| *other != vertex)
}

fn labels(model: &Model, rounds: u32, weighted: bool) -> Vec<Option<usize>> {
    let mut labels: Vec<usize> = (0..model.vertices()).collect();
    for _ in 0..rounds {
        let next = |vertex: usize| {
            let mut weights: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
            edges(model, vertex).for_each(|(other, weight)| weights.entry(labels[other]).or_default().push(weight));
            let sum = |mut weights: Vec<f64>| -> f64 {
                weights.sort_by(f64::total_cmp);
                weights.into_iter().map(|weight| if weighted { weight } else { 1.0 }).sum()
            };
            let sums = weights.into_iter().map(|(label, weights)| (label, sum(weights)));
            let best = sums.reduce(|best, one| if one.1 > best.1 { one } else { best });
            best.map_or(labels[vertex], |(label, _)| label)
        };
        labels = (0..model.vertices()).map(next).collect();
    }
    labels.into_iter().map(Some).collect()
}
