//! Sets of neighbors, intersected one by one.

use crate::graph::Model;
use crate::reference::{Trial, names};
use crate::setup::request;
use std::collections::BTreeSet;

const MEASURES: [&str; 6] = ["jaccard", "overlap", "cosine", "common", "adamic-adar", "resource-allocation"];

pub fn trials(model: &Model) -> Vec<Trial> {
    let Some(last) = model.vertices().checked_sub(1) else { return Vec::new() };
    let hub = (0..=last).max_by_key(|vertex| model.out[*vertex].len()).unwrap();
    let of_hub = MEASURES.map(|measure| trial(model, hub, measure));
    of_hub.into_iter().chain([trial(model, last / 2, "jaccard")]).collect()
}

fn trial(model: &Model, source: usize, measure: &'static str) -> Trial {
    let [out, into] = [sets(&model.out), sets(&model.into)];
    let of = |vertex| Some(similarity(&out, &into, [source, vertex], measure)?).filter(|_| vertex != source);
    let expected: Vec<Option<f64>> = (0..model.vertices()).map(of).collect();
    let request = request!("similarity", "source" = names(model, &[source]), "measure" = measure);
    Trial::new(request, move |answer| {
        for (vertex, (found, expected)) in answer.doubles("similarity").into_iter().zip(&expected).enumerate() {
            match (found, expected) {
                (Some(found), Some(expected)) => assert!((found - expected).abs() <= 1e-12 * expected, "{vertex}"),
                (found, expected) => assert_eq!(found, *expected, "{vertex}"),
            }
        }
    })
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
