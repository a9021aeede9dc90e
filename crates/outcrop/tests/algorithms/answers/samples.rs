//! Samples of sources.

use crate::answer::Answer;
use crate::graph::{Model, Shape, StoreKind};
use crate::setup::{Setup, request, with_some};
use crate::shapes;
use arrow_array::cast::AsArray;
use arrow_array::types::UInt32Type;
use outcrop::{Error, RunRequest};

#[test]
fn an_empty_graph_has_nothing_to_start_from() {
    let folder = tempfile::tempdir().unwrap();
    let store = StoreKind::PLAIN.build(&Shape { keys: 0, edges: Vec::new() }, folder.path());
    for name in ["radii", "bc", "diameter", "radius", "eccentricity", "apsp", "closeness", "harmonic"] {
        let result = Setup::PLAIN.run(&store, &request!(name)).unwrap();
        assert_eq!(result.table().rows(), 0);
        let null = ["diameter", "radius"].contains(&name).then_some(&serde_json::Value::Null);
        assert_eq!(result.record().answer.values.get(name), null);
    }
}

#[test]
fn all_vertices_of_a_large_graph_are_sources_only_where_they_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let shape = Shape { keys: 20_001, edges: vec![(0, 1, 1.0)] };
    let store = StoreKind::PLAIN.build(&shape, folder.path());
    let Some(Error::Usage(message)) = Setup::PLAIN.run(&store, &request!("bc")).err() else { panic!() };
    assert!(message.contains("--samples 100") && message.contains("--samples 20001"), "{message}");
    let sampled = request!("bc", "samples" = 100_u32, "batch" = 1_u32);
    assert_eq!(Setup::PLAIN.run(&store, &sampled).unwrap().record().convergence.iterations, 100);
}

#[test]
fn counters_and_samples_come_near_to_the_exact_sums() {
    let folder = tempfile::tempdir().unwrap();
    let (shape, kind) = (shapes::mixed(500, 3000), StoreKind { undirected: true, ..StoreKind::PLAIN });
    let (store, model) = (kind.build(&shape, folder.path()), Model::new(&shape, kind));
    for name in ["harmonic", "closeness"] {
        let values = |request: &RunRequest<'_>| {
            Answer::read(&Setup::PLAIN.run(&store, request).unwrap(), &model, folder.path()).doubles(name)
        };
        let exact = values(&request!(name, "exact" = true));
        for near in [request!(name, "registers" = 1024_u32), request!(name, "samples" = 250_u32)] {
            let near = values(&near);
            let error = |(near, exact): (&Option<f64>, &Option<f64>)| (near.unwrap() - exact.unwrap()).abs();
            let errors: f64 = near.iter().zip(&exact).map(error).sum();
            let relative = errors / exact.iter().flatten().sum::<f64>();
            assert!((1e-6..0.1).contains(&relative), "{name}: {relative}");
        }
        let Some(Error::Usage(message)) = request!(name, "registers" = 48_u32).validate().err() else { panic!() };
        assert!(message.contains("power of 2, not 48"), "{message}");
    }
}

#[test]
fn the_sample_is_that_of_the_seed_and_shown_in_the_record() {
    let folder = tempfile::tempdir().unwrap();
    let shape = shapes::mixed(500, 3000);
    let store = StoreKind::PLAIN.build(&shape, folder.path());
    let model = Model::new(&shape, StoreKind::PLAIN);
    let values = |seed: Option<u64>| {
        let sampled = with_some(request!("radii", "sources" = 1_u32), "seed", seed);
        let result = Setup::PLAIN.run(&store, &sampled).unwrap();
        assert_eq!(result.record().task.parameters["seed"], seed.unwrap_or(1));
        Answer::read(&result, &model, folder.path()).counts("eccentricity")
    };
    assert_eq!(values(None), values(Some(1)));
    assert_ne!(values(Some(2)), values(Some(1)));
}

#[test]
fn distances_that_16_bits_do_not_hold_take_more_memory_and_are_right() {
    let folder = tempfile::tempdir().unwrap();
    let last = u32::from(u16::MAX) + 3;
    let edges = (1..=last).map(|key| (key - 1, key, 1.0)).collect();
    let store = StoreKind::PLAIN.build(&Shape { keys: last + 1, edges }, folder.path());
    let sources = [1, last - 1, 0].map(|source: u32| source.to_string()).to_vec();
    let result = Setup::PLAIN.run(&store, &request!("apsp", "source" = sources)).unwrap();
    let rows = result.table().top(3).unwrap();
    let column = |column: usize| rows.column(column).as_primitive::<UInt32Type>().iter().collect::<Vec<_>>();
    assert_eq!(column(1), [Some(last - 1), Some(last - 2), Some(last - 3)]);
    assert_eq!(column(2), [Some(1), Some(0), None]);
    assert_eq!(column(3), [Some(last), Some(last - 1), Some(last - 2)]);
}

#[test]
fn too_little_memory_for_all_sources_is_refused_with_a_hint_at_fewer() {
    let folder = tempfile::tempdir().unwrap();
    let store = StoreKind::PLAIN.build(&shapes::mixed(2000, 3000), folder.path());
    let of = |samples: u32| request!("apsp", "samples" = samples);
    let minimum = |samples| Setup::LEAST.open_with(&store, 0).estimate(&of(samples)).unwrap().minimum;
    assert_eq!(minimum(128) - minimum(28), 100 * (2 * 2000 + 20));
    let graph = Setup::LEAST.open_with(&store, minimum(128) - 1);
    let Some(error @ Error::BudgetTooSmall { .. }) = graph.run(&of(128)).err() else { panic!() };
    let message = error.to_string();
    assert!(
        message.contains(&minimum(128).to_string())
            && message.contains("each source takes 2 bytes per vertex; use fewer sources (--samples or --source)"),
        "{message}"
    );
    assert_eq!(graph.run(&of(127)).unwrap().table().schema().fields().len(), 128);
}

#[test]
fn batches_of_any_size_give_the_same_values_but_for_rounding() {
    let folder = tempfile::tempdir().unwrap();
    let shape = shapes::mixed(700, 5000);
    let kind = StoreKind { undirected: true, ..StoreKind::PLAIN };
    let (store, model) = (kind.build(&shape, folder.path()), Model::new(&shape, kind));
    let values = |batch: u32, threads| {
        let sampled = request!("bc", "samples" = 21_u32, "batch" = batch);
        let result = Setup { threads, ..Setup::PLAIN }.run(&store, &sampled).unwrap();
        assert_eq!(
            (result.record().convergence.iterations, &result.record().task.parameters["batch"]),
            (21_u32.div_ceil(batch), &batch.into())
        );
        Answer::read(&result, &model, folder.path()).doubles("betweenness_centrality")
    };
    let alone = values(1, 2);
    for batch in [2, 3, 8, 16] {
        let together = values(batch, 2);
        assert_eq!(together, values(batch, 5), "threads make no difference");
        for (one, other) in alone.iter().zip(together) {
            let (one, other) = (one.unwrap(), other.unwrap());
            assert!((one - other).abs() <= 1e-9 * one, "{one} and {other}");
        }
    }
}

#[test]
fn searches_too_deep_for_a_batch_are_done_one_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    // Stars, and then a path of 400.
    let path = (20..420).map(|key| (key, key + 1, 1.0));
    let shape = Shape { keys: 421, edges: (1..20).map(|key| (0, key, 1.0)).chain(path).collect() };
    let (store, model) = (StoreKind::PLAIN.build(&shape, folder.path()), Model::new(&shape, StoreKind::PLAIN));
    let values = |batch: u32| {
        let sources = [0, 1, 2, 20, 21, 300].map(|source: u32| source.to_string()).to_vec();
        let given = request!("bc", "source" = sources, "batch" = batch);
        let result = Setup::LEAST.run(&store, &given).unwrap();
        (
            Answer::read(&result, &model, folder.path()).doubles("betweenness_centrality"),
            result.record().convergence.iterations,
        )
    };
    let (alone, iterations) = values(1);
    assert_eq!(iterations, 6);
    for (batch, expected) in [(2, 1 + 4), (3, 1 + 3), (16, 6)] {
        assert_eq!(values(batch), (alone.clone(), expected), "{batch} at once");
    }
}

#[test]
fn too_many_paths_to_count_are_an_error() {
    // Each step doubles the number of paths.
    let step = |key: u32| [(0, 1), (0, 2), (1, 3), (2, 3)].map(|(one, other)| (3 * key + one, 3 * key + other, 1.0));
    let shape = Shape { keys: 3 * 1100 + 1, edges: (0..1100).flat_map(step).collect() };
    let folder = tempfile::tempdir().unwrap();
    let store = StoreKind::PLAIN.build(&shape, folder.path());
    let from = |source: u32| request!("bc", "source" = source.to_string());
    let Some(Error::Usage(message)) = Setup::PLAIN.run(&store, &from(0)).err() else { panic!() };
    assert!(message.contains("paths"), "{message}");
    assert!(Setup::PLAIN.run(&store, &from(3 * 200)).is_ok());
}

#[test]
fn a_batch_cannot_count_too_many_paths_either() {
    // From each of 20 vertices to each of the next 20: 20 times as many paths in each step, of fewer than a batch can
    // count.
    let layer = |from: u32| (0..400).map(move |pair| (20 * from + pair / 20, 20 * from + 20 + pair % 20, 1.0));
    let shape = Shape { keys: 20 * 246, edges: (0..245).flat_map(layer).collect() };
    let folder = tempfile::tempdir().unwrap();
    let store = StoreKind::PLAIN.build(&shape, folder.path());
    let from = |layer: u32| {
        let sources = [20 * layer, 20 * layer + 1].map(|source| source.to_string()).to_vec();
        request!("bc", "source" = sources, "batch" = 2_u32)
    };
    let Some(Error::Usage(message)) = Setup::PLAIN.run(&store, &from(0)).err() else { panic!() };
    assert!(message.contains("paths"), "{message}");
    assert_eq!(Setup::PLAIN.run(&store, &from(20)).unwrap().record().convergence.iterations, 1);
}
