//! Belief propagation.

use super::engines::{run, run_with_threads};
use crate::graphs::{Graph, arcs, graphs, large, undirected};
use crate::interpreter::interpret;
use crate::trials::{bits, reals};
use outcrop_algorithms::bp::gas::{self, Beliefs, BpParams, belief};
use outcrop_engine::Directions;
use outcrop_gas::ShardKind;
use outcrop_types::{Error, MemoryBudget, Purpose, SplitMix64, VertexValues};

const EXACT: BpParams = BpParams { coupling: 0.8, damping: 0.0, tolerance: 1e-11, at_most: 10_000 };

/// Values in memory that nobody else counts.
fn values(of: &[f64]) -> VertexValues<f64> {
    VertexValues::new(&MemoryBudget::new(1 << 20), Purpose::VertexValues, of.len(), |vertex| of[vertex]).unwrap()
}

/// A probability a vertex; now and then a certain one, or one that says nothing.
fn drawn_priors(vertices: u32, seed: u64, certain: bool) -> Vec<f64> {
    let random = SplitMix64::new(seed, 3);
    let prior = |vertex: u32| match random.up_to(2 * u64::from(vertex), 11) {
        0 if certain => 0.0,
        1 if certain => 1.0,
        2 => 0.5,
        _ => 0.001 + 0.998 * f64::from(random.up_to(2 * u64::from(vertex) + 1, 1000)) / 1000.0,
    };
    (0..vertices).map(prior).collect()
}

/// A forest of up to 12 vertices: each but the first hangs on an earlier one, or on none.
fn drawn_forest(seed: u64) -> Graph {
    let random = SplitMix64::new(seed, 4);
    let vertices = 1 + random.up_to(0, 11);
    let hanging = (1..vertices).filter(|vertex| random.up_to(100 + u64::from(*vertex), 9) > 0);
    undirected(vertices, hanging.map(|vertex| (vertex, random.up_to(u64::from(vertex), vertex - 1))))
}

/// The probability of state 1 of each vertex, by adding up all states of all vertices.
fn enumerated(graph: &Graph, priors: &[f64], coupling: f64) -> Vec<f64> {
    let mut sums = vec![0.0; priors.len()];
    let mut total = 0.0;
    for states in 0..1_u32 << priors.len() {
        let state = |vertex: u32| states >> vertex & 1;
        let of_vertices =
            (0..).zip(priors).map(|(vertex, prior)| if state(vertex) == 1 { *prior } else { 1.0 - prior });
        let of_edge = |one: u32, other: u32| if state(one) == state(other) { coupling } else { 1.0 - coupling };
        let of_edges = graph.edges.iter().map(|(one, other, _)| of_edge(*one, *other));
        let weight: f64 = of_vertices.product::<f64>() * of_edges.product::<f64>();
        total += weight;
        (0..).zip(&mut sums).filter(|(vertex, _)| state(*vertex) == 1).for_each(|(_, sum)| *sum += weight);
    }
    sums.into_iter().map(|sum| sum / total).collect()
}

fn largest_difference(found: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(found.len(), expected.len());
    found.iter().zip(expected).map(|(found, expected)| (found - expected).abs()).fold(0.0, f64::max)
}

/// Runs with these priors in all ways; the beliefs of each.
fn beliefs(graph: &Graph, priors: &[f64], parameters: BpParams, mut check: impl FnMut(&[f64])) {
    run(graph, &[0, 300], &gas::work::<f64>, |engine, way| {
        let ran = gas::bp::<f64>(engine, values(priors), parameters, |bad| panic!("{bad:?}")).unwrap();
        assert!(ran.convergence.is_some_and(|convergence| convergence.reached()), "{way:?}");
        check(&reals(&ran));
    });
}

#[test]
fn beliefs_in_forests_are_the_probabilities() {
    for seed in 0..40 {
        let graph = drawn_forest(seed);
        let priors = drawn_priors(graph.vertices, seed, seed % 2 == 0);
        for (coupling, damping) in [(0.8, 0.0), (0.1, 0.5), (0.5, 0.0), (0.999, 0.3)] {
            let parameters = BpParams { coupling, damping, ..EXACT };
            let expected = enumerated(&graph, &priors, coupling);
            let program = Beliefs::<f64>::new(&priors, parameters);
            let came = interpret(&program, &arcs(&graph, Directions::Both), parameters.at_most);
            let found: Vec<f64> = came.values.into_iter().map(belief).collect();
            let error = largest_difference(&found, &expected);
            assert!(error < 1e-9, "{seed}, {coupling}, {damping}: {error:e}");
            assert!(program.convergence(came.iterations).reached());
            if seed % 8 < 2 {
                beliefs(&graph, &priors, parameters, |found| assert!(largest_difference(found, &expected) < 1e-9));
            }
        }
    }
}

#[test]
fn certain_vertices_stay_so_and_cut_a_graph() {
    let graph = undirected(5, [(0, 1), (1, 2), (2, 3), (3, 4)]);
    let parameters = BpParams { damping: 0.25, ..EXACT };
    beliefs(&graph, &[0.5, 0.5, 1.0, 0.5, 0.5], parameters, |found| {
        let expected = [0.8 * 0.8 + 0.2 * 0.2, 0.8, 1.0, 0.8, 0.8 * 0.8 + 0.2 * 0.2];
        assert!(largest_difference(found, &expected) < 1e-10 && found[2] == 1.0);
    });
    beliefs(&graph, &[0.9, 0.9, 0.0, 0.9, 0.9], parameters, |found| assert_eq!(found[2], 0.0));
}

/// All messages computed anew from all of the round before, as products of probabilities, so many times; the beliefs.
fn flooded(graph: &Graph, priors: &[f64], coupling: f64, rounds: u32) -> Vec<f64> {
    let arcs = arcs(graph, Directions::Both).arcs;
    let into: Vec<Vec<usize>> =
        (0..graph.vertices).map(|vertex| (0..arcs.len()).filter(|at| arcs[*at].1 == vertex).collect()).collect();
    let both = |vertex: u32, messages: &[[f64; 2]], but: u32| {
        let prior = priors[vertex as usize];
        let others = into[vertex as usize].iter().filter(|at| arcs[**at].0 != but).map(|at| messages[*at]);
        others.fold([1.0 - prior, prior], |product, message| scaled([product[0] * message[0], product[1] * message[1]]))
    };
    let mut messages = vec![[0.5; 2]; arcs.len()];
    for _ in 0..rounds {
        messages = arcs
            .iter()
            .map(|(source, target, _)| {
                let [zero, one] = both(*source, &messages, *target);
                let (same, other) = (coupling, 1.0 - coupling);
                scaled([same * zero + other * one, other * zero + same * one])
            })
            .collect();
    }
    (0..graph.vertices).map(|vertex| both(vertex, &messages, u32::MAX)[1]).collect()
}

fn scaled([zero, one]: [f64; 2]) -> [f64; 2] {
    [zero / (zero + one), one / (zero + one)]
}

#[test]
fn a_number_of_iterations_is_as_many_rounds_of_all_messages() {
    for graph in graphs().into_iter().filter(|graph| graph.vertices < 500) {
        let priors = drawn_priors(graph.vertices, 5, true);
        for rounds in [0, 1, 4] {
            let parameters = BpParams { coupling: 0.7, tolerance: 0.0, at_most: rounds, ..EXACT };
            let expected = flooded(&graph, &priors, 0.7, rounds);
            run(&graph, &[0], &gas::work::<f64>, |engine, way| {
                let ran = gas::bp::<f64>(engine, values(&priors), parameters, |bad| panic!("{bad:?}")).unwrap();
                let error = largest_difference(&reals(&ran), &expected);
                assert!(error < 1e-12, "{way:?}: {error:e}");
            });
        }
    }
}

#[test]
fn cycles_come_to_the_same_fixed_point_within_the_bound_with_damping_and_delays() {
    let odds = |belief: &f64| (belief / (1.0 - belief)).ln();
    for graph in graphs().into_iter().filter(|graph| graph.vertices < 500) {
        let priors = drawn_priors(graph.vertices, 6, false);
        let degree = f64::from(arcs(&graph, Directions::Both).out_degrees().into_iter().max().unwrap_or(1).max(1));
        // Messages come nearer to the fixed point by half in every round.
        let coupling = 0.5 + 0.25 / degree;
        let expected: Vec<f64> = flooded(&graph, &priors, coupling, 50).iter().map(odds).collect();
        for (damping, tolerance) in [(0.0, 1e-10), (0.4, 1e-10), (0.0, 1e-3), (0.4, 1e-3)] {
            let bound = degree * tolerance / (1.0 - (2.0 * coupling - 1.0) * (degree - 1.0));
            let parameters = BpParams { coupling, damping, tolerance, ..EXACT };
            beliefs(&graph, &priors, parameters, |found| {
                let found: Vec<f64> = found.iter().map(odds).collect();
                assert!(largest_difference(&found, &expected) < bound + 1e-11);
            });
        }
    }
}

#[test]
fn beliefs_do_not_depend_on_threads() {
    let graph = &large();
    let priors = drawn_priors(graph.vertices, 9, true);
    let parameters = BpParams { coupling: 0.6, tolerance: 1e-4, ..EXACT };
    for kind in [ShardKind::Static, ShardKind::Aggressive, ShardKind::Optimized] {
        let mut same = None;
        run_with_threads(graph, kind, &gas::work::<f64>, |engine, way| {
            let found = bits(&gas::bp::<f64>(engine, values(&priors), parameters, |bad| panic!("{bad:?}")).unwrap());
            assert!(*same.get_or_insert_with(|| found.clone()) == found, "{way:?}");
        });
    }
}

#[test]
fn beliefs_of_single_precision_differ_by_roundings_of_messages() {
    let graph = &graphs()[5];
    let priors = drawn_priors(graph.vertices, 7, true);
    let parameters = BpParams { coupling: 0.6, tolerance: 1e-5, ..EXACT };
    let program = Beliefs::<f64>::new(&priors, parameters);
    let came = interpret(&program, &arcs(graph, Directions::Both), parameters.at_most);
    let expected: Vec<f64> = came.values.into_iter().map(belief).collect();
    run(graph, &[0, 300], &gas::work::<f32>, |engine, way| {
        let found = reals(&gas::bp::<f32>(engine, values(&priors), parameters, |bad| panic!("{bad:?}")).unwrap());
        assert!(largest_difference(&found, &expected) < 1e-4, "{way:?}");
    });
}

#[test]
fn priors_that_are_no_probabilities_are_refused_and_named() {
    let graph = undirected(4, [(0, 1), (1, 2)]);
    for bad in [-0.1, 1.5, f64::NAN, f64::INFINITY] {
        run(&graph, &[0], &gas::work::<f64>, |engine, _| {
            let refuse =
                |bad: outcrop_algorithms::models::BadValue| Error::Usage(format!("{} {}", bad.vertex, bad.value));
            let refused = gas::bp::<f64>(engine, values(&[0.0, 1.0, bad, -7.0]), EXACT, refuse).unwrap_err();
            assert_eq!(refused.to_string(), format!("2 {bad}"));
        });
    }
}

#[test]
fn too_few_iterations_do_not_converge() {
    let graph = undirected(50, (1..50).map(|vertex| (vertex - 1, vertex)));
    let priors: Vec<f64> = (0..50).map(|vertex| if vertex == 0 { 1.0 } else { 0.5 }).collect();
    for (at_most, converged) in [(5, false), (48, false), (60, true)] {
        let parameters = BpParams { coupling: 0.99, at_most, ..EXACT };
        run(&graph, &[0], &gas::work::<f64>, |engine, way| {
            let ran = gas::bp::<f64>(engine, values(&priors), parameters, |bad| panic!("{bad:?}")).unwrap();
            assert_eq!(ran.convergence.is_some_and(|convergence| convergence.reached()), converged, "{way:?}");
        });
    }
}
