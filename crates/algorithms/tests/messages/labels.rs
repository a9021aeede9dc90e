//! Label propagation.

use crate::executor::{How, execute};
use crate::graphs::{Graph, graphs, with_ranks};
use outcrop_algorithms::weights::Refused;
use outcrop_algorithms::{IdOrder, cdlp};
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
    let refused = Refused::new();
    for graph in graphs() {
        let all: Vec<u32> = (0..graph.vertices).collect();
        with_ranks(graph.vertices, |ranks| {
            let begin = || all.iter().map(|vertex| ranks.of(*vertex)).collect();
            for (iterations, how) in
                [1, 2, 5, 30].into_iter().flat_map(|count| How::SYNCHRONOUS.map(|how| (count, how)))
            {
                let requirements = cdlp::messages::work(graph.place(), false).requirements;
                let ended =
                    execute((&graph, &requirements), &cdlp::messages::Commonest { iterations }, begin(), &all, how);
                assert_eq!(ended.values, propagate(&graph, ranks, iterations, false));
                assert!(ended.supersteps <= iterations + 1);
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
    let counted =
        execute((&graph, &light), &cdlp::messages::Commonest { iterations: 1 }, all.to_vec(), &all, How::default());
    assert_eq!(counted.values, [3, 3, 3, 0, 2]);
    let triangle = Graph::new(3, vec![(0, 1, 1.0), (1, 2, 1.0), (2, 0, 1.0)], false);
    let rests = execute(
        (&triangle, &light),
        &cdlp::messages::Commonest { iterations: 99 },
        vec![0, 1, 2],
        &all[..3],
        How::default(),
    );
    assert!(rests.values == [0; 3] && rests.supersteps < 6);
}
