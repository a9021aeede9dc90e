//! Triangles and clustering by looking at every pair of neighbours.

use super::{Trial, simple};
use crate::graph::Model;
use std::collections::HashSet;

pub fn trials(model: &Model) -> Vec<Trial> {
    let neighbours = simple(model);
    let joined = |one: &usize, other: &usize| neighbours[*one].contains(other);
    let expected: Vec<_> = neighbours
        .iter()
        .map(|all| {
            let pairs = all.iter().flat_map(|one| all.range(..one).map(move |other| (one, other)));
            Some(pairs.filter(|(one, other)| joined(one, other)).count() as u64)
        })
        .collect();
    let found = |cell: &str| cell.parse::<u64>().unwrap();
    vec![Trial::new("triangles", |_| (), move |answer| assert_eq!(answer.cells("triangles", found), expected))]
}

pub fn clustering_trials(model: &Model) -> Vec<Trial> {
    let links: HashSet<(usize, usize)> = model
        .out
        .iter()
        .enumerate()
        .flat_map(|(source, list)| list.iter().map(move |(target, _)| (source, *target)))
        .collect();
    let coefficient = |all: &std::collections::BTreeSet<usize>| {
        let pairs = all.iter().flat_map(|one| all.iter().map(move |other| (*one, *other)));
        let linked = pairs.filter(|(one, other)| one != other && links.contains(&(*one, *other))).count();
        let possible = all.len() * all.len().saturating_sub(1);
        Some(if possible == 0 { 0.0 } else { linked as f64 / possible as f64 })
    };
    let expected: Vec<_> = simple(model).iter().map(coefficient).collect();
    vec![Trial::new("lcc", |_| (), move |answer| assert_eq!(answer.doubles("clustering"), expected))]
}
