//! PageRank.

use super::executor::{How, execute};
use crate::graphs::{Graph, graphs};
use crate::references::{assert_close, iterate};
use outcrop_algorithms::models::Real;
use outcrop_algorithms::pagerank::{PageRankParams, Stop, messages, messages_delta};

/// With each graph, stop rule and personalisation.
fn for_each_trial(mut run: impl FnMut(&Graph, &PageRankParams<'_>)) {
    for graph in graphs() {
        let jumps: Vec<_> =
            [(0, 0.0), (0, 2.0), (7, 1.0), (7, 0.5)].into_iter().filter(|(v, _)| *v < graph.vertices).collect();
        let some = Some(&jumps[..]).filter(|jumps| !jumps.is_empty());
        for stop in [Stop::After(3), Stop::After(1), Stop::Below { tolerance: 1e-6, at_most: 100 }] {
            for personalization in [None, some] {
                run(&graph, &PageRankParams { alpha: 0.85, stop, personalization });
            }
        }
    }
}

fn compare<F: Real>(relative: f64) {
    for_each_trial(|graph, parameters| {
        // Changes of roundings would come into what is compared with a tolerance.
        let parameters = &match F::BYTES {
            8 => *parameters,
            _ => PageRankParams { stop: Stop::After(9), ..*parameters },
        };
        let (expected, iterations, change) = iterate(graph, parameters);
        let all: Vec<u32> = (0..graph.vertices).collect();
        let mut before = None;
        for how in How::SYNCHRONOUS {
            let walk = messages::Scores::<F>::new(graph.vertices, parameters, None);
            let work = messages::work::<F>(graph.place());
            let begin = vec![walk.begin(); all.len()];
            let ended = execute((graph, &work.requirements), &walk, begin, &all, how);
            let found: Vec<f64> = ended.values.iter().map(|rank| rank.get()).collect();
            assert_close(&found, &expected, relative);
            assert_eq!(before.replace(found.clone()).unwrap_or(found.clone()), found);
            if graph.vertices > 0 {
                assert_eq!(ended.supersteps, iterations + 1);
                let converged = walk.convergence().map(|ended| (ended.change - change).abs() < 1e-12);
                assert_eq!(converged, matches!(parameters.stop, Stop::Below { .. }).then_some(true));
            }
        }
    });
}

#[test]
fn ranks_are_those_of_power_iteration() {
    compare::<f64>(1e-12);
}

#[test]
fn ranks_of_single_precision_differ_by_roundings() {
    compare::<f32>(1.2e-6);
}

/// The ranks of a run, scaled to sum to 1, and its supersteps.
pub fn by_changes(graph: &Graph, parameters: &PageRankParams<'_>, delta: f64, how: How) -> (Vec<f64>, u32) {
    let changes = messages_delta::Changes::new(graph.vertices, parameters, delta, None);
    let work = messages_delta::work::<f64>(graph.place());
    let all: Vec<u32> = (0..graph.vertices).collect();
    let begin = vec![changes.begin(); all.len()];
    let ended = execute((graph, &work.requirements), &changes, begin, &all, how);
    let ranks: Vec<f64> = ended.values.into_iter().map(outcrop_algorithms::pagerank::parts::rank).collect();
    let sum: f64 = ranks.iter().sum();
    (ranks.into_iter().map(|rank| rank / sum).collect(), ended.supersteps)
}

#[test]
fn changes_of_any_size_add_up_to_power_iteration() {
    for_each_trial(|graph, parameters| {
        let (expected, iterations, _) = iterate(graph, parameters);
        for how in How::SYNCHRONOUS {
            let (found, supersteps) = by_changes(graph, parameters, 0.0, how);
            let difference: f64 = found.iter().zip(&expected).map(|(one, other)| (one - other).abs()).sum();
            assert!(difference < 1e-12, "{difference:e}");
            // Where nothing changes any more there is nothing to hand on.
            assert!(supersteps <= iterations + 1);
        }
    });
}

#[test]
fn the_errors_of_all_ranks_are_bounded_by_delta() {
    for graph in graphs() {
        let (alpha, jumps) = (0.85, [(0, 1.0)]);
        let some = Some(&jumps[..]).filter(|_| graph.vertices > 0);
        for personalization in [None, some] {
            let exactly = PageRankParams { alpha, stop: Stop::After(200), personalization };
            let (expected, ..) = iterate(&graph, &exactly);
            let until_quiet = PageRankParams { stop: Stop::After(100_000), ..exactly };
            for (delta, how) in [1e-1, 1e-3, 1e-6].into_iter().flat_map(|delta| How::ALL.map(|how| (delta, how))) {
                let (found, _) = by_changes(&graph, &until_quiet, delta, how);
                let error: f64 = found.iter().zip(&expected).map(|(one, other)| (one - other).abs()).sum();
                assert!(error <= 4.0 * alpha * delta / (1.0 - alpha) + 1e-9, "{delta:e}: {error:e}");
                assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-12 || found.is_empty());
            }
        }
    }
}

#[test]
fn larger_deltas_compute_fewer_vertices() {
    let graph = &graphs()[1];
    let all: Vec<u32> = (0..graph.vertices).collect();
    let parameters = PageRankParams { alpha: 0.85, stop: Stop::After(15), personalization: None };
    let computed = [0.4, 0.01, 0.0].map(|delta| {
        let changes = messages_delta::Changes::new(graph.vertices, &parameters, delta, None);
        let work = messages_delta::work::<f64>(graph.place());
        let begin = vec![changes.begin(); all.len()];
        execute((graph, &work.requirements), &changes, begin, &all, How::default()).computed.iter().sum::<u32>()
    });
    assert!(computed.is_sorted() && computed[0] < computed[1] && computed[1] < computed[2], "{computed:?}");
}
