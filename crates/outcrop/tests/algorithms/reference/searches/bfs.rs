//! Breadth-first search with a queue. Predecessors are one step nearer: the smallest where vertices are in original
//! order, else those of the first answer, which all others have to repeat.

use crate::graph::Model;
use crate::reference::{Trial, names, sources};
use crate::setup::{request, with_some};
use std::cell::OnceCell;
use std::collections::VecDeque;

pub fn trials(model: &Model) -> Vec<Trial> {
    let all = |sources: &Vec<usize>| trial(model, sources);
    let sources = sources(model);
    let alone = sources
        .first()
        .into_iter()
        .flat_map(|sources| [None, Some(1), Some(300)].map(|cutoff| distances_alone(model, sources, cutoff)));
    sources.iter().map(all).chain(alone).collect()
}

fn trial(model: &Model, sources: &[usize]) -> Trial {
    let distance = distances(model, sources);
    let nearer = nearer(model, &distance);
    let expected = OnceCell::new();
    if model.original_order {
        let smallest = nearer.iter().map(|nearer| nearer.iter().min().copied()).collect();
        expected.set(smallest).unwrap();
    }
    Trial::new(request!("bfs", "source" = names(model, sources), "columns" = "all"), move |answer| {
        assert_eq!(answer.counts("distance"), distance);
        let found = answer.nodes("predecessor");
        let valid =
            |(nearer, found): (&Vec<usize>, &Option<usize>)| found.map_or(nearer.is_empty(), |it| nearer.contains(&it));
        assert!(nearer.iter().zip(&found).all(valid));
        assert_eq!(expected.get_or_init(|| found.clone()), &found);
    })
}

/// A search for distances up to `cutoff`, which has no other column.
fn distances_alone(model: &Model, sources: &[usize], cutoff: Option<u32>) -> Trial {
    let mut distance = distances(model, sources);
    distance
        .iter_mut()
        .for_each(|distance| *distance = distance.filter(|edges| cutoff.is_none_or(|most| *edges <= most)));
    let request = with_some(request!("bfs", "source" = names(model, sources)), "cutoff", cutoff);
    Trial::new(request, move |answer| {
        assert_eq!(answer.counts("distance"), distance);
    })
}

pub fn distances(model: &Model, sources: &[usize]) -> Vec<Option<u32>> {
    let mut distance = vec![None; model.vertices()];
    let mut queue: VecDeque<(usize, u32)> = sources.iter().map(|source| (*source, 0)).collect();
    while let Some((vertex, steps)) = queue.pop_front() {
        if distance[vertex].is_none() {
            distance[vertex] = Some(steps);
            queue.extend(model.out[vertex].iter().map(|(target, _)| (*target, steps + 1)));
        }
    }
    distance
}

/// The in-neighbors of each vertex that are one step nearer.
fn nearer(model: &Model, distance: &[Option<u32>]) -> Vec<Vec<usize>> {
    let nearer = |vertex: usize| {
        let before = distance[vertex].and_then(|distance| distance.checked_sub(1));
        let sources = model.into[vertex].iter().map(|(source, _)| *source);
        sources.filter(|source| before.is_some() && distance[*source] == before).collect()
    };
    (0..model.vertices()).map(nearer).collect()
}
