//! Paths whose edges exist, and whose length is the distance that a search from the source finds. Of several such
//! paths, all answers have to repeat the first. Several paths are as long as those of Yen's algorithm with Dijkstra's.

use super::{bfs, sssp};
use crate::graph::Model;
use crate::reference::{Trial, names};
use crate::setup::{request, with};
use outcrop::Precision;
use std::cell::OnceCell;
use std::collections::{BTreeSet, HashSet};

pub fn trials(model: &Model) -> Vec<Trial> {
    let Some(last) = model.vertices().checked_sub(1) else { return Vec::new() };
    let (first, middle) = (model.rank(0), last / 2);
    let ends = [(first, last), (last, first), (first, middle), (middle, first), (middle, middle)];
    let weighted = if model.weighted { &[false, true][..] } else { &[false] };
    ends.iter().flat_map(|ends| weighted.iter().map(|weighted| trial(model, *ends, *weighted))).collect()
}

fn trial(model: &Model, (source, target): (usize, usize), weighted: bool) -> Trial {
    let distance = match weighted {
        true => sssp::distances(model, &[source], Precision::Double)[target],
        false => bfs::distances(model, &[source])[target].map(f64::from),
    };
    let [source_name, target_name] = [source, target].map(|end| names(model, &[end]));
    let request = request!("path", "source" = source_name, "target" = target_name);
    let request = if weighted { with(&request, "weighted", true) } else { request };
    let (out, repeated) = (model.out.clone(), OnceCell::new());
    Trial::new(request, move |answer| {
        assert_eq!(answer.values["distance"].as_f64(), distance);
        let path: Vec<usize> = answer.nodes("node").into_iter().map(Option::unwrap).collect();
        assert_eq!((path.first(), path.last()), (distance.map(|_| &source), distance.map(|_| &target)));
        assert!(answer.counts("step").into_iter().eq((0..path.len() as u32).map(Some)));
        let lightest = |edge: &[usize]| {
            let weights = out[edge[0]].iter().filter(|(other, _)| *other == edge[1]).map(|(_, weight)| *weight);
            if weighted { weights.reduce(f64::min).unwrap() } else { weights.map(|_| 1.0).next().unwrap() }
        };
        let length = path.windows(2).map(lightest).sum::<f64>();
        assert_eq!(length, distance.unwrap_or(0.0));
        assert_eq!(repeated.get_or_init(|| path.clone()), &path);
    })
}

/// Number of paths that are asked for.
const SEVERAL: usize = 5;

pub fn several_trials(model: &Model) -> Vec<Trial> {
    let Some(last) = model.vertices().checked_sub(1) else { return Vec::new() };
    let ends = [(model.rank(0), last), (last / 2, model.rank(0)), (last, last)];
    let weighted = if model.weighted { &[false, true][..] } else { &[false] };
    ends.iter().flat_map(|ends| weighted.iter().map(|weighted| several_trial(model, *ends, *weighted))).collect()
}

fn several_trial(model: &Model, (source, target): (usize, usize), weighted: bool) -> Trial {
    let expected = move |model: &Model| {
        let mut lists = model.out.clone();
        if !weighted {
            lists.iter_mut().flatten().for_each(|(_, weight)| *weight = 1.0);
        }
        let lengths = lengths(&lists, source, target);
        (lists, lengths)
    };
    let [source_name, target_name] = [source, target].map(|end| names(model, &[end]));
    let request = request!("k-shortest-paths", "source" = source_name, "target" = target_name);
    let request = with(&request, "k", SEVERAL as u64);
    let request = if weighted { with(&request, "weighted", true) } else { request };
    let repeated = OnceCell::new();
    Trial::lazy(model, request, expected, move |answer, (lists, expected)| {
        let cells = (answer.counts("path"), answer.counts("step"), answer.doubles("distance"), answer.nodes("node"));
        let mut paths: Vec<Vec<usize>> = Vec::new();
        let mut found = Vec::new();
        for (place, node) in cells.3.iter().map(|node| node.unwrap()).enumerate() {
            let (number, step, distance) = (cells.0[place].unwrap(), cells.1[place].unwrap(), cells.2[place].unwrap());
            if step == 0 {
                assert_eq!((distance, node), (0.0, source));
                paths.push(Vec::new());
                found.push(0.0);
            } else {
                let before = *paths.last().unwrap().last().unwrap();
                let edges = lists[before].iter().filter(|(other, _)| *other == node).map(|(_, weight)| *weight);
                *found.last_mut().unwrap() += edges.reduce(f64::min).unwrap();
                assert_eq!(found.last(), Some(&distance));
            }
            assert_eq!((number as usize + 1, step as usize), (paths.len(), paths.last().unwrap().len()));
            paths.last_mut().unwrap().push(node);
        }
        assert!(paths.iter().all(|path| path.last() == Some(&target)));
        assert!(paths.iter().all(|path| path.iter().collect::<HashSet<_>>().len() == path.len()), "{paths:?}");
        assert_eq!(paths.iter().collect::<HashSet<_>>().len(), paths.len());
        assert_eq!(found.len(), expected.len());
        assert!(found.iter().zip(expected).all(|(one, other)| (one - other).abs() <= 1e-9), "{found:?}, {expected:?}");
        assert_eq!(answer.values["paths"].as_u64(), Some(paths.len() as u64));
        assert_eq!(answer.values["distance"].as_f64(), found.first().copied());
        assert_eq!(repeated.get_or_init(|| paths.clone()), &paths);
    })
}

/// The lengths of the shortest paths, ascending.
fn lengths(lists: &[Vec<(usize, f64)>], source: usize, target: usize) -> Vec<f64> {
    let mut found: Vec<(f64, Vec<usize>)> =
        dijkstra(lists, (0.0, &[source]), target, &HashSet::new()).into_iter().collect();
    let mut candidates: Vec<(f64, Vec<usize>)> = Vec::new();
    while let Some((_, path)) = found.last().filter(|_| found.len() < SEVERAL).cloned() {
        for last in 0..path.len() - 1 {
            let root = &path[..=last];
            let length: f64 = root.windows(2).map(|edge| lightest(lists, edge[0], edge[1])).sum();
            let like = found.iter().filter(|(_, other)| other.starts_with(root));
            let taken: HashSet<usize> = like.filter_map(|(_, other)| other.get(last + 1).copied()).collect();
            candidates.extend(dijkstra(lists, (length, root), target, &taken));
        }
        candidates.retain(|(_, path)| found.iter().all(|(_, other)| other != path));
        let Some(best) = candidates.iter().min_by(|one, other| one.0.total_cmp(&other.0)).cloned() else { break };
        found.push(best);
    }
    found.into_iter().map(|(length, _)| length).collect()
}

fn lightest(lists: &[Vec<(usize, f64)>], from: usize, to: usize) -> f64 {
    let weights = lists[from].iter().filter(|(other, _)| *other == to).map(|(_, weight)| *weight);
    weights.reduce(f64::min).unwrap()
}

/// The shortest path that goes on from `root`, whose length is given, and not to a vertex of `taken` at once.
fn dijkstra(
    lists: &[Vec<(usize, f64)>],
    (length, root): (f64, &[usize]),
    target: usize,
    taken: &HashSet<usize>,
) -> Option<(f64, Vec<usize>)> {
    let start = *root.last().unwrap();
    let bits = |length: f64| length.to_bits();
    let mut distances = vec![(f64::INFINITY, start); lists.len()];
    distances[start].0 = length;
    // Weights are not negative, so their bits are ordered as they are.
    let mut queue = BTreeSet::from([(bits(length), start)]);
    while let Some((distance, vertex)) = queue.pop_first() {
        let distance = f64::from_bits(distance);
        for (other, weight) in &lists[vertex] {
            let avoided = root.contains(other) || vertex == start && taken.contains(other);
            if !avoided && distance + weight < distances[*other].0 {
                queue.remove(&(bits(distances[*other].0), *other));
                distances[*other] = (distance + weight, vertex);
                queue.insert((bits(distance + weight), *other));
            }
        }
    }
    distances[target].0.is_finite().then(|| {
        let before = |vertex: &usize| (*vertex != start).then(|| distances[*vertex].1);
        let mut rest: Vec<usize> = std::iter::successors(Some(target), before).collect();
        rest.reverse();
        (distances[target].0, [&root[..root.len() - 1], &rest].concat())
    })
}
