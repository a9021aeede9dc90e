//! PageRank.

use super::engines::{run, run_with_threads};
use crate::graphs::{Arcs, Graph, arcs, graphs, large};
use crate::interpreter::{Interpreted, interpret};
use crate::references::{assert_close, iterate};
use crate::setting::KINDS;
use crate::trials::{bits, reals};
use outcrop_algorithms::models::Real;
use outcrop_algorithms::pagerank::gas::Scores;
use outcrop_algorithms::pagerank::gas_delta::Changes;
use outcrop_algorithms::pagerank::parts::{Parts, rank};
use outcrop_algorithms::pagerank::{PageRankParams, Stop, gas, gas_delta};
use outcrop_engine::Directions;

/// With each graph, stop rule and personalisation.
fn for_each_trial(stops: &[Stop], mut run: impl FnMut(&Graph, &PageRankParams<'_>)) {
    for graph in graphs() {
        let jumps: Vec<_> =
            [(0, 0.0), (0, 2.0), (7, 1.0), (7, 0.5)].into_iter().filter(|(v, _)| *v < graph.vertices).collect();
        let some = Some(&jumps[..]).filter(|jumps| !jumps.is_empty());
        for (stop, personalization) in stops.iter().flat_map(|stop| [(*stop, None), (*stop, some)]) {
            run(&graph, &PageRankParams { alpha: 0.85, stop, personalization });
        }
    }
}

const STOPS: [Stop; 3] = [Stop::After(3), Stop::After(0), Stop::Below { tolerance: 1e-5, at_most: 120 }];

fn compare<F: Real>(stops: &[Stop], relative: f64) {
    for_each_trial(stops, |graph, parameters| {
        let (expected, iterations, change) = iterate(graph, parameters);
        let walk = Scores::<F>::new(graph.vertices, parameters);
        let most = match parameters.stop {
            Stop::After(most) | Stop::Below { at_most: most, .. } => most,
        };
        let came = interpret(&walk, &arcs(graph, Directions::Out), most);
        let found: Vec<f64> = came.values.iter().map(|rank| rank.get()).collect();
        assert_close(&found, &expected, relative);
        assert!(graph.vertices == 0 || came.iterations == iterations);
        run(graph, &[0], &gas::work::<F>, |engine, way| {
            let ran = gas::pagerank::<F>(engine, parameters).unwrap();
            assert!(reals(&ran) == found, "{way:?}");
            assert_eq!(ran.iterations, came.iterations, "{way:?}");
            assert_eq!(ran.convergence.is_some(), matches!(parameters.stop, Stop::Below { .. }));
            if let Some(convergence) = ran.convergence {
                assert!((convergence.change - change).abs() < 1e-12 && convergence.reached(), "{way:?}");
            }
        });
    });
}

#[test]
fn ranks_are_those_of_power_iteration() {
    compare::<f64>(&STOPS, 1e-12);
}

#[test]
fn ranks_of_single_precision_differ_by_roundings() {
    compare::<f32>(&[Stop::After(9)], 1.2e-6);
}

/// The ranks of an interpreted run, scaled to sum to 1.
fn scaled(came: &Interpreted<Parts>) -> Vec<f64> {
    let ranks: Vec<f64> = came.values.iter().copied().map(rank).collect();
    let sum: f64 = ranks.iter().sum();
    ranks.into_iter().map(|rank| rank / sum).collect()
}

fn error(found: &[f64], expected: &[f64]) -> f64 {
    found.iter().zip(expected).map(|(found, expected)| (found - expected).abs()).sum()
}

#[test]
fn changes_of_any_size_add_up_to_power_iteration() {
    for_each_trial(&STOPS, |graph, parameters| {
        let (expected, iterations, _) = iterate(graph, parameters);
        run(graph, &[0], &gas_delta::work::<f64>, |engine, way| {
            let ran = gas_delta::pagerank_delta::<f64>(engine, parameters, 0.0).unwrap();
            let error = error(&reals(&ran), &expected);
            assert!(error < 1e-12, "{way:?}: {error:e}");
            // Where nothing changes any more there is nothing to hand on.
            assert!(ran.iterations <= iterations, "{way:?}");
            assert!(ran.convergence.is_none_or(|convergence| convergence.reached()), "{way:?}");
        });
    });
}

#[test]
fn the_errors_of_all_ranks_are_bounded_by_delta_with_and_without_delays() {
    for graph in graphs() {
        let (alpha, jumps) = (0.85, [(0, 1.0)]);
        let some = Some(&jumps[..]).filter(|_| graph.vertices > 0);
        let below = Stop::Below { tolerance: 1e-9, at_most: 10_000 };
        for (personalization, delta, stop) in [(None, 1e-2, Stop::After(10_000)), (some, 1e-4, below)] {
            let exactly = PageRankParams { alpha, stop: Stop::After(200), personalization };
            let (expected, ..) = iterate(&graph, &exactly);
            let parameters = PageRankParams { stop, ..exactly };
            let changes = Changes::new(graph.vertices, &parameters, delta);
            let came = interpret(&changes, &arcs(&graph, Directions::Out), 10_000);
            run(&graph, &[0, 200, 1 << 20], &gas_delta::work::<f64>, |engine, way| {
                let ran = gas_delta::pagerank_delta::<f64>(engine, &parameters, delta).unwrap();
                let found = reals(&ran);
                let error = error(&found, &expected);
                assert!(error <= 4.0 * alpha * delta / (1.0 - alpha) + 1e-8, "{way:?}, {delta:e}: {error:e}");
                assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-12 || found.is_empty());
                assert!(ran.convergence.is_none_or(|convergence| convergence.reached()), "{way:?}");
                // Delays slow down convergence by a bounded factor.
                assert!(ran.iterations <= 3 * came.iterations, "{way:?}: {} for {}", ran.iterations, came.iterations);
                if way.options.delay_bytes == 0 {
                    assert!(found == scaled(&came) && ran.iterations == came.iterations, "{way:?}");
                }
            });
        }
    }
}

#[test]
fn larger_deltas_update_fewer_edges() {
    let graph = &graphs()[1];
    let parameters = PageRankParams { alpha: 0.85, stop: Stop::After(15), personalization: None };
    let updated = [0.4, 0.01, 0.0].map(|delta| {
        let along: Arcs = arcs(graph, Directions::Out);
        interpret(&Changes::new(graph.vertices, &parameters, delta), &along, 15).updated.iter().sum::<u64>()
    });
    assert!(updated[0] < updated[1] && updated[1] < updated[2], "{updated:?}");
}

#[test]
fn ranks_do_not_depend_on_threads_or_shards() {
    let graph = &large();
    let parameters = PageRankParams { alpha: 0.85, stop: Stop::After(12), personalization: None };
    let (mut ranks, mut by_changes) = (None, None);
    for kind in KINDS {
        run_with_threads(graph, kind, &gas::work::<f64>, |engine, way| {
            let found = bits(&gas::pagerank::<f64>(engine, &parameters).unwrap());
            assert!(*ranks.get_or_insert_with(|| found.clone()) == found, "{way:?}");
        });
        run_with_threads(graph, kind, &gas_delta::work::<f64>, |engine, way| {
            let found = bits(&gas_delta::pagerank_delta::<f64>(engine, &parameters, 1e-2).unwrap());
            assert!(*by_changes.get_or_insert_with(|| found.clone()) == found, "{way:?}");
        });
    }
}
