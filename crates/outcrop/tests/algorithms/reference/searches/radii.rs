//! A search from each sampled source by itself.

use super::bfs;
use crate::graph::Model;
use crate::reference::Trial;
use crate::setup::{request, with_some};
use outcrop_algorithms::sampling::sample;

pub fn trials(model: &Model) -> Vec<Trial> {
    if model.vertices() == 0 {
        return Vec::new();
    }
    vec![trial(model, None, None), trial(model, Some(3), Some(77))]
}

fn trial(model: &Model, count: Option<u32>, seed: Option<u64>) -> Trial {
    let expected = eccentricities(model, &sample(model.vertices() as u32, count.unwrap_or(64), seed.unwrap_or(1)));
    Trial::new(with_some(with_some(request!("radii"), "sources", count), "seed", seed), move |answer| {
        assert_eq!(answer.counts("eccentricity"), expected)
    })
}

fn eccentricities(model: &Model, sources: &[u32]) -> Vec<Option<u32>> {
    let all: Vec<_> = sources.iter().map(|source| bfs::distances(model, &[*source as usize])).collect();
    (0..model.vertices()).map(|vertex| all.iter().filter_map(|distance| distance[vertex]).max()).collect()
}
