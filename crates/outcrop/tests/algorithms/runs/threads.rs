//! Answers are the same to the last bit, however many threads there are.

use crate::graph::{Model, Shape, StoreKind};
use crate::matrix::{in_every_model, is_proof, runs_on};
use crate::reference::trials;
use crate::setup::{Setup, request};
use crate::shapes;
use outcrop::{ALGORITHMS, BuildOrder, RunRequest};
use std::path::Path;

pub fn table(store: &Path, request: &RunRequest<'_>, threads: usize) -> String {
    let path = store.with_file_name("result.csv");
    let result = Setup { threads, ..Setup::PLAIN }.run(store, request).unwrap();
    result.table().write(&path, true).unwrap();
    std::fs::read_to_string(path).unwrap()
}

/// Calls `take` with a store of this kind and each request of the trials that runs on it, in every model, numbered for
/// each algorithm.
pub fn for_each_request(shape: &Shape, kind: StoreKind, mut take: impl FnMut(&Path, usize, &RunRequest<'_>)) {
    let folder = tempfile::tempdir().unwrap();
    let (store, model) = (kind.build(shape, folder.path()), Model::new(shape, kind));
    for algorithm in ALGORITHMS {
        let trials = trials(algorithm.spec().name, &model);
        let requests = trials.iter().flat_map(|trial| in_every_model(&trial.request));
        requests.filter(|request| runs_on(kind, request)).enumerate().for_each(|(number, request)| {
            take(&store, number, &request);
        });
    }
}

/// True if request number `request` is run with so many threads beside one: by turns, or all with `OUTCROP_PROOF`.
fn is_tried(request: usize, threads: usize) -> bool {
    is_proof() || request.is_multiple_of(2) == (threads == 2)
}

#[test]
fn every_algorithm_gives_the_same_bits_with_any_number_of_threads() {
    let shape = shapes::mixed(2000, 12_000);
    for undirected in [false, true] {
        let kind = StoreKind { undirected, weighted: true, ..StoreKind::PLAIN };
        for_each_request(&shape, kind, |store, number, request| {
            let alone = table(store, request, 1);
            for threads in [2, 16].into_iter().filter(|threads| is_tried(number, *threads)) {
                assert_eq!(table(store, request, threads), alone, "{request:?}");
            }
        });
    }
}

#[test]
fn a_push_gives_the_same_bits_in_any_order() {
    let shape = shapes::mixed(3000, 30_000);
    let request = request!("ppr", "source" = "7");
    let [original, by_degree] = [BuildOrder::Original, BuildOrder::Degree].map(|order| {
        let folder = tempfile::tempdir().unwrap();
        let store = StoreKind { order, ..StoreKind::PLAIN }.build(&shape, folder.path());
        table(&store, &request, 3)
    });
    assert_eq!(original, by_degree);
}
