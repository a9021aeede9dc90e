//! Personalized PageRank beside hubs, and in any unit of weights.

use crate::answer::Answer;
use crate::graph::{Model, Shape, StoreKind};
use crate::reference::flows::pagerank::iterate;
use crate::setup::{Setup, request, with};
use crate::shapes;
use outcrop::{Error, RunRequest, RunResult};

const UNDIRECTED: StoreKind = StoreKind { undirected: true, ..StoreKind::PLAIN };
const WEIGHTED: StoreKind = StoreKind { weighted: true, ..StoreKind::PLAIN };

fn run(shape: &Shape, kind: StoreKind, request: &RunRequest<'_>) -> (RunResult, Vec<f64>) {
    let folder = tempfile::tempdir().unwrap();
    let store = kind.build(shape, folder.path());
    let result = Setup::PLAIN.run(&store, request).unwrap();
    let ranks = Answer::read(&result, &Model::new(shape, kind), folder.path()).doubles("pagerank");
    (result, ranks.into_iter().flatten().collect())
}

/// The ranks from key `source`, which have to be as close to the exact ones as the defaults promise.
fn close(shape: &Shape, kind: StoreKind, source: u32) -> Vec<f64> {
    let model = Model::new(shape, kind);
    let mut jumps = vec![0.0; model.vertices()];
    jumps[model.rank(source)] = 1.0;
    let (exact, _) = iterate(&model.out, &jumps, 120);
    let (result, ranks) = run(shape, kind, &request!("ppr", "source" = source.to_string().as_str()));
    assert!(result.converged().is_ok());
    let highest = exact.iter().copied().fold(0.0, f64::max);
    let error = exact.iter().zip(&ranks).map(|(exact, rank)| (exact - rank).abs()).fold(0.0, f64::max);
    assert!(error <= 1e-4 * highest, "an error of {error:e} beside a highest rank of {highest}");
    assert!(ranks.iter().sum::<f64>() > 0.9999);
    ranks
}

/// Edges of `shape` with `factor` times their weights.
fn scaled(shape: &Shape, factor: f64) -> Shape {
    let edges = shape.edges.iter().map(|(source, target, weight)| (*source, *target, weight * factor));
    Shape { keys: shape.keys, edges: edges.collect() }
}

#[test]
fn a_hub_gets_its_rank_from_a_leaf() {
    let weighted = StoreKind { weighted: true, ..UNDIRECTED };
    let shape = Shape { keys: 20_001, edges: (1..=20_000).map(|leaf| (0, leaf, 1.0 + f64::from(leaf % 7))).collect() };
    for kind in [UNDIRECTED, weighted] {
        let ranks = close(&shape, kind, 1);
        assert!((ranks[0] - 0.85 / 1.85).abs() < 1e-4 && (ranks[1] - 0.15).abs() < 2e-4, "{:?}", &ranks[..2]);
        close(&shape, kind, 0);
    }
}

#[test]
fn a_hub_is_first_among_friends() {
    let friends = (1..=10).flat_map(|friend| (friend + 1..=10).map(move |other| (friend, other, 1.0)));
    let followers = (1..=20_000).map(|follower| (0, follower, 1.0));
    let shape = Shape { keys: 20_001, edges: followers.chain(friends).collect() };
    let ranks = close(&shape, UNDIRECTED, 1);
    assert!(ranks[0] > ranks[1] && ranks[1] > ranks[2], "{:?}", &ranks[..3]);
}

#[test]
fn the_unit_of_weights_does_not_matter() {
    // Loops, parallel edges and edges of weight 0 among them.
    let shape = shapes::mixed(300, 2000);
    let ranks = close(&shape, WEIGHTED, 7);
    for factor in [1e-12, 1e-3, 1e6, 1e12] {
        let other = close(&scaled(&shape, factor), WEIGHTED, 7);
        let error = ranks.iter().zip(&other).map(|(one, other)| (one - other).abs()).fold(0.0, f64::max);
        assert!(error < 1e-12, "{error:e} with weights times {factor:e}");
    }
    let undirected = StoreKind { weighted: true, ..UNDIRECTED };
    for factor in [1e-12, 1.0, 1e12] {
        close(&scaled(&shape, factor), undirected, 7);
    }
}

#[test]
fn a_walk_without_ways_out_stays_at_its_source() {
    let shape = Shape { keys: 3, edges: vec![(0, 1, 0.0), (2, 1, 1.0)] };
    assert_eq!(close(&shape, WEIGHTED, 0), [1.0, 0.0, 0.0]);
    assert_eq!(close(&shape, WEIGHTED, 1), [0.0, 1.0, 0.0]);
    assert_eq!(close(&shape, StoreKind::PLAIN, 1), [0.0, 1.0, 0.0]);
}

#[test]
fn a_push_that_ends_early_has_not_converged() {
    let shape = shapes::mixed(100, 400);
    let request = request!("ppr", "source" = "7", "max-iter" = 5_u32);
    let (result, ranks) = run(&shape, StoreKind::PLAIN, &request);
    let Some(Error::NotConverged { iterations, change, tolerance, .. }) = result.converged().err() else {
        panic!("it converged")
    };
    assert!(iterations == 5 && tolerance == 1e-4 && change > 1e-4, "{iterations} {change:e}");
    assert!(ranks.iter().sum::<f64>() < 1.0);
    // Rounding leaves nothing to push in the end, however small the tolerance.
    let request = with(&with(&request, "max-iter", 10_000_u32), "tol", 1e-300);
    let (result, ranks) = run(&shape, WEIGHTED, &request);
    assert!(result.converged().is_err());
    assert!((ranks.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    let slow = with(&request!("ppr", "source" = "7"), "alpha", 1.0 - f64::EPSILON / 2.0);
    assert!(run(&shape, StoreKind::PLAIN, &slow).0.converged().is_err());
}
