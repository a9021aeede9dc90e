//! The densest of the subgraphs that remain when all vertices of at most the mean degree are removed, counted anew in
//! every round.

use crate::graph::Model;
use crate::reference::{Trial, simple};
use crate::setup::request;
use std::collections::BTreeSet;

pub fn trials(model: &Model) -> Vec<Trial> {
    let neighbors = simple(model);
    let entries =
        |rest: &BTreeSet<usize>| rest.iter().map(|vertex| neighbors[*vertex].intersection(rest).count()).sum();
    let mut rest: BTreeSet<usize> = (0..neighbors.len()).collect();
    // The vertices of the densest subgraph and its list entries.
    let (mut best, mut best_entries): (BTreeSet<usize>, usize) = (rest.clone(), entries(&rest));
    while !rest.is_empty() {
        let now: usize = entries(&rest);
        if now * best.len() > best_entries * rest.len() {
            (best, best_entries) = (rest.clone(), now);
        }
        let degree = |vertex: &usize| neighbors[*vertex].intersection(&rest).count();
        let kept = rest.iter().copied().filter(|vertex| degree(vertex) * rest.len() > now);
        rest = kept.collect();
    }
    let edges = best_entries / 2;
    let expected: Vec<_> = (0..neighbors.len()).map(|vertex| Some(u32::from(best.contains(&vertex)))).collect();
    vec![Trial::new(request!("densest"), move |answer| {
        assert_eq!(answer.counts("densest"), expected);
        assert_eq!(answer.values["vertices"], best.len());
        assert_eq!(answer.values["edges"], edges);
        let density = (!best.is_empty()).then(|| edges as f64 / best.len() as f64);
        assert_eq!(answer.values["density"], serde_json::json!(density));
    })]
}
