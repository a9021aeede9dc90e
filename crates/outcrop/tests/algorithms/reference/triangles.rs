//! Triangles and clustering from the neighbours that both ends of an edge have in common.

use super::{Trial, simple};
use crate::graph::Model;
use crate::setup::request;
use std::collections::BTreeSet;

pub fn trials(model: &Model) -> Vec<Trial> {
    let neighbours = simple(model);
    let through = |all: &BTreeSet<usize>| all.iter().map(|other| common(all, &neighbours[*other])).sum::<u64>() / 2;
    let expected: Vec<_> = neighbours.iter().map(|all| Some(through(all))).collect();
    let found = |cell: &str| cell.parse::<u64>().unwrap();
    vec![Trial::new(request!("triangles"), move |answer| assert_eq!(answer.cells("triangles", found), expected))]
}

pub fn clustering_trials(model: &Model) -> Vec<Trial> {
    let targets = |(vertex, list): (usize, &Vec<(usize, f64)>)| {
        list.iter().map(|(target, _)| *target).filter(|target| *target != vertex).collect::<BTreeSet<_>>()
    };
    let out: Vec<_> = model.out.iter().enumerate().map(targets).collect();
    let coefficient = |all: &BTreeSet<usize>| {
        let links: u64 = all.iter().map(|source| common(all, &out[*source])).sum();
        let possible = all.len() * all.len().saturating_sub(1);
        Some(if possible == 0 { 0.0 } else { links as f64 / possible as f64 })
    };
    let expected: Vec<_> = simple(model).iter().map(coefficient).collect();
    vec![Trial::new(request!("lcc"), move |answer| assert_eq!(answer.doubles("clustering"), expected))]
}

fn common(one: &BTreeSet<usize>, other: &BTreeSet<usize>) -> u64 {
    let (fewer, more) = if one.len() < other.len() { (one, other) } else { (other, one) };
    fewer.iter().filter(|member| more.contains(member)).count() as u64
}
