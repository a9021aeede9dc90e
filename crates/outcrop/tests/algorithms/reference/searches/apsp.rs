//! A search from each source by itself.

use super::bfs;
use crate::graph::Model;
use crate::reference::{Trial, names};
use crate::setup::{request, with_some};
use outcrop_algorithms::sampling::sample;

pub fn trials(model: &Model) -> Vec<Trial> {
    let Some(last) = model.vertices().checked_sub(1) else { return Vec::new() };
    let drawn = |count, seed| sample(model.vertices() as u32, count, seed).into_iter().map(|rank| rank as usize);
    let (given, first) = (model.rank(0), drawn(3, 9).collect::<Vec<_>>());
    let once = if given == last { vec![given] } else { vec![last, given] };
    let sampled = |count: u32, seed: u64| drawn(count, seed).collect::<Vec<_>>();
    vec![
        trial(model, &sampled(128, 1), (None, None), &[]),
        trial(model, &first, (Some(3), Some(9)), &[]),
        trial(model, &sampled(70, 2), (Some(70), Some(2)), &[]),
        trial(model, &once, (None, None), &[last, given, last]),
    ]
}

fn trial(model: &Model, sources: &[usize], (count, seed): (Option<u32>, Option<u64>), given: &[usize]) -> Trial {
    let columns: Vec<_> = names(model, sources).iter().map(|name| format!("distance_{name}")).collect();
    let expected: Vec<_> = sources.iter().map(|source| bfs::distances(model, &[*source])).collect();
    Trial::new(
        with_some(with_some(request!("apsp", "source" = names(model, given)), "samples", count), "seed", seed),
        move |answer| {
            assert_eq!(answer.names(), columns);
            for (name, expected) in columns.iter().zip(&expected) {
                assert_eq!(answer.counts(name), *expected, "{name}");
            }
        },
    )
}
