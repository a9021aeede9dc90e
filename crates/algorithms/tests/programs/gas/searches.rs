//! Searches, shortest paths and components.

use super::engines::run;
use crate::graphs::{Graph, arcs, graphs, with_ranks};
use crate::interpreter::interpret;
use crate::references::{columns_of, components, search};
use crate::trials::bits;
use outcrop_algorithms::sssp::gas::{Length, Paths, SsspState};
use outcrop_algorithms::weights::RefusedEdge;
use outcrop_algorithms::{IdOrder, UNREACHED, bfs, sssp, wcc};
use outcrop_engine::Directions;
use outcrop_types::Error;

/// No limit, but an end.
const MANY: u32 = 100_000;

fn sources_of(graph: &Graph) -> Vec<u32> {
    [40, 0, 2, 40].into_iter().filter(|source| *source < graph.vertices).collect()
}

#[test]
fn searches_find_what_a_queue_does() {
    for graph in graphs() {
        let sources = sources_of(&graph);
        with_ranks(graph.vertices, |ranks| {
            let expected = search(&graph, &sources);
            let came = interpret(&bfs::gas::Levels::new(&sources), &arcs(&graph, Directions::Out), MANY);
            assert_eq!(came.values, expected);
            let columns = columns_of(&expected, ranks);
            run(&graph, &[0, 1 << 10], &|place| bfs::gas::work(place, true), |engine, way| {
                let found = bfs::gas::bfs(engine, &sources, Some(ranks)).unwrap();
                assert!(bits(&found) == columns, "{way:?}");
                assert!(way.options.delay_bytes > 0 || found.iterations == came.iterations, "{way:?}");
            });
        });
    }
}

#[test]
fn components_are_those_of_merging() {
    for graph in graphs() {
        with_ranks(graph.vertices, |ranks| {
            let expected = components(&graph, ranks);
            let came = interpret(&wcc::gas::Smallest { ranks }, &arcs(&graph, Directions::Both), MANY);
            assert_eq!(came.values, expected);
            let expected: Vec<u64> = expected.into_iter().map(u64::from).collect();
            run(&graph, &[0, 1 << 10], &wcc::gas::work, |engine, way| {
                let found = wcc::gas::wcc(engine, ranks).unwrap();
                assert_eq!(bits(&found)[0], expected, "{way:?}");
                assert!(way.options.delay_bytes > 0 || found.iterations == came.iterations, "{way:?}");
            });
        });
    }
}

/// Graphs with edges without length, and with lengths that are lost in sums.
fn graphs_with_lost_lengths() -> Vec<Graph> {
    let cycle = (0..30).map(|vertex| (vertex, (vertex + 1) % 30, 0.0));
    let lost = [(40, 3, 1.0), (40, 17, 1.0), (9, 41, 1e9), (41, 42, 1e-30), (42, 43, 1e-30), (43, 44, 1e-30)];
    let back = [(50, 40, 0.0), (40, 50, 0.0)];
    let edges: Vec<_> = cycle.chain(lost).chain(back).collect();
    graphs().into_iter().chain([true, false].map(|directed| Graph::new(60, edges.clone(), directed))).collect()
}

/// Distances by relaxing all edges; of the edges that lead exactly on from a smaller distance the smallest rank, and
/// for those that have none, round after round, of those from vertices that have one.
pub fn shortest<F: Length>(graph: &Graph, sources: &[u32], ranks: IdOrder<'_>) -> Vec<(F, u32)> {
    let arcs = arcs(graph, Directions::Out).arcs;
    let mut distances = vec![f64::INFINITY; graph.vertices as usize];
    sources.iter().for_each(|source| distances[*source as usize] = 0.0);
    let beyond = |distance: f64, weight: f64| F::of(distance + weight).get();
    let mut lowered = true;
    while std::mem::take(&mut lowered) {
        for (source, target, weight) in &arcs {
            let offered = beyond(distances[*source as usize], *weight);
            lowered |= offered < distances[*target as usize];
            distances[*target as usize] = distances[*target as usize].min(offered);
        }
    }
    let of = |vertex: u32| distances[vertex as usize];
    let tight: Vec<_> = arcs
        .iter()
        .filter(|(source, target, weight)| of(*target).is_finite() && beyond(of(*source), *weight) == of(*target))
        .collect();
    let mut predecessors = vec![UNREACHED; graph.vertices as usize];
    let offer = |predecessors: &mut Vec<u32>, source: u32, target: u32| {
        predecessors[target as usize] = predecessors[target as usize].min(ranks.of(source));
    };
    for (source, target, _) in tight.iter().filter(|(source, target, _)| of(*source) < of(*target)) {
        offer(&mut predecessors, *source, *target);
    }
    loop {
        let settled: Vec<bool> = (0..graph.vertices)
            .map(|vertex| predecessors[vertex as usize] != UNREACHED || sources.contains(&vertex))
            .collect();
        let before = predecessors.clone();
        for (source, target, _) in &tight {
            if settled[*source as usize] && !settled[*target as usize] {
                offer(&mut predecessors, *source, *target);
            }
        }
        if predecessors == before {
            return distances.into_iter().map(F::of).zip(predecessors).collect();
        }
    }
}

fn compare_paths<F: Length>() {
    for graph in graphs_with_lost_lengths() {
        let sources = sources_of(&graph);
        with_ranks(graph.vertices, |ranks| {
            let expected = shortest::<F>(&graph, &sources, ranks);
            let came = interpret(&Paths::<F>::new(&sources, ranks), &arcs(&graph, Directions::Out), MANY);
            let ends = |packed: &F::Packed| {
                let SsspState { distance, predecessor, .. } = F::unpack(*packed);
                (distance, predecessor)
            };
            assert!(came.values.iter().map(ends).eq(expected.iter().copied()));
            let columns = [
                expected.iter().map(|(distance, _)| bits_of(*distance)).collect::<Vec<_>>(),
                expected.iter().map(|(_, predecessor)| u64::from(*predecessor)).collect(),
            ];
            run(&graph, &[0, 1 << 10], &|place| sssp::gas::work::<F>(place, true), |engine, way| {
                let found = sssp::gas::sssp::<F>(engine, &sources, Some(ranks), |edge| panic!("{edge:?}")).unwrap();
                assert!(bits(&found) == columns, "{way:?}");
                assert!(way.options.delay_bytes > 0 || found.iterations == came.iterations, "{way:?}");
            });
        });
    }
}

/// The bits of a number in its own precision.
pub fn bits_of<F: Length>(number: F) -> u64 {
    if F::BYTES == 4 { u64::from((number.get() as f32).to_bits()) } else { number.get().to_bits() }
}

#[test]
fn paths_are_those_of_relaxing_all_edges() {
    compare_paths::<f64>();
}

#[test]
fn paths_of_single_precision_are_too() {
    compare_paths::<f32>();
}

#[test]
fn vertices_beyond_the_largest_number_are_refused() {
    let edges = vec![(0, 1, f64::MAX), (1, 2, f64::MAX), (2, 3, 1.0), (0, 4, 1.0), (4, 3, 1.0), (1, 3, f64::MAX)];
    let graph = Graph::new(5, edges, true);
    let refuse = |edge: RefusedEdge| Error::Usage(format!("{} {}", edge.source, edge.target));
    run(&graph, &[0, 1 << 10], &|place| sssp::gas::work::<f64>(place, false), |engine, way| {
        let refused = sssp::gas::sssp::<f64>(engine, &[0], None, refuse).unwrap_err();
        assert_eq!(refused.to_string(), "1 2", "{way:?}");
        sssp::gas::sssp::<f64>(engine, &[1], None, refuse).unwrap();
    });
}

#[test]
fn negative_edges_of_reached_vertices_are_refused() {
    let edges = vec![(0, 1, 1.0), (1, 2, 1.0), (1, 3, -1.0), (1, 2, -2.0), (3, 0, -3.0), (5, 0, -1.0)];
    let graph = Graph::new(6, edges, true);
    let refuse = |edge: RefusedEdge| Error::Usage(format!("{} {} {}", edge.source, edge.target, edge.weight));
    run(&graph, &[0, 1 << 10], &|place| sssp::gas::work::<f64>(place, false), |engine, way| {
        let refused = sssp::gas::sssp::<f64>(engine, &[0], None, refuse).unwrap_err();
        assert_eq!(refused.to_string(), "1 2 -2", "{way:?}");
        sssp::gas::sssp::<f64>(engine, &[2], None, refuse).unwrap();
    });
}
