//! Tests of every algorithm on small random graphs.

use super::{Sample, naive, request};
use crate::arguments::{Advice, Algorithm, Precision, RunRequest};
use crate::digest::{Answer, all};
use crate::mmap_csr::map::MappedFolder;
use crate::mmap_csr::run;
use outcrop_formats::generate::{EdgeGenerator, Kronecker, WeightDistribution};
use proptest::prelude::*;

fn answer(request: &RunRequest) -> Answer {
    let folder = MappedFolder::open(&request.folder, request.advice).unwrap();
    let source = request.source.unwrap_or(folder.info().widest_vertex);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(request.threads).build().unwrap();
    let graph = folder.graph().unwrap();
    pool.install(|| run::answer(graph, source, request).0)
}

fn counts(answer: Answer) -> Vec<u32> {
    let Answer::Counts(values) = answer else { panic!("not counts") };
    values
}

fn floats(answer: Answer) -> Vec<f64> {
    let (Answer::Distances(values) | Answer::Ranks(values)) = answer else { panic!("not floats") };
    all(values.as_ref()).collect()
}

fn assert_near(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    let far = found.iter().zip(expected).find(|(found, expected)| (*found - *expected).abs() > tolerance);
    assert_eq!(far, None);
}

fn check(sample: &Sample, source: u32) {
    let folder = sample.build();
    let request = |algorithm| RunRequest { source: Some(source), ..request(folder.path(), algorithm) };
    let single = |algorithm| RunRequest { precision: Precision::F32, advice: Advice::Random, ..request(algorithm) };
    assert_eq!(counts(answer(&request(Algorithm::Bfs))), naive::bfs(sample, source));
    assert_eq!(counts(answer(&request(Algorithm::Wcc))), naive::components(sample));
    assert_eq!(floats(answer(&request(Algorithm::Sssp))), naive::dijkstra(sample, source));
    let ranks = naive::ranks(sample, 0.85, 10);
    assert_near(&floats(answer(&request(Algorithm::Pagerank))), &ranks, 1e-12);
    assert_near(&floats(answer(&single(Algorithm::Pagerank))), &ranks, 1e-6);
}

fn samples() -> impl Strategy<Value = (Sample, u32)> {
    (1_u32..60).prop_flat_map(|vertices| {
        let ids = 0..u64::from(vertices);
        let edge = (ids.clone(), ids, 0_u8..20).prop_map(|(a, b, weight)| ([a, b], f32::from(weight) / 4.0));
        let edges = prop::collection::vec(edge, 0..200);
        (edges, any::<bool>(), any::<bool>(), 0..vertices).prop_map(move |(edges, weighted, undirected, source)| {
            let (edges, mut weights): (Vec<_>, Vec<_>) = edges.into_iter().unzip();
            weights.truncate(if weighted { edges.len() } else { 0 });
            (Sample { vertices, edges, weights, undirected }, source)
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn random_graphs((sample, source) in samples()) {
        check(&sample, source);
    }
}

/// More vertices than a block and than a push task, so that all threads have work and both directions are used.
#[test]
fn a_kronecker_graph_of_several_blocks() {
    let graph = Kronecker::new(14, 8, 7, Some(WeightDistribution::Integers { low: 0, high: 9 })).unwrap();
    let (mut edges, mut weights) = (Vec::new(), Vec::new());
    graph.fill(0, graph.num_edges() as usize, &mut edges, &mut weights);
    let weights = weights.into_iter().map(|weight| weight as f32).collect();
    let sample = Sample { vertices: 1 << 14, edges, weights, undirected: false };
    let folder = sample.build();
    let source = 3;
    let request = |algorithm| RunRequest { source: Some(source), ..request(folder.path(), algorithm) };
    assert_eq!(counts(answer(&request(Algorithm::Bfs))), naive::bfs(&sample, source));
    assert_eq!(counts(answer(&request(Algorithm::Wcc))), naive::components(&sample));
    assert_eq!(floats(answer(&request(Algorithm::Sssp))), naive::dijkstra(&sample, source));
    let single = RunRequest { precision: Precision::F32, ..request(Algorithm::Sssp) };
    assert_eq!(floats(answer(&single)), naive::dijkstra(&sample, source), "sums of small whole numbers are exact");
}

#[test]
fn a_long_path_stays_with_pushing() {
    let edges = (0..9_999).map(|v| [v, v + 1]).collect();
    let sample = Sample { vertices: 10_000, edges, weights: Vec::new(), undirected: false };
    let folder = sample.build();
    let request = RunRequest { source: Some(0), ..request(folder.path(), Algorithm::Bfs) };
    assert_eq!(counts(answer(&request)), (0..10_000).collect::<Vec<u32>>());
}
