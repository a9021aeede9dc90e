//! Runs that hold pre-selected lists beside their page cache: the same answers, what was asked for, and the records of
//! it.

use crate::graph::{Lists, Model, StoreKind};
use crate::reference::trials;
use crate::setup::{Setup, request};
use crate::shapes;
use outcrop::{
    ALGORITHMS, CacheSize, Error, Graph, Handle, IterationRecord, MemorySize, OpenOptions, Purpose, Result, RunRecord,
    RunRequest, StaticCacheInfo, StaticShare,
};
use outcrop_io::{Disk, IoChoice};
use outcrop_store::access::Workers;
use outcrop_store::{SelectionDraft, SelectionNote, Store, WorkContext};
use outcrop_types::{Cancellation, Direction, MemoryBudget, Silent};
use std::path::Path;
use std::sync::Arc;

/// Keeps a selection of both directions of all lists, those of vertices at the end first.
fn select(store: &Path) {
    let store = Store::open(store).unwrap();
    let ranked: Vec<u32> = (0..store.manifest().graph.vertices).rev().collect();
    let (budget, workers) = (MemoryBudget::new(1 << 30), Workers::start(2, Cancellation::new()).unwrap());
    let note = SelectionNote { method: "backwards".to_owned(), rounds: 1 };
    let mut draft = SelectionDraft::begin(&Disk, &store).unwrap();
    for direction in [Direction::Out, Direction::In] {
        let (io, observer) = (IoChoice::Buffered, &Silent);
        let work = WorkContext { storage: &Disk, io, budget: &budget, workers: &workers, observer };
        draft.write(direction, &ranked, &note, u64::MAX, work).unwrap();
    }
    draft.publish().unwrap();
}

/// Options with a cache of `cache` bytes, of which lists of the selections are `share`.
fn options(cache: u64, share: StaticShare) -> OpenOptions {
    OpenOptions {
        memory: MemorySize::Bytes(1 << 30),
        page_cache: CacheSize::Bytes(cache),
        static_cache: share,
        ..Setup::PLAIN.options()
    }
}

fn open(store: &Path, cache: u64, share: StaticShare) -> Graph {
    Graph::open(store, options(cache, share)).unwrap()
}

fn table(graph: &Graph, request: &RunRequest<'_>, path: &Path) -> (String, RunRecord) {
    let result = graph.run(request).unwrap();
    result.table().write(path, true).unwrap();
    (std::fs::read_to_string(path).unwrap(), result.record())
}

#[test]
fn every_algorithm_gives_the_same_with_any_part_held() {
    let shape = shapes::mixed(900, 9000);
    for lists in [Lists::Csr, Lists::Chunked, Lists::TinyChunks, Lists::Compact] {
        let kind = StoreKind { weighted: true, lists, ..StoreKind::PLAIN };
        let folder = tempfile::tempdir().unwrap();
        let (store, model) = (kind.build(&shape, folder.path()), Model::new(&shape, kind));
        select(&store);
        for algorithm in ALGORITHMS {
            for trial in trials(algorithm.spec().name, &model) {
                let path = store.with_file_name("result.csv");
                let run = |percent| {
                    let graph = open(&store, 48 << 10, StaticShare::Percent(percent));
                    table(&graph, &trial.request, &path)
                };
                let (alone, record) = run(0.0);
                assert_eq!(
                    (record.pinned.static_hits, record.pinned.static_cache_bytes, record.pinned.static_hit_ratio),
                    (0, 0, None)
                );
                for percent in [50.0, 100.0] {
                    let (held, record) = run(percent);
                    assert!(held == alone, "{lists:?} {:?}", trial.request);
                    assert_record(&record, percent);
                }
            }
        }
    }
}

fn assert_record(record: &RunRecord, percent: f64) {
    let most = (f64::from(48 << 10) * percent / 100.0) as u64;
    assert!(record.pinned.static_cache_bytes > most / 2 && record.pinned.static_cache_bytes <= most, "{record:?}");
    let bytes = |purpose| {
        record.memory.by_purpose.needs().iter().find(|need| need.purpose == purpose).map_or(0, |need| need.bytes)
    };
    assert_eq!(bytes(Purpose::StaticCache), record.pinned.static_cache_bytes);
    assert!(bytes(Purpose::PageCache) + record.pinned.static_cache_bytes <= 48 << 10);
    let sum = |of: fn(&IterationRecord) -> u64| record.iterations_detail.iter().map(of).sum::<u64>();
    let lists = record.pinned.static_hits + record.pinned.static_misses;
    assert!(
        sum(|one| one.static_hits) <= record.pinned.static_hits
            && sum(|one| one.static_misses) <= record.pinned.static_misses
    );
    assert_eq!(record.pinned.static_hit_ratio, (lists > 0).then(|| record.pinned.static_hits as f64 / lists as f64));
}

fn bfs() -> RunRequest<'static> {
    request!("bfs", "source" = "1")
}

fn store_with_selection(folder: &Path) -> std::path::PathBuf {
    let kind = StoreKind { lists: Lists::Csr, ..StoreKind::PLAIN };
    let store = kind.build(&shapes::mixed(2000, 40_000), folder);
    select(&store);
    store
}

#[test]
fn what_is_held_is_counted_and_saves_reads() {
    let folder = tempfile::tempdir().unwrap();
    let store = store_with_selection(folder.path());
    let run = |percent| open(&store, 1 << 20, StaticShare::Percent(percent)).run(&bfs()).unwrap().record();
    let all = run(100.0);
    assert!(
        all.pinned.static_hits > 500 && all.pinned.static_misses == 0 && all.pinned.static_hit_ratio == Some(1.0),
        "{all:?}"
    );
    let during: u64 = all.iterations_detail.iter().map(|one| one.bytes_read).sum();
    assert!(
        during == 0 && all.traffic.bytes_read >= all.pinned.static_cache_bytes / 2 && all.files.requests > 0,
        "{all:?}"
    );
    let hits: u64 = all.iterations_detail.iter().map(|one| one.static_hits).sum();
    assert_eq!(hits, all.pinned.static_hits);
}

#[test]
fn by_itself_a_graph_that_stays_open_holds_lists_where_that_helps() {
    let folder = tempfile::tempdir().unwrap();
    let store = store_with_selection(folder.path());
    let held = |cache, request: &RunRequest<'_>| {
        // A single run would read more to load them than it saves.
        let single = open(&store, cache, StaticShare::Auto).run(request).unwrap().record();
        assert_eq!(single.pinned.static_cache_bytes, 0);
        let handle = Handle::open(&store, options(cache, StaticShare::Auto)).unwrap();
        let ran = handle.call(&Cancellation::new(), Arc::new(Silent), |graph| graph.run(request)).unwrap();
        ran.record().pinned.static_cache_bytes
    };
    let (little, ample) = (64 << 10, 64 << 20);
    assert!((held(little, &bfs()) > little / 2) && held(little, &bfs()) <= little * 8 / 10);
    assert_eq!(held(ample, &bfs()), 0, "all lists fit the page cache");
    assert_eq!(held(0, &bfs()), 0);
    assert_eq!(held(little, &request!("pagerank")), 0, "it sweeps over all");
    assert_eq!(held(little, &request!("wcc")), 0);
    let delta = request!("pagerank", "delta" = 1e-3);
    assert!(held(little, &delta) > 0);
}

#[test]
fn without_a_selection_a_part_cannot_be_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let store = StoreKind::PLAIN.build(&shapes::mixed(500, 3000), folder.path());
    let run = |share| -> Result<()> { open(&store, 1 << 12, share).run(&bfs()).map(|_| ()) };
    let Err(Error::Usage(message)) = run(StaticShare::Percent(1.0)) else { panic!("no selection") };
    assert!(message.contains("outcrop cache"), "{message}");
    run(StaticShare::Auto).unwrap();
    run(StaticShare::Percent(0.0)).unwrap();
    assert!(open(&store, 0, StaticShare::Auto).info().static_cache.is_empty());
}

#[test]
fn a_damaged_selection_is_an_error_that_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let store = store_with_selection(folder.path());
    let path = store.join("static.out");
    let original = std::fs::read(&path).unwrap();
    for place in [3, 70, 4096 + 100, original.len() - 1] {
        let mut bytes = original.clone();
        bytes[place] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        let error = open(&store, 1 << 20, StaticShare::Percent(100.0)).run(&bfs()).err().unwrap();
        let text = error.to_string();
        assert_eq!(error.exit_code(), 7, "{text}");
        assert!(text.contains("static.out") && text.contains("outcrop cache") && text.contains("--static-cache 0%"));
        open(&store, 1 << 20, StaticShare::Percent(0.0)).run(&bfs()).unwrap();
    }
}

#[test]
fn info_and_estimate_tell_of_selections() {
    let folder = tempfile::tempdir().unwrap();
    let store = store_with_selection(folder.path());
    let graph = open(&store, 0, StaticShare::Auto);
    let kept = |info: &StaticCacheInfo| match info {
        StaticCacheInfo::Kept(selection) => selection.clone(),
        StaticCacheInfo::Damaged { damaged, .. } => panic!("{damaged}"),
    };
    let info: Vec<_> = graph.info().static_cache.iter().map(kept).collect();
    let directions: Vec<_> = info.iter().map(|one| one.direction).collect();
    assert_eq!(directions, [Direction::Out, Direction::In]);
    assert!(
        info.iter()
            .all(|one| one.method == "backwards" && one.lists > 1000 && one.arcs == 40_000 && one.bytes > 160_000)
    );
    let estimate = graph.estimate(&bfs()).unwrap();
    assert!(estimate.static_cache >= info.iter().map(|one| one.bytes).sum());
    std::fs::write(store.join("static.in"), [0; 4096]).unwrap();
    let damaged = graph.info().static_cache;
    assert_eq!(kept(&damaged[0]), info[0]);
    assert!(
        matches!(&damaged[1], StaticCacheInfo::Damaged { direction: Direction::In, damaged } if damaged.contains("static.in"))
    );
}
