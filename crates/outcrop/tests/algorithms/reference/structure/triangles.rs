//! Triangles and clustering from the neighbors that both ends of an edge have in common.

use crate::graph::Model;
use crate::reference::{Trial, simple};
use crate::setup::request;
use std::collections::{BTreeMap, BTreeSet};

/// Relative: sums are taken in another order.
const CLOSE: f64 = 1e-9;
/// Absolute: shares of triangles are rounded down to multiples of this.
const UNIT: f64 = 1.0 / (1_u128 << 88) as f64;

pub fn trials(model: &Model) -> Vec<Trial> {
    let neighbors = simple(model);
    let through =
        |all: &BTreeSet<usize>| all.iter().map(|other| common(all, &neighbors[*other]).count() as u64).sum::<u64>() / 2;
    let expected: Vec<_> = neighbors.iter().map(|all| Some(through(all))).collect();
    let found = |cell: &str| cell.parse::<u64>().unwrap();
    vec![Trial::new(request!("triangles"), move |answer| assert_eq!(answer.cells("triangles", found), expected))]
}

pub fn clustering_trials(model: &Model) -> Vec<Trial> {
    let targets = |(vertex, list): (usize, &Vec<(usize, f64)>)| {
        list.iter().map(|(target, _)| *target).filter(|target| *target != vertex).collect::<BTreeSet<_>>()
    };
    let out: Vec<_> = model.out.iter().enumerate().map(targets).collect();
    let coefficient = |all: &BTreeSet<usize>| {
        let links: u64 = all.iter().map(|source| common(all, &out[*source]).count() as u64).sum();
        let possible = all.len() * all.len().saturating_sub(1);
        Some(if possible == 0 { 0.0 } else { links as f64 / possible as f64 })
    };
    let expected: Vec<_> = simple(model).iter().map(coefficient).collect();
    let mut trials =
        vec![Trial::new(request!("lcc"), move |answer| assert_eq!(answer.doubles("clustering"), expected))];
    trials.extend((model.weighted && model.undirected).then(|| by_weight(model)));
    trials
}

/// The geometric means of the weights of all triangles, each counted from two of its edges.
fn by_weight(model: &Model) -> Trial {
    let mut least: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    for (vertex, list) in model.out.iter().enumerate() {
        for (other, weight) in list {
            let known = least.entry((vertex, *other)).or_insert(*weight);
            *known = weight.min(*known);
        }
    }
    let largest = least.values().copied().fold(f64::MIN_POSITIVE, f64::max);
    let weight = |one: usize, other: usize| least.get(&(one, other)).map(|weight| weight / largest);
    let neighbors = simple(model);
    let coefficient = |(vertex, all): (usize, &BTreeSet<usize>)| {
        let pairs = all.iter().flat_map(|one| common(all, &neighbors[*one]).map(move |other| (*one, *other)));
        let mean = |(one, other)| Some((weight(vertex, one)? * weight(vertex, other)? * weight(one, other)?).cbrt());
        let sum: f64 = pairs.filter_map(mean).sum();
        let possible = all.len() * all.len().saturating_sub(1);
        if possible == 0 { 0.0 } else { sum / possible as f64 }
    };
    let expected: Vec<f64> = neighbors.iter().enumerate().map(coefficient).collect();
    Trial::new(request!("lcc", "weighted" = true), move |answer| {
        let found = answer.doubles("clustering");
        assert_eq!(found.len(), expected.len());
        for (rank, (found, expected)) in found.into_iter().zip(&expected).enumerate() {
            let found = found.unwrap();
            assert!(
                (found - expected).abs() <= CLOSE * expected + UNIT,
                "rank {rank}: {found:?}, expected {expected:?}"
            );
        }
    })
}

fn common<'s>(one: &'s BTreeSet<usize>, other: &'s BTreeSet<usize>) -> impl Iterator<Item = &'s usize> {
    let (fewer, more) = if one.len() < other.len() { (one, other) } else { (other, one) };
    fewer.iter().filter(|member| more.contains(member))
}
