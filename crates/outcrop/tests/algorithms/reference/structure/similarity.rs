//! Sets of neighbors, intersected one by one.

use crate::graph::Model;
use crate::reference::{Trial, names};
use crate::setup::{request, with, with_some};
use std::collections::BTreeSet;

const MEASURES: [&str; 6] = ["jaccard", "overlap", "cosine", "common", "adamic-adar", "resource-allocation"];

pub fn trials(model: &Model) -> Vec<Trial> {
    let Some(last) = model.vertices().checked_sub(1) else { return Vec::new() };
    let hub = (0..=last).max_by_key(|vertex| model.out[*vertex].len()).unwrap();
    let of_hub = MEASURES.map(|measure| trial(model, hub, measure));
    of_hub.into_iter().chain([trial(model, last / 2, "jaccard")]).collect()
}

fn trial(model: &Model, source: usize, measure: &'static str) -> Trial {
    let expected = move |model: &Model| {
        let [out, into] = [sets(&model.out), sets(&model.into)];
        let of = |vertex| Some(similarity(&out, &into, [source, vertex], measure)?).filter(|_| vertex != source);
        (0..model.vertices()).map(of).collect::<Vec<Option<f64>>>()
    };
    let request = request!("similarity", "source" = names(model, &[source]), "measure" = measure);
    Trial::lazy(model, request, expected, |answer, expected| {
        for (vertex, (found, expected)) in answer.doubles("similarity").into_iter().zip(expected).enumerate() {
            match (found, expected) {
                (Some(found), Some(expected)) => assert!((found - expected).abs() <= 1e-12 * expected, "{vertex}"),
                (found, expected) => assert_eq!(found, *expected, "{vertex}"),
            }
        }
    })
}

/// The most similar vertices of each vertex, from the similarity of all pairs with a common neighbor.
pub fn most_similar_trials(model: &Model) -> Vec<Trial> {
    // Thousands of neighbors of one vertex would be millions of pairs.
    let few = model.into.iter().all(|list| list.len() < 500);
    let of = |(measure, most, max_degree)| most_similar_trial(model, measure, most, max_degree);
    let limited = [("jaccard", 3, 10), ("adamic-adar", 1, 499)].map(|(measure, most, max)| (measure, most, Some(max)));
    let full = MEASURES.map(|measure| (measure, 4, None)).into_iter().filter(|_| few);
    limited.into_iter().chain(full).map(of).collect()
}

fn most_similar_trial(model: &Model, measure: &'static str, most: u32, max_degree: Option<u32>) -> Trial {
    let expected = move |model: &Model| all_pairs(model, measure, max_degree);
    let request = with(&request!("most-similar", "measure" = measure), "k", most);
    Trial::lazy(model, with_some(request, "max-degree", max_degree), expected, move |answer, expected| {
        for place in 0..most as usize {
            let vertices = answer.nodes(&format!("similar_{}", place + 1));
            let similarities = answer.doubles(&format!("similarity_{}", place + 1));
            for (vertex, (found, similarity)) in vertices.into_iter().zip(similarities).enumerate() {
                let Some((_, best)) = expected[vertex].get(place) else {
                    assert_eq!((found, similarity), (None, None), "{vertex}");
                    continue;
                };
                // Sums that are nearly equal may be in another order.
                let close = |one: f64| (one - best).abs() <= 1e-12 * best;
                let of_found = expected[vertex].iter().find(|(other, _)| Some(*other) == found).unwrap();
                assert!(close(similarity.unwrap()) && close(of_found.1), "{vertex}: {found:?} for {best}");
                let is_exact = !["adamic-adar", "resource-allocation"].contains(&measure);
                assert!(!is_exact || found == Some(expected[vertex][place].0), "{vertex}: {found:?}");
            }
        }
    })
}

/// The vertices that have a common neighbor with each, the most similar first.
fn all_pairs(model: &Model, measure: &str, max_degree: Option<u32>) -> Vec<Vec<(usize, f64)>> {
    let [mut out, into] = [sets(&model.out), sets(&model.into)];
    let counts = |vertex: &usize| max_degree.is_none_or(|most| into[*vertex].len() <= most as usize);
    out.iter_mut().for_each(|list| list.retain(counts));
    let row = |vertex: usize| {
        let others = out[vertex].iter().flat_map(|neighbor| into[*neighbor].iter().copied());
        let others: BTreeSet<usize> = others.filter(|other| *other != vertex).collect();
        let pair = |other| (other, similarity(&out, &into, [vertex, other], measure).unwrap());
        let mut row: Vec<(usize, f64)> = others.into_iter().map(pair).collect();
        row.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        row
    };
    (0..model.vertices()).map(row).collect()
}

/// The similarity of two vertices; none without a common neighbor.
fn similarity(
    out: &[BTreeSet<usize>],
    into: &[BTreeSet<usize>],
    [one, other]: [usize; 2],
    measure: &str,
) -> Option<f64> {
    let common: Vec<usize> = out[one].intersection(&out[other]).copied().collect();
    let [size, of_one, of_other] = [common.len(), out[one].len(), out[other].len()].map(|size| size as f64);
    let sum = |term: fn(f64) -> f64| common.iter().map(|vertex| term(into[*vertex].len() as f64)).sum();
    (!common.is_empty()).then(|| match measure {
        "jaccard" => size / out[one].union(&out[other]).count() as f64,
        "overlap" => size / of_one.min(of_other),
        "cosine" => size / (of_one * of_other).sqrt(),
        "common" => size,
        "adamic-adar" => sum(|count| 1.0 / count.ln()),
        _ => sum(|count| 1.0 / count),
    })
}

fn sets(lists: &[Vec<(usize, f64)>]) -> Vec<BTreeSet<usize>> {
    let set = |(vertex, list): (usize, &Vec<(usize, f64)>)| {
        list.iter().map(|(other, _)| *other).filter(|other| *other != vertex).collect()
    };
    lists.iter().enumerate().map(set).collect()
}
