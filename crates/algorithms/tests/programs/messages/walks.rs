//! Random walks.

use super::executor::{How, execute};
use crate::graphs::{Graph, graphs, with_ranks};
use outcrop_algorithms::IdOrder;
use outcrop_algorithms::walks::{self, Carried, Choice, FirstOrder, Program, SecondOrder, WalkStarts};
use outcrop_algorithms::weights::Refused;
use std::collections::BTreeMap;

const PLAIN: Choice = Choice { seed: 1, restart: 0.0, p: 1.0, q: 1.0 };

/// The ranks of the vertices of each walk, by step.
pub fn walk(
    graph: &Graph,
    starts: &WalkStarts,
    ranks: IdOrder<'_>,
    length: u32,
    choice: Choice,
    how: How,
) -> Vec<Vec<u32>> {
    match choice.is_of_second_order() {
        false => walk_in::<FirstOrder>(graph, starts, ranks, length, choice, how),
        true => walk_in::<SecondOrder>(graph, starts, ranks, length, choice, how),
    }
}

fn walk_in<C: Carried>(
    graph: &Graph,
    starts: &WalkStarts,
    ranks: IdOrder<'_>,
    length: u32,
    choice: Choice,
    how: How,
) -> Vec<Vec<u32>> {
    let requirements = walks::work(graph.place(), starts, &choice).requirements;
    let active: Vec<u32> = match starts {
        WalkStarts::Every(every) => {
            (0..graph.vertices).filter(|vertex| ranks.of(*vertex).is_multiple_of(*every)).collect()
        }
        WalkStarts::At(starts) => starts.iter().map(|(vertex, _)| *vertex).collect(),
    };
    let refused = Refused::new();
    let program = Program::<C>::new(starts, ranks, length, choice, &refused);
    let mut ended = execute((graph, &requirements), &program, vec![(); graph.vertices as usize], &active, how);
    assert!(refused.is_empty());
    assert!(length > 0 || ended.computed.iter().all(|times| *times == 0));
    ended.records.sort_unstable();
    let mut walks = vec![Vec::new(); requirements.records.0 as usize];
    for (walk, [step, rank]) in ended.records {
        assert_eq!(walks[walk as usize].len(), step as usize);
        walks[walk as usize].push(rank);
    }
    walks
}

/// The edges that are followed, by rank.
fn followed(graph: &Graph, ranks: IdOrder<'_>) -> BTreeMap<u32, Vec<(u32, f64)>> {
    let of = |vertex: u32| {
        let edges = graph.out(vertex).filter(|(_, weight)| *weight > 0.0);
        (ranks.of(vertex), edges.map(|(target, weight)| (ranks.of(target), weight)).collect())
    };
    (0..graph.vertices).map(of).collect()
}

#[test]
fn every_step_is_an_edge_or_leads_back_to_the_start() {
    let choices = [
        (0, PLAIN),
        (7, PLAIN),
        (6, Choice { restart: 0.3, ..PLAIN }),
        (6, Choice { p: 0.25, q: 4.0, ..PLAIN }),
        (6, Choice { p: 4.0, q: 0.5, restart: 0.2, seed: 3 }),
    ];
    for (graph, (length, choice)) in graphs().iter().flat_map(|graph| choices.map(|choice| (graph, choice))) {
        with_ranks(graph.vertices, |ranks| {
            let edges = followed(graph, ranks);
            let starts = WalkStarts::Every(3);
            let [walks, same @ ..] = How::ALL.map(|how| walk(graph, &starts, ranks, length, choice, how));
            assert!(same.into_iter().all(|other| other == walks));
            assert_eq!(walks.len() as u32, graph.vertices.div_ceil(3));
            for (number, walk) in (0..).zip(&walks) {
                assert_eq!(walk[0], 3 * number);
                for step in walk.windows(2) {
                    let is_edge = edges[&step[0]].iter().any(|(target, _)| *target == step[1]);
                    assert!(is_edge || choice.restart > 0.0 && step[1] == walk[0]);
                }
                let ended = edges[walk.last().unwrap()].is_empty() && choice.restart == 0.0;
                assert!(walk.len() as u32 == length + 1 || ended);
            }
        });
    }
}

#[test]
fn walks_from_given_vertices_are_numbered_as_they_are_given() {
    let graph = &graphs()[1];
    let found = walk(graph, &WalkStarts::at(&[9, 2, 9, 40]), IdOrder(None), 4, PLAIN, How::default());
    assert_eq!(found.iter().map(|walk| walk[0]).collect::<Vec<_>>(), [9, 2, 9, 40]);
    assert_ne!(found[0], found[2]);
    assert_eq!(found, walk(graph, &WalkStarts::at(&[9, 2, 9, 40]), IdOrder(None), 4, PLAIN, How::ALL[3]));
    let other = Choice { seed: 2, ..PLAIN };
    assert_ne!(found, walk(graph, &WalkStarts::at(&[9, 2, 9, 40]), IdOrder(None), 4, other, How::default()));
}

/// Makes sure that `seen` is what is expected with these probabilities: Pearson's statistic is as large with a
/// probability below 1e-5 (Laurent and Massart, Annals of Statistics 2000, lemma 1).
fn assert_distributed(seen: &BTreeMap<u32, u32>, probabilities: &BTreeMap<u32, f64>) {
    let total: u32 = seen.values().sum();
    let statistic: f64 = probabilities
        .iter()
        .map(|(vertex, probability)| {
            let expected = probability * f64::from(total);
            (f64::from(seen.get(vertex).copied().unwrap_or(0)) - expected).powi(2) / expected
        })
        .sum();
    let freedom = (probabilities.len() - 1) as f64;
    assert!(seen.keys().all(|vertex| probabilities.contains_key(vertex)), "{seen:?}, {probabilities:?}");
    let rare = 1e5_f64.ln();
    assert!(
        statistic <= freedom + 2.0 * (freedom * rare).sqrt() + 2.0 * rare,
        "{statistic}: {seen:?}, {probabilities:?}"
    );
}

/// Probabilities in proportion to weights, of which several may be of one vertex.
fn proportions(weights: impl Iterator<Item = (u32, f64)>) -> BTreeMap<u32, f64> {
    let mut sums = BTreeMap::new();
    weights.for_each(|(vertex, weight)| *sums.entry(vertex).or_insert(0.0) += weight);
    let total: f64 = sums.values().sum();
    sums.values_mut().for_each(|weight| *weight /= total);
    sums
}

/// A few vertices with edges both ways, one way, repeated, without weight, and a loop.
fn tangle(directed: bool) -> Graph {
    let edges = [
        (0, 1, 1.0),
        (0, 2, 2.0),
        (0, 3, 0.5),
        (0, 3, 1.0),
        (0, 4, 0.0),
        (1, 0, 1.0),
        (1, 2, 3.0),
        (1, 4, 1.0),
        (2, 0, 1.0),
        (2, 2, 0.7),
        (2, 3, 1.0),
        (3, 1, 2.0),
        (3, 4, 1.0),
        (3, 0, 0.3),
        (4, 0, 1.0),
        (4, 3, 0.0),
        (4, 5, 0.9),
        (5, 1, 1.0),
        (5, 4, 0.4),
    ];
    Graph::new(6, edges.to_vec(), directed)
}

#[test]
fn steps_of_first_order_are_by_weight() {
    for graph in [tangle(true), tangle(false)] {
        let edges = followed(&graph, IdOrder(None));
        let mut seen: BTreeMap<u32, BTreeMap<u32, u32>> = BTreeMap::new();
        for walk in walk(&graph, &WalkStarts::at(&[0; 4000]), IdOrder(None), 8, PLAIN, How::default()) {
            walk.windows(2).for_each(|step| *seen.entry(step[0]).or_default().entry(step[1]).or_default() += 1);
        }
        assert_eq!(seen.len(), 6);
        for (vertex, seen) in seen {
            assert_distributed(&seen, &proportions(edges[&vertex].iter().copied()));
        }
    }
}

#[test]
fn steps_without_weights_are_all_alike() {
    let (graph, starts) = (tangle(true), WalkStarts::at(&[0; 20_000]));
    let refused = Refused::new();
    let program = Program::<FirstOrder>::new(&starts, IdOrder(None), 1, PLAIN, &refused);
    let requirements = outcrop_messages::MessageRequirements {
        weighted: false,
        ..walks::work(graph.place(), &starts, &PLAIN).requirements
    };
    let ended = execute((&graph, &requirements), &program, vec![(); 6], &[0], How::default());
    let mut seen = BTreeMap::new();
    let steps = ended.records.iter().filter(|(_, [step, _])| *step == 1);
    steps.for_each(|(_, [_, rank])| *seen.entry(*rank).or_insert(0) += 1);
    assert_distributed(&seen, &proportions([(1, 1.0), (2, 1.0), (3, 2.0), (4, 1.0)].into_iter()));
}

#[test]
fn steps_of_second_order_are_those_of_node2vec() {
    let choices = [(0.25, 4.0), (4.0, 0.25), (1.0, 2.0), (2.0, 1.0), (0.5, 0.5), (3.0, 3.0)];
    for (graph, (p, q)) in [tangle(true), tangle(false)].iter().flat_map(|graph| choices.map(|choice| (graph, choice)))
    {
        let edges = followed(graph, IdOrder(None));
        let has_edge = |from: u32, to: u32| graph.out(from).any(|(target, _)| target == to);
        let mut seen: BTreeMap<(u32, u32), BTreeMap<u32, u32>> = BTreeMap::new();
        let choice = Choice { p, q, ..PLAIN };
        for walk in walk(graph, &WalkStarts::at(&[0; 6000]), IdOrder(None), 8, choice, How::default()) {
            let steps = walk.windows(3).map(|step| ((step[0], step[1]), step[2]));
            steps.for_each(|(edge, to)| *seen.entry(edge).or_default().entry(to).or_default() += 1);
        }
        let often = seen.iter().filter(|(_, seen)| seen.values().sum::<u32>() >= 200);
        let mut checked = 0;
        for ((before, vertex), seen) in often {
            let bias = |to: u32| match (to == *before, has_edge(to, *before)) {
                (true, _) => 1.0 / p,
                (false, true) => 1.0,
                (false, false) => 1.0 / q,
            };
            assert_distributed(seen, &proportions(edges[vertex].iter().map(|(to, weight)| (*to, weight * bias(*to)))));
            checked += 1;
        }
        assert!(checked >= 8, "{checked}");
    }
}

#[test]
fn walks_go_back_to_their_start_as_often_as_asked_and_where_nothing_leads_on() {
    let edges = (1..8).map(|vertex| (vertex, vertex + 1, 1.0)).chain([(0, 1, 1.0)]).collect();
    let graph = Graph::new(9, edges, true);
    let mut seen = BTreeMap::new();
    let choice = Choice { restart: 0.25, ..PLAIN };
    for walk in walk(&graph, &WalkStarts::at(&[1; 3000]), IdOrder(None), 20, choice, How::default()) {
        assert_eq!(walk.len(), 21);
        for step in walk.windows(2) {
            assert!(step[0] != 8 || step[1] == 1);
            if step[0] != 8 {
                *seen.entry(u32::from(step[1] == 1)).or_insert(0) += 1;
            }
        }
    }
    assert_distributed(&seen, &BTreeMap::from([(0, 0.75), (1, 0.25)]));
    let always =
        walk(&graph, &WalkStarts::at(&[3]), IdOrder(None), 3, Choice { restart: 1.0, ..PLAIN }, How::default());
    assert_eq!(always, [[3; 4]]);
    let ends = walk(&graph, &WalkStarts::at(&[7, 8]), IdOrder(None), 3, PLAIN, How::default());
    assert_eq!(ends, [vec![7, 8], vec![8]]);
}

#[test]
fn candidates_that_are_always_refused_come_to_an_end() {
    let pair = Graph::new(2, vec![(0, 1, 1.0)], false);
    let back = Choice { p: 1e30, ..PLAIN };
    assert_eq!(walk(&pair, &WalkStarts::at(&[0]), IdOrder(None), 3, back, How::default()), [[0, 1, 0, 1]]);
    let circle = Graph::new(3, vec![(0, 1, 1.0), (1, 2, 1.0), (2, 0, 1.0)], true);
    let out = Choice { q: 1e30, ..PLAIN };
    assert_eq!(walk(&circle, &WalkStarts::at(&[0]), IdOrder(None), 4, out, How::default()), [[0, 1, 2, 0, 1]]);
}
