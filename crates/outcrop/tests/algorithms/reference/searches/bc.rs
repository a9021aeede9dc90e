//! Brandes' algorithm with lists of predecessors; in small graphs, the definition: over all pairs, the part of the
//! paths that lead through a vertex. By weight, Brandes' algorithm after Dijkstra's.

use super::bfs;
use crate::graph::Model;
use crate::reference::{Trial, names};
use crate::setup::{request, with, with_some};
use outcrop::RunRequest;
use outcrop_algorithms::sampling::sample;
use std::collections::{BTreeMap, BTreeSet};

/// Relative: sums are taken in another order.
const CLOSE: f64 = 1e-9;
/// Graphs of at most so many vertices are taken whole.
const SMALL: usize = 90;

pub fn trials(model: &Model) -> Vec<Trial> {
    let Some(last) = model.vertices().checked_sub(1) else { return Vec::new() };
    let drawn = |count, seed| sample(model.vertices() as u32, count, seed).into_iter().map(|rank| rank as usize);
    let first = model.rank(0);
    let mut trials = vec![
        sampled(model, drawn(3, 5).collect(), true, None),
        sampled(model, drawn(2, 5).collect(), false, None),
        sampled(model, drawn(2, 5).collect(), false, Some(1)),
        sampled(model, drawn(3, 5).collect(), true, Some(2)),
    ];
    let given = names(model, &[first, last, first]);
    let expected =
        scaled(model, &[first, last].into_iter().collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>(), true);
    trials.push(Trial::new(request!("bc", "source" = given), move |answer| assert_close(answer, &expected)));
    if model.vertices() <= SMALL {
        let ways = [(true, None), (false, Some(1)), (false, Some(5)), (true, Some(16))];
        trials.extend(ways.map(|(normalized, batch)| whole(model, normalized, batch)));
    }
    trials.extend(by_weight(model));
    trials
}

/// Of graphs whose weights are above 0: all others are refused.
fn by_weight(model: &Model) -> Vec<Trial> {
    let edges: Vec<BTreeMap<usize, f64>> = model.out.iter().enumerate().map(least).collect();
    if !model.weighted || edges.iter().any(|edges| edges.values().any(|weight| *weight <= 0.0)) {
        return Vec::new();
    }
    let trial = |sources: Vec<usize>, normalized: bool, request: RunRequest<'static>| {
        let mut sums = vec![0.0; edges.len()];
        sources.iter().for_each(|source| by_weight_from(&edges, *source).add_dependencies(&mut sums));
        let expected = match sources.len() < edges.len() {
            true => scale(model, sums, &sources, normalized),
            false => scale_whole(model, sums, normalized),
        };
        let request = with(&with(&request, "weighted", true), "unnormalized", !normalized);
        Trial::new(request, move |answer| assert_close(answer, &expected))
    };
    let drawn = |count, seed| sample(edges.len() as u32, count, seed).into_iter().map(|rank| rank as usize).collect();
    let mut trials = vec![trial(drawn(3, 7), true, request!("bc", "samples" = 3_u32, "seed" = 7_u64))];
    let last = edges.len() - 1;
    trials.push(trial(vec![last], false, request!("bc", "source" = names(model, &[last, last]))));
    if edges.len() <= SMALL {
        trials.extend([true, false].map(|normalized| trial((0..edges.len()).collect(), normalized, request!("bc"))));
    }
    trials
}

/// The targets of a list but for the vertex itself, with the smallest weight of each.
fn least((vertex, list): (usize, &Vec<(usize, f64)>)) -> BTreeMap<usize, f64> {
    let mut least = BTreeMap::new();
    for (target, weight) in list.iter().filter(|(target, _)| *target != vertex) {
        let known: &mut f64 = least.entry(*target).or_insert(*weight);
        *known = weight.min(*known);
    }
    least
}

fn sampled(model: &Model, sources: Vec<usize>, normalized: bool, batch: Option<u32>) -> Trial {
    let (count, expected) = (sources.len() as u32, scaled(model, &sources, normalized));
    let wanted = if normalized { 3 } else { 2 };
    assert!(count == wanted || count as usize == model.vertices());
    let request = request!("bc", "samples" = wanted, "seed" = 5_u64, "unnormalized" = !normalized);
    Trial::new(with_some(request, "batch", batch), move |answer| assert_close(answer, &expected))
}

fn whole(model: &Model, normalized: bool, batch: Option<u32>) -> Trial {
    let expected = scale_whole(model, by_pairs(model), normalized);
    let request = request!("bc", "unnormalized" = !normalized);
    Trial::new(with_some(request, "batch", batch), move |answer| assert_close(answer, &expected))
}

/// Scales sums over all sources.
fn scale_whole(model: &Model, sums: Vec<f64>, normalized: bool) -> Vec<Option<f64>> {
    let pairs = (model.vertices() as f64 - 1.0) * (model.vertices() as f64 - 2.0);
    let factor = match (normalized, model.undirected) {
        (true, _) => {
            if pairs > 0.0 {
                1.0 / pairs
            } else {
                0.0
            }
        }
        (false, true) => 0.5,
        (false, false) => 1.0,
    };
    sums.into_iter().map(|sum| Some(sum * factor)).collect()
}

/// Expected values from a sample.
fn scaled(model: &Model, sources: &[usize], normalized: bool) -> Vec<Option<f64>> {
    let targets: Vec<BTreeSet<usize>> = simple(&model.out);
    let mut sums = vec![0.0; model.vertices()];
    sources.iter().for_each(|source| by_edges_from(&targets, *source).add_dependencies(&mut sums));
    scale(model, sums, sources, normalized)
}

/// Scales sums over a sample: sources are scaled as if there were one source less.
fn scale(model: &Model, sums: Vec<f64>, sources: &[usize], normalized: bool) -> Vec<Option<f64>> {
    let others = model.vertices() as f64 - 1.0;
    if others < 2.0 {
        return sums.into_iter().map(Some).collect();
    }
    let full = if normalized {
        1.0 / (others - 1.0)
    } else if model.undirected {
        others / 2.0
    } else {
        others
    };
    let of = |(vertex, sum): (usize, f64)| {
        let count = if sources.contains(&vertex) { sources.len() - 1 } else { sources.len() };
        (count > 0).then(|| sum * full / count as f64)
    };
    sums.into_iter().enumerate().map(of).collect()
}

fn simple(lists: &[Vec<(usize, f64)>]) -> Vec<BTreeSet<usize>> {
    lists.iter().map(|list| list.iter().map(|(other, _)| *other).collect()).collect()
}

/// A search from a source.
struct Search {
    /// The vertices that were reached, nearest first.
    order: Vec<usize>,
    /// The vertices before each on shortest paths.
    before: Vec<Vec<usize>>,
    /// The number of shortest paths to each.
    paths: Vec<f64>,
}

impl Search {
    fn add_dependencies(&self, sums: &mut [f64]) {
        let mut dependency = vec![0.0; sums.len()];
        for vertex in self.order.iter().copied().skip(1).rev() {
            for nearer in &self.before[vertex] {
                dependency[*nearer] += self.paths[*nearer] / self.paths[vertex] * (1.0 + dependency[vertex]);
            }
            sums[vertex] += dependency[vertex];
        }
    }
}

fn by_edges_from(targets: &[BTreeSet<usize>], source: usize) -> Search {
    let (mut distance, mut paths) = (vec![usize::MAX; targets.len()], vec![0.0; targets.len()]);
    let (mut order, mut before) = (vec![source], vec![Vec::new(); targets.len()]);
    (distance[source], paths[source]) = (0, 1.0);
    let mut next = 0;
    while let Some(vertex) = order.get(next).copied() {
        next += 1;
        for target in &targets[vertex] {
            if distance[*target] == usize::MAX {
                distance[*target] = distance[vertex] + 1;
                order.push(*target);
            }
            if distance[*target] == distance[vertex] + 1 {
                paths[*target] += paths[vertex];
                before[*target].push(vertex);
            }
        }
    }
    Search { order, before, paths }
}

/// Dijkstra's algorithm; the order of the bits of a float that is not negative is its own.
fn by_weight_from(edges: &[BTreeMap<usize, f64>], source: usize) -> Search {
    let (mut distance, mut paths) = (vec![f64::INFINITY; edges.len()], vec![0.0; edges.len()]);
    let (mut order, mut before) = (Vec::new(), vec![Vec::new(); edges.len()]);
    (distance[source], paths[source]) = (0.0, 1.0);
    let mut open = BTreeSet::from([(0, source)]);
    while let Some((bits, vertex)) = open.pop_first() {
        if f64::from_bits(bits) > distance[vertex] {
            continue;
        }
        order.push(vertex);
        for (target, weight) in &edges[vertex] {
            let sum = distance[vertex] + weight;
            assert!(sum > distance[vertex], "a weight is lost");
            if sum < distance[*target] {
                distance[*target] = sum;
                open.insert((sum.to_bits(), *target));
                (paths[*target], before[*target]) = (0.0, Vec::new());
            }
            if sum == distance[*target] {
                paths[*target] += paths[vertex];
                before[*target].push(vertex);
            }
        }
    }
    Search { order, before, paths }
}

/// For each vertex, over all pairs of others, the part of their shortest paths that lead through it.
fn by_pairs(model: &Model) -> Vec<f64> {
    let count = model.vertices();
    let targets = simple(&model.out);
    let distance: Vec<_> = (0..count).map(|source| bfs::distances(model, &[source])).collect();
    let paths: Vec<Vec<f64>> = (0..count).map(|source| paths_from(&targets, &distance[source], source)).collect();
    let mut sums = vec![0.0; count];
    for (source, target) in (0..count).flat_map(|source| (0..count).map(move |target| (source, target))) {
        let Some(whole) = distance[source][target].filter(|_| source != target) else { continue };
        for through in (0..count).filter(|through| *through != source && *through != target) {
            if let (Some(to), Some(on)) = (distance[source][through], distance[through][target])
                && to + on == whole
            {
                sums[through] += paths[source][through] * paths[through][target] / paths[source][target];
            }
        }
    }
    sums
}

fn paths_from(targets: &[BTreeSet<usize>], distance: &[Option<u32>], source: usize) -> Vec<f64> {
    let mut reached: Vec<usize> = (0..targets.len()).filter(|vertex| distance[*vertex].is_some()).collect();
    reached.sort_by_key(|vertex| distance[*vertex]);
    let mut paths = vec![0.0; targets.len()];
    paths[source] = 1.0;
    for vertex in reached {
        for target in targets[vertex].iter().filter(|target| distance[**target] == distance[vertex].map(|d| d + 1)) {
            paths[*target] += paths[vertex];
        }
    }
    paths
}

fn assert_close(answer: &crate::answer::Answer, expected: &[Option<f64>]) {
    let shown = answer.doubles("betweenness_centrality");
    assert_eq!(shown.len(), expected.len());
    for (rank, (shown, expected)) in shown.iter().zip(expected).enumerate() {
        let close = match (shown, expected) {
            (Some(shown), Some(expected)) => (shown - expected).abs() <= CLOSE * expected.abs(),
            (shown, expected) => shown == expected,
        };
        assert!(close, "rank {rank}: {shown:?}, expected {expected:?}");
    }
}
