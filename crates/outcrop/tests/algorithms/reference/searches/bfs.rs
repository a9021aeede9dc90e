//! Breadth-first search with a queue; predecessors from the final distances.

use crate::graph::Model;
use crate::reference::{Trial, names, sources};
use crate::setup::request;
use std::collections::VecDeque;

pub fn trials(model: &Model) -> Vec<Trial> {
    sources(model).into_iter().map(|sources| trial(model, &sources)).collect()
}

fn trial(model: &Model, sources: &[usize]) -> Trial {
    let distance = distances(model, sources);
    let predecessor = predecessors(model, &distance);
    Trial::new(request!("bfs", "source" = names(model, sources)), move |answer| {
        assert_eq!(answer.counts("distance"), distance);
        assert_eq!(answer.nodes("predecessor"), predecessor);
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

/// The smallest of the in-neighbours that are one step nearer.
fn predecessors(model: &Model, distance: &[Option<u32>]) -> Vec<Option<usize>> {
    let before = |vertex: usize| {
        let nearer = distance[vertex]?.checked_sub(1)?;
        model.into[vertex].iter().map(|(source, _)| *source).filter(|source| distance[*source] == Some(nearer)).min()
    };
    (0..model.vertices()).map(before).collect()
}
