//! Dijkstra's algorithm. Sums are rounded as the precision says, so that distances must be equal to the bit: with
//! weights of at least 0, rounding keeps the order of sums, and the nearest vertex is final as it is with exact sums.

use crate::answer::Answer;
use crate::graph::Model;
use crate::reference::{Trial, names, sources};
use crate::setup::{request, with_some};
use outcrop::{Arg, Choice, Precision};
use std::collections::BTreeSet;
use std::rc::Rc;

pub fn trials(model: &Model) -> Vec<Trial> {
    let model_lists = Rc::new(model.into.clone());
    let all = sources(model)
        .into_iter()
        .flat_map(|sources| [(sources.clone(), Precision::Double), (sources, Precision::Single)]);
    let usual = |(sources, precision)| trial(model, &model_lists, sources, precision, None);
    let mut trials: Vec<_> = all.map(usual).collect();
    for sources in sources(model).into_iter().take(1) {
        let with = |name: &'static str, value: Arg| {
            trial(model, &model_lists, sources.clone(), Precision::Double, Some((name, value)))
        };
        trials.push(with("columns", "distance".into()));
        trials.push(with("method", "bellman-ford".into()));
        trials.push(with("method", "delta".into()));
        trials.push(with("bucket-width", 0.75.into()));
        trials.push(within(model, &sources, 2.5));
        if model.vertices() <= 100 {
            trials.push(with("bucket-width", 1e-40.into()));
        }
    }
    trials
}

/// A search for distances up to `cutoff`.
fn within(model: &Model, sources: &[usize], cutoff: f64) -> Trial {
    let mut distance = distances(model, sources, Precision::Double);
    distance.iter_mut().for_each(|distance| *distance = distance.filter(|distance| *distance <= cutoff));
    let request = request!("sssp", "source" = names(model, sources), "cutoff" = cutoff);
    Trial::new(request, move |answer| assert_eq!(answer.doubles("distance"), distance))
}

fn trial(
    model: &Model,
    into: &Rc<Vec<Vec<(usize, f64)>>>,
    sources: Vec<usize>,
    precision: Precision,
    also: Option<(&'static str, Arg)>,
) -> Trial {
    let into = Rc::clone(into);
    let distance = distances(model, &sources, precision);
    let ids = names(model, &sources);
    let (name, value) = also.unzip();
    let request = request!("sssp", "source" = ids, "precision" = precision.word(), "columns" = "all");
    Trial::new(with_some(request, name.unwrap_or_default(), value), move |answer| {
        let shown = match precision {
            Precision::Double => answer.doubles("distance"),
            Precision::Single => answer.singles("distance"),
        };
        assert_eq!(shown, distance);
        if answer.names().contains(&"predecessor".to_owned()) {
            assert_predecessors(&into, &sources, precision, &distance, answer);
        }
    })
}

fn add(near: f64, weight: f64, precision: Precision) -> f64 {
    let sum = near + weight;
    if precision == Precision::Double { sum } else { f64::from(sum as f32) }
}

/// The order of the bits of a float that is not negative is its own.
pub fn distances(model: &Model, sources: &[usize], precision: Precision) -> Vec<Option<f64>> {
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

/// The sources of tight edges to each vertex, and whether they are nearer.
fn tight_sources(
    into: &[Vec<(usize, f64)>],
    precision: Precision,
    distance: &[Option<f64>],
) -> Vec<Vec<(usize, bool)>> {
    let of = |vertex: usize| {
        let tight = |(source, weight): &(usize, f64)| {
            let near = distance[*source]?;
            (Some(add(near, *weight, precision)) == distance[vertex])
                .then_some((*source, Some(near) < distance[vertex]))
        };
        into[vertex].iter().filter_map(tight).collect()
    };
    (0..into.len()).map(of).collect()
}

/// In which round each vertex gets its predecessor: 0 for sources and where a tight edge comes from a nearer vertex,
/// else one after the first of its tight sources.
fn rounds(tight: &[Vec<(usize, bool)>], sources: &[usize]) -> Vec<usize> {
    let at_once = |vertex: usize| sources.contains(&vertex) || tight[vertex].iter().any(|(_, nearer)| *nearer);
    let mut rounds: Vec<usize> =
        (0..tight.len()).map(|vertex| if at_once(vertex) { 0 } else { usize::MAX - 1 }).collect();
    loop {
        let before = rounds.clone();
        for (vertex, tight) in tight.iter().enumerate() {
            let first = tight.iter().map(|(source, _)| rounds[*source] + 1).min();
            rounds[vertex] = rounds[vertex].min(first.unwrap_or(usize::MAX));
        }
        if rounds == before {
            return rounds;
        }
    }
}

/// The smallest source of a tight edge from a nearer vertex; where there is none, from one of the round before.
fn assert_predecessors(
    into: &[Vec<(usize, f64)>],
    sources: &[usize],
    precision: Precision,
    distance: &[Option<f64>],
    answer: &Answer,
) {
    let predecessor = answer.nodes("predecessor");
    let tight = tight_sources(into, precision, distance);
    let rounds = rounds(&tight, sources);
    for (vertex, tight) in tight.iter().enumerate() {
        let leads_on = |(source, nearer): &&(usize, bool)| match rounds[vertex] {
            0 => *nearer,
            round => rounds[*source] == round - 1,
        };
        let wanted = distance[vertex].is_some() && !sources.contains(&vertex);
        let expected = tight.iter().filter(leads_on).map(|(source, _)| *source).min().filter(|_| wanted);
        assert_eq!(predecessor[vertex], expected, "of {vertex}");
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
