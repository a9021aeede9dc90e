//! Programs while whose runs edges come: in the end the answer is that of the graph with all of them.

use super::engines::run_with_arrivals;
use super::searches::{bits_of, shortest};
use crate::graphs::{Graph, graphs};
use crate::references::{columns_of, components, iterate, search};
use crate::trials::{bits, reals};
use outcrop_algorithms::pagerank::gas_delta;
use outcrop_algorithms::pagerank::{PageRankParams, Stop};
use outcrop_algorithms::{IdOrder, bfs, sssp, wcc};
use outcrop_engine::Directions;
use outcrop_gas::ArrivingArc;

/// A graph without every fifth of its edges, and these, spread over twenty iterations.
fn split(graph: &Graph, along: Directions) -> (Graph, Vec<ArrivingArc>) {
    let (mut first, mut arrivals) = (Vec::new(), Vec::new());
    for (number, edge) in (0..).zip(graph.edges.iter().copied()) {
        let (source, target, weight) = edge;
        if number % 5 != 2 {
            first.push(edge);
            continue;
        }
        let arrival = ArrivingArc { after: number * 7 % 20, source, target, weight };
        arrivals.push(arrival);
        if along == Directions::Both || !graph.directed && source != target {
            arrivals.push(ArrivingArc { source: target, target: source, ..arrival });
        }
    }
    (Graph::new(graph.vertices, first, graph.directed), arrivals)
}

/// Those of the graphs that are neither tiny nor slow.
fn graphs_with_edges() -> impl Iterator<Item = Graph> {
    graphs().into_iter().filter(|graph| graph.edges.len() > 90)
}

#[test]
fn searches_and_paths() {
    let (sources, ranks) = ([0, 2, 40], IdOrder(None));
    for graph in graphs_with_edges() {
        let (first, arrivals) = split(&graph, Directions::Out);
        let levels = columns_of(&search(&graph, &sources), ranks);
        run_with_arrivals((&first, &arrivals), &[0, 600], &|place| bfs::gas::work(place, true), |engine, way| {
            assert!(bits(&bfs::gas::bfs(engine, &sources, Some(ranks)).unwrap()) == levels, "{way:?}");
        });
        let (distances, predecessors): (Vec<_>, Vec<_>) = shortest::<f64>(&graph, &sources, ranks).into_iter().unzip();
        let expected =
            [distances.into_iter().map(bits_of).collect::<Vec<_>>(), predecessors.into_iter().map(u64::from).collect()];
        run_with_arrivals(
            (&first, &arrivals),
            &[0, 600],
            &|place| sssp::gas::work::<f64>(place, true),
            |engine, way| {
                let found = sssp::gas::sssp::<f64>(engine, &sources, Some(ranks), |edge| panic!("{edge:?}")).unwrap();
                assert!(bits(&found) == expected, "{way:?}");
            },
        );
    }
}

#[test]
fn components_that_grow_together() {
    for graph in graphs_with_edges() {
        let (first, arrivals) = split(&graph, Directions::Both);
        let expected: Vec<u64> = components(&graph, IdOrder(None)).into_iter().map(u64::from).collect();
        run_with_arrivals((&first, &arrivals), &[0, 600], &wcc::gas::work, |engine, way| {
            assert!(bits(&wcc::gas::wcc(engine, IdOrder(None)).unwrap())[0] == expected, "{way:?}");
        });
    }
}

#[test]
fn ranks_of_vertices_that_get_more_edges_or_their_first() {
    let (alpha, delta) = (0.85, 1e-5);
    for graph in graphs_with_edges() {
        let (first, arrivals) = split(&graph, Directions::Out);
        let parameters = PageRankParams { alpha, stop: Stop::After(400), personalization: None };
        let (expected, ..) = iterate(&graph, &parameters);
        run_with_arrivals((&first, &arrivals), &[0, 600], &gas_delta::work::<f64>, |engine, way| {
            let found = reals(&gas_delta::pagerank_delta::<f64>(engine, &parameters, delta).unwrap());
            let error: f64 = found.iter().zip(&expected).map(|(found, expected)| (found - expected).abs()).sum();
            assert!(error <= 4.0 * alpha * delta / (1.0 - alpha) + 1e-9, "{way:?}: {error:e}");
        });
    }
}

/// A small graph, and edges of it and others that arrive up to nine times each, all after one iteration.
fn repeated(seed: u64, along: Directions) -> (Graph, Graph, Vec<ArrivingArc>) {
    let mut state = seed;
    let mut below = |bound: u32| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % u64::from(bound)) as u32
    };
    let (vertices, directed, after) = (2 + below(5), below(4) > 0, below(6));
    let mut edge = || (below(vertices), below(vertices), f64::from(1 + below(3)));
    let first: Vec<_> = (0..2 + edge().0 * 2).map(|_| edge()).collect();
    let mut later: Vec<_> = (0..1 + edge().0).map(|_| edge()).collect();
    later.push(first[edge().0 as usize % first.len()]);
    let later: Vec<_> = later.into_iter().flat_map(|edge| vec![edge; 1 + below(9) as usize]).collect();
    let mut arrivals = Vec::new();
    for (source, target, weight) in later.iter().copied() {
        let arrival = ArrivingArc { after, source, target, weight };
        arrivals.push(arrival);
        if (along == Directions::Both || !directed) && source != target {
            arrivals.push(ArrivingArc { source: target, target: source, ..arrival });
        }
    }
    let all = first.iter().copied().chain(later).collect();
    (Graph::new(vertices, first, directed), Graph::new(vertices, all, directed), arrivals)
}

#[test]
fn results_with_edges_that_arrive_repeatedly_are_those_of_the_graph_with_them() {
    let first = std::env::var("OUTCROP_SEED").map_or(1, |seed| seed.parse().unwrap());
    let (alpha, delta, sources, ranks) = (0.85, 1e-9, [0], IdOrder(None));
    for seed in first..first + 16 {
        println!("OUTCROP_SEED={seed}");
        let (graph, all, arrivals) = repeated(seed, Directions::Out);
        let run = (&graph, &arrivals[..]);
        let levels = columns_of(&search(&all, &sources), ranks);
        run_with_arrivals(run, &[100], &|place| bfs::gas::work(place, true), |engine, way| {
            assert!(bits(&bfs::gas::bfs(engine, &sources, Some(ranks)).unwrap()) == levels, "{way:?}");
        });
        let distances = shortest::<f64>(&all, &sources, ranks).into_iter().map(|(distance, _)| bits_of(distance));
        let distances: Vec<u64> = distances.collect();
        run_with_arrivals(run, &[100], &|place| sssp::gas::work::<f64>(place, true), |engine, way| {
            let found = sssp::gas::sssp::<f64>(engine, &sources, Some(ranks), |edge| panic!("{edge:?}")).unwrap();
            assert!(bits(&found)[0] == distances, "{way:?}");
        });
        let parameters = PageRankParams { alpha, stop: Stop::After(400), personalization: None };
        let (expected, ..) = iterate(&all, &parameters);
        run_with_arrivals(run, &[100], &gas_delta::work::<f64>, |engine, way| {
            let found = reals(&gas_delta::pagerank_delta::<f64>(engine, &parameters, delta).unwrap());
            let error: f64 = found.iter().zip(&expected).map(|(found, expected)| (found - expected).abs()).sum();
            assert!(error <= 4.0 * alpha * delta / (1.0 - alpha) + 1e-9, "{way:?}: {error:e}");
        });
        let (graph, all, arrivals) = repeated(seed, Directions::Both);
        let labels: Vec<u64> = components(&all, ranks).into_iter().map(u64::from).collect();
        run_with_arrivals((&graph, &arrivals), &[100], &wcc::gas::work, |engine, way| {
            assert!(bits(&wcc::gas::wcc(engine, ranks).unwrap())[0] == labels, "{way:?}");
        });
    }
}
