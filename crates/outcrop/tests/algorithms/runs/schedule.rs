//! Runs that are told to select or to sweep: the same answers, and records of what they read.

use crate::answer::Answer;
use crate::graph::{Lists, Model, StoreKind};
use crate::reference::trials;
use crate::setup::{Cache, Memory, Setup, request, with};
use crate::shapes;
use outcrop::{ALGORITHMS, IterationRecord, RunRecord, RunRequest, Schedule};
use outcrop_types::{AccessMode, EdgeDirection};
use std::path::Path;

/// A page cache of one page, so that next to everything is read.
const ONE_PAGE: Setup = Setup { cache: Cache::OnePage, memory: Memory::Little, ..Setup::PLAIN };

#[test]
fn every_algorithm_gives_what_the_references_give_whatever_is_forced() {
    let shape = shapes::mixed(500, 3000);
    for (number, lists) in [Lists::Chunked, Lists::TinyChunks, Lists::Csr, Lists::SmallPages].into_iter().enumerate() {
        let kind = StoreKind { undirected: number % 2 == 1, weighted: number < 2, lists, ..StoreKind::PLAIN };
        let folder = tempfile::tempdir().unwrap();
        let (store, model) = (kind.build(&shape, folder.path()), Model::new(&shape, kind));
        for trial in ALGORITHMS.iter().flat_map(|algorithm| trials(algorithm.spec().name, &model)) {
            for schedule in Schedule::ALL {
                println!("{kind:?} {schedule:?} {:?}", trial.request);
                let request = with(&trial.request, "schedule", schedule.name());
                for setup in [ONE_PAGE, Setup { threads: 1, ..Setup::PLAIN }] {
                    let result = setup.run(&store, &request).unwrap();
                    assert_eq!(result.record().task.schedule, schedule.name());
                    (trial.check)(&Answer::read(&result, &model, folder.path()));
                }
            }
        }
    }
}

fn record(store: &Path, request: &RunRequest<'_>, schedule: Schedule) -> RunRecord {
    let request = with(request, "schedule", schedule.name());
    Setup { threads: 1, ..ONE_PAGE }.run(store, &request).unwrap().record()
}

/// Requests whose iterations are decided.
fn requests() -> [RunRequest<'static>; 3] {
    let from = |name| request!(name, "source" = "1");
    [from("bfs"), from("sssp"), request!("wcc", "method" = "label-propagation")]
}

/// A long path beside a dense part: some iterations need next to nothing, others next to everything.
fn store(lists: Lists, folder: &Path) -> std::path::PathBuf {
    const LENGTH: u32 = 50;
    let mut shape = shapes::mixed(4000, 60_000);
    let path = (shape.keys..).take(LENGTH as usize);
    shape.edges.push((1, shape.keys, 1.0));
    shape.edges.extend(path.map(|key| (key, key + 1, 1.0)));
    shape.keys += LENGTH + 1;
    StoreKind { lists, ..StoreKind::PLAIN }.build(&shape, folder)
}

fn each(record: &RunRecord, holds: impl Fn(&IterationRecord) -> bool) {
    assert!(!record.iterations_detail.is_empty());
    record.iterations_detail.iter().for_each(|one| assert!(holds(one), "{} {one:?}", record.task.algorithm));
}

#[test]
fn a_forced_sweep_reads_everything_and_a_forced_select_what_is_needed() {
    for lists in [Lists::Csr, Lists::SmallPages, Lists::TinyChunks] {
        let folder = tempfile::tempdir().unwrap();
        let store = store(lists, folder.path());
        for request in requests() {
            let [auto, select, sweep] = Schedule::ALL.map(|schedule| record(&store, &request, schedule));
            let both_ways = if sweep.task.algorithm == "wcc" { 2 } else { 1 };
            each(&sweep, |one| one.access == AccessMode::Sweep);
            each(&sweep, |one| one.bytes_read * 2 * 10 >= sweep.files.lists_bytes * both_ways * 9 - (16 << 10) * 10);
            each(&select, |one| one.access == AccessMode::Select && one.direction == EdgeDirection::Push);
            each(&select, |one| one.bytes_read <= one.select_bytes + one.select_bytes / 2 + (64 << 10));
            assert!(select.traffic.bytes_read < sweep.traffic.bytes_read, "{lists:?} {}", select.task.algorithm);
            // What is estimated is not exact, and a sweep may be preferred that reads more in less time.
            let least = select.traffic.bytes_read.min(sweep.traffic.bytes_read);
            assert!(
                auto.traffic.bytes_read <= least + least / 2,
                "{lists:?} {}: {} {least}",
                auto.task.algorithm,
                auto.traffic.bytes_read
            );
        }
    }
}

#[test]
fn a_forced_sweep_pulls_where_a_pull_is_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(Lists::Csr, folder.path());
    let [bfs, sssp, wcc] = requests().map(|request| record(&store, &request, Schedule::Sweep));
    each(&bfs, |one| one.direction == EdgeDirection::Pull);
    assert_eq!(sssp.iterations_detail[0].direction, EdgeDirection::Push);
    each(&wcc, |one| one.direction == EdgeDirection::Push);
}

#[test]
fn records_tell_what_was_estimated() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(Lists::Csr, folder.path());
    for record in requests().map(|request| record(&store, &request, Schedule::Auto)) {
        each(&record, |one| one.sweep_bytes > 0 && one.sweep_seconds > 0.0 && one.seconds_scheduling > 0.0);
        each(&record, |one| one.seconds_scheduling <= one.seconds);
        let sum: f64 = record.iterations_detail.iter().map(|one| one.seconds_scheduling).sum();
        assert!((record.time.seconds_scheduling - sum).abs() < 1e-9);
    }
    let pagerank = record(&store, &request!("pagerank"), Schedule::Select);
    each(&pagerank, |one| one.sweep_bytes == 0 && one.access == AccessMode::Sweep);
}

#[test]
fn what_is_in_memory_costs_no_reading() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(Lists::TinyChunks, folder.path());
    let wcc = &requests()[2];
    let record = Setup::PLAIN.run(&store, wcc).unwrap().record();
    each(&record, |one| one.sweep_bytes == 0 && one.select_bytes == 0 && one.bytes_read == 0);
    let (first, later) = record.iterations_detail.split_first().unwrap();
    assert!(first.access == AccessMode::Sweep && later.iter().all(|one| one.access == AccessMode::Select));
}
