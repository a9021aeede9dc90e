//! Dijkstra's algorithm. Sums are rounded as the precision says, so that distances must be equal to the bit: with weights of at
//! least 0, rounding keeps the order of sums, and the nearest vertex is final as it is with exact sums.

use super::{Trial, names, sources};
use crate::answer::Answer;
use crate::graph::Model;
use outcrop::Precision;
use std::collections::BTreeSet;
use std::rc::Rc;

pub fn trials(model: &Model) -> Vec<Trial> {
    let model_lists = Rc::new(model.into.clone());
    let all = sources(model)
        .into_iter()
        .flat_map(|sources| [(sources.clone(), Precision::Double), (sources, Precision::Single)]);
    all.map(|(sources, precision)| trial(model, Rc::clone(&model_lists), sources, precision)).collect()
}

fn trial(model: &Model, into: Rc<Vec<Vec<(usize, f32)>>>, sources: Vec<usize>, precision: Precision) -> Trial {
    let distance = distances(model, &sources, precision);
    let ids = names(model, &sources);
    Trial::new(
        "sssp",
        |request| (request.sources, request.precision) = (ids, Some(precision)),
        move |answer| {
            let shown = match precision {
                Precision::Double => answer.doubles("distance"),
                Precision::Single => answer.singles("distance"),
            };
            assert_eq!(shown, distance);
            assert_predecessors(&into, &sources, precision, &distance, answer);
        },
    )
}

fn add(near: f64, weight: f32, precision: Precision) -> f64 {
    let sum = near + f64::from(weight);
    if precision == Precision::Double { sum } else { f64::from(sum as f32) }
}

/// The order of the bits of a float that is not negative is its own.
fn distances(model: &Model, sources: &[usize], precision: Precision) -> Vec<Option<f64>> {
    let mut distance: Vec<Option<f64>> = vec![None; model.vertices()];
    let mut open: BTreeSet<(u64, usize)> = sources.iter().map(|source| (0, *source)).collect();
    while let Some((bits, vertex)) = open.pop_first() {
        if distance[vertex].is_none() {
            let near = f64::from_bits(bits);
            distance[vertex] = Some(near);
            open.extend(
                model.out[vertex].iter().map(|(target, weight)| (add(near, *weight, precision).to_bits(), *target)),
            );
        }
    }
    distance
}

/// The smallest source of a tight edge from a nearer vertex; where there is none, any tight edge, as long as predecessors lead to
/// a source in the end.
fn assert_predecessors(
    into: &[Vec<(usize, f32)>],
    sources: &[usize],
    precision: Precision,
    distance: &[Option<f64>],
    answer: &Answer,
) {
    let predecessor = answer.nodes("predecessor");
    for (vertex, far) in distance.iter().enumerate() {
        let tight = |(source, weight): &(usize, f32)| {
            let near = distance[*source]?;
            (Some(add(near, *weight, precision)) == *far).then_some((*source, near))
        };
        let tight: Vec<(usize, f64)> = into[vertex].iter().filter_map(tight).collect();
        let nearer = tight.iter().filter(|(_, near)| Some(*near) < *far).map(|(source, _)| *source).min();
        match (nearer, predecessor[vertex]) {
            _ if far.is_none() || sources.contains(&vertex) => assert_eq!(predecessor[vertex], None),
            (Some(nearer), shown) => assert_eq!(shown, Some(nearer)),
            (None, shown) => assert!(tight.iter().any(|(source, _)| Some(*source) == shown), "{vertex}: {shown:?}"),
        }
    }
    assert_chains_end(&predecessor, sources, distance);
}

/// From every reached vertex predecessors lead to a source.
fn assert_chains_end(predecessor: &[Option<usize>], sources: &[usize], distance: &[Option<f64>]) {
    let mut good = vec![false; predecessor.len()];
    sources.iter().for_each(|source| good[*source] = true);
    for start in (0..predecessor.len()).filter(|vertex| distance[*vertex].is_some()) {
        let mut chain = Vec::new();
        let mut vertex = start;
        while !good[vertex] {
            assert!(chain.len() < predecessor.len(), "the predecessors of {start} go in circles");
            chain.push(vertex);
            vertex = predecessor[vertex].unwrap();
        }
        chain.into_iter().for_each(|vertex| good[vertex] = true);
    }
}
