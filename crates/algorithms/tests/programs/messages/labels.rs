//! Label propagation.

use super::executor::{How, execute};
use crate::graphs::{Graph, graphs, with_ranks};
use outcrop_algorithms::weights::Refused;
use outcrop_algorithms::{IdOrder, cdlp};
use outcrop_types::SplitMix64;
use std::collections::BTreeMap;

/// Labels after so many iterations, by LDBC's definition, counting or weighing.
pub fn propagate(graph: &Graph, ranks: IdOrder<'_>, iterations: u32, by_weights: bool) -> Vec<u32> {
    let mut labels: Vec<u32> = (0..graph.vertices).map(|vertex| ranks.of(vertex)).collect();
    for _ in 0..iterations {
        let label = |vertex: u32| {
            let mut weights: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
            for (other, weight) in graph.others(vertex) {
                let counted = if by_weights { weight } else { 1.0 };
                weights.entry(labels[other as usize]).or_default().push(counted);
            }
            weights.values_mut().for_each(|weights| weights.sort_by(f64::total_cmp));
            let sums = weights.iter().map(|(label, weights)| (*label, weights.iter().sum::<f64>()));
            let best = sums.reduce(|best, next| if next.1 > best.1 { next } else { best });
            best.map_or(labels[vertex as usize], |(label, _)| label)
        };
        labels = (0..graph.vertices).map(label).collect();
    }
    labels
}

#[test]
fn labels_are_those_of_the_definition() {
    let (refused, mut only_changes) = (Refused::new(), 0);
    for graph in graphs() {
        let all: Vec<u32> = (0..graph.vertices).collect();
        with_ranks(graph.vertices, |ranks| {
            let begin = || all.iter().map(|vertex| ranks.of(*vertex)).collect();
            for (iterations, how) in
                [1, 2, 5, 30].into_iter().flat_map(|count| How::SYNCHRONOUS.map(|how| (count, how)))
            {
                let requirements = cdlp::messages::work(graph.place(), false).requirements;
                let program = cdlp::messages::Commonest::new(ranks, iterations);
                let ended = execute((&graph, &requirements), &program, begin(), &all, how);
                assert!(ended.supersteps <= iterations);
                only_changes += u32::from(program.has_sent_changes());
                assert_eq!(ended.values, propagate(&graph, ranks, iterations, false));
                let requirements = cdlp::messages::work(graph.place(), true).requirements;
                let ended = execute(
                    (&graph, &requirements),
                    &cdlp::messages::Heaviest { iterations, refused: &refused },
                    begin(),
                    &all,
                    how,
                );
                assert_eq!(ended.values, propagate(&graph, ranks, iterations, true));
            }
        });
    }
    assert!(only_changes > 0);
}

#[test]
fn changes_count_repeated_and_opposite_edges_and_ignore_loops() {
    let mut only_changes = 0;
    for seed in 0..200 {
        let draw = SplitMix64::new(seed, 0);
        let vertices = draw.up_to(0, 38) + 2;
        let end = |position: u32| draw.up_to(position.into(), vertices - 1);
        let edges = (0..draw.up_to(1, 150)).map(|edge| (end(2 * edge + 2), end(2 * edge + 3), 1.0)).collect();
        let graph = Graph::new(vertices, edges, seed % 2 == 0);
        let all: Vec<u32> = (0..vertices).collect();
        with_ranks(vertices, |ranks| {
            let program = cdlp::messages::Commonest::new(ranks, 12);
            let requirements = cdlp::messages::work(graph.place(), false).requirements;
            let labels = all.iter().map(|vertex| ranks.of(*vertex)).collect();
            let ended = execute((&graph, &requirements), &program, labels, &all, How::default());
            only_changes += u32::from(program.has_sent_changes());
            assert_eq!(ended.values, propagate(&graph, ranks, 12, false), "seed {seed}");
        });
    }
    assert!(only_changes > 50, "{only_changes} of 400");
}

#[test]
fn weights_change_labels_and_labels_that_rest_end_the_run() {
    let edges = vec![(0, 3, 1.0), (1, 3, 1.0), (2, 3, 5.0), (2, 4, 5.0), (3, 4, 5.0)];
    let graph = Graph::new(5, edges, false);
    let (all, refused) = ([0, 1, 2, 3, 4], Refused::new());
    let heavy = cdlp::messages::work(graph.place(), true).requirements;
    let weighed = execute(
        (&graph, &heavy),
        &cdlp::messages::Heaviest { iterations: 1, refused: &refused },
        all.to_vec(),
        &all,
        How::default(),
    );
    assert_eq!(weighed.values, [3, 3, 3, 2, 2]);
    let light = cdlp::messages::work(graph.place(), false).requirements;
    let program = cdlp::messages::Commonest::new(IdOrder(None), 1);
    let counted = execute((&graph, &light), &program, all.to_vec(), &all, How::default());
    assert_eq!(counted.values, [3, 3, 3, 0, 2]);
    let triangle = Graph::new(3, vec![(0, 1, 1.0), (1, 2, 1.0), (2, 0, 1.0)], false);
    let rests = execute(
        (&triangle, &light),
        &cdlp::messages::Commonest::new(IdOrder(None), 99),
        vec![0, 1, 2],
        &all[..3],
        How::default(),
    );
    assert!(rests.values == [0; 3] && rests.supersteps < 6);
}
