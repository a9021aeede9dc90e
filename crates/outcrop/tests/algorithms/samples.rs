//! Samples of sources.

use crate::answer::Answer;
use crate::graph::{Model, Shape, StoreKind};
use crate::setup::Setup;
use crate::shapes;
use outcrop::{Error, RunRequest};

fn request(name: &str, change: impl FnOnce(&mut RunRequest)) -> RunRequest {
    let mut request = RunRequest::new(name).unwrap();
    change(&mut request);
    request
}

#[test]
fn an_empty_graph_has_nothing_to_start_from() {
    let folder = tempfile::tempdir().unwrap();
    let store = StoreKind::PLAIN.build(&Shape { keys: 0, edges: Vec::new() }, folder.path());
    for name in ["radii", "bc"] {
        let result = Setup::PLAIN.run(&store, &request(name, |_| ())).unwrap();
        assert_eq!((result.table().rows(), result.record().iterations), (0, 0));
    }
}

#[test]
fn all_vertices_of_a_large_graph_are_sources_only_where_they_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let shape = Shape { keys: 20_001, edges: vec![(0, 1, 1.0)] };
    let store = StoreKind::PLAIN.build(&shape, folder.path());
    let Some(Error::Usage(message)) = Setup::PLAIN.run(&store, &request("bc", |_| ())).err() else { panic!() };
    assert!(message.contains("--samples 100") && message.contains("--samples 20001"), "{message}");
    let sampled = request("bc", |request| request.samples = Some(100));
    assert_eq!(Setup::PLAIN.run(&store, &sampled).unwrap().record().iterations, 100);
}

#[test]
fn the_sample_is_that_of_the_seed_and_shown_in_the_record() {
    let folder = tempfile::tempdir().unwrap();
    let shape = shapes::mixed(500, 3000);
    let store = StoreKind::PLAIN.build(&shape, folder.path());
    let model = Model::new(&shape, StoreKind::PLAIN);
    let values = |seed| {
        let sampled = request("radii", |request| (request.source_count, request.seed) = (Some(1), seed));
        let result = Setup::PLAIN.run(&store, &sampled).unwrap();
        assert_eq!(result.record().parameters["seed"], seed.unwrap_or(1));
        Answer::read(&result, &model, folder.path()).counts("eccentricity")
    };
    assert_eq!(values(None), values(Some(1)));
    assert_ne!(values(Some(2)), values(Some(1)));
}

#[test]
fn too_many_paths_to_count_are_an_error() {
    // Each step doubles the number of paths.
    let step = |key: u32| [(0, 1), (0, 2), (1, 3), (2, 3)].map(|(one, other)| (3 * key + one, 3 * key + other, 1.0));
    let shape = Shape { keys: 3 * 1100 + 1, edges: (0..1100).flat_map(step).collect() };
    let folder = tempfile::tempdir().unwrap();
    let store = StoreKind::PLAIN.build(&shape, folder.path());
    let from = |source: u32| request("bc", |request| request.sources = vec![source.to_string()]);
    let Some(Error::Usage(message)) = Setup::PLAIN.run(&store, &from(0)).err() else { panic!() };
    assert!(message.contains("paths"), "{message}");
    assert!(Setup::PLAIN.run(&store, &from(3 * 200)).is_ok());
}
