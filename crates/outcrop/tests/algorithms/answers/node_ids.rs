//! Ids that the budget does not hold are read from disk, batch by batch.

use crate::answer::Answer;
use crate::graph::{Ids, Model, Shape, StoreKind};
use crate::reference::{Trial, trials};
use crate::setup::{Memory, Setup, with};
use crate::shapes;
use outcrop::{BuildOrder, Purpose};
use std::path::Path;

/// More than a batch of rows.
const VERTICES: u32 = 50_000;

fn bytes_of_ids(store: &Path) -> u64 {
    let files = std::fs::read_dir(store).unwrap().map(Result::unwrap);
    let ids = files.filter(|file| file.file_name().to_string_lossy().starts_with("ids."));
    ids.map(|file| file.metadata().unwrap().len()).sum()
}

fn assert_same_either_way(shape: &Shape) {
    let kind = StoreKind { undirected: true, order: BuildOrder::Degree, ids: Ids::LongText, ..StoreKind::PLAIN };
    let folder = tempfile::tempdir().unwrap();
    let (store, model) = (kind.build(shape, folder.path()), Model::new(shape, kind));
    for trial in trials("bfs", &model).into_iter().chain(trials("wcc", &model)) {
        for memory in [Memory::Minimum, Memory::Ample] {
            assert_trial(&trial, &store, &model, Setup { memory, ..Setup::LEAST });
        }
    }
}

/// At the minimum there is no room for all ids, even if everything else were given back.
fn assert_trial(trial: &Trial, store: &Path, model: &Model, setup: Setup) {
    let request = with(&trial.request, "model", "edge_map");
    let (graph, estimate, budget) = setup.open_for(store, &request);
    let results = estimate.plan.needs().iter().find(|need| need.purpose == Purpose::Results).unwrap();
    let room = budget - results.bytes;
    assert_eq!(bytes_of_ids(store) < room, setup.memory == Memory::Ample);
    let answer = Answer::read(&graph.run(&request).unwrap(), model, store.parent().unwrap());
    (trial.check)(&answer);
}

#[test]
fn ids_from_all_over_the_file_come_back() {
    assert_same_either_way(&shapes::tree(VERTICES));
}

#[test]
fn a_few_ids_far_from_each_other_come_back() {
    assert_same_either_way(&shapes::hubs(VERTICES));
}
