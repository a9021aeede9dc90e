//! Handles that stay warm: the same answers and choices as of cold runs, fewer reads, and memory for whoever needs it.

use crate::graph::{Ids, Lists, Model, StoreKind};
use crate::matrix::{in_every_model, runs_on};
use crate::reference::trials;
use crate::setup::{Setup, request};
use crate::shapes;
use outcrop::{
    ALGORITHMS, BuildOrder, BuildRequest, BuildResources, CacheSize, Cancellation, EdgeInput, Error, Graph, Handle,
    IoChoice, IterationRecord, MemorySize, Observer, OpenOptions, Publishing, Purpose, Result, Rounds, RunRecord,
    RunRequest, RunResult, SelectionRequest, Selector, Silent, StaticShare, build,
};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const AMPLE: u64 = 256 << 20;

/// Options with one thread that reads in its own order: the order of reads decides what a cache holds, and that what is
/// read next.
fn options(memory: u64) -> OpenOptions {
    OpenOptions {
        memory: MemorySize::Bytes(memory),
        ..Setup { threads: 1, io: IoChoice::Mmap, ..Setup::PLAIN }.options()
    }
}

fn handle(store: &Path, memory: u64) -> Handle {
    Handle::open(store, options(memory)).unwrap()
}

fn run(handle: &Handle, request: &RunRequest<'_>) -> Result<RunResult> {
    handle.call(&Cancellation::new(), Arc::new(Silent), |graph| graph.run(request))
}

fn record(handle: &Handle, request: &RunRequest<'_>) -> RunRecord {
    run(handle, request).unwrap().record()
}

/// A search that selects: of several ways to the same answer, the cheaper one depends on what is cached.
fn bfs(source: &str) -> RunRequest<'static> {
    request!("bfs", "source" = source, "schedule" = "select")
}

fn rows(result: &RunResult, folder: &Path) -> String {
    let path = folder.join("rows.csv");
    result.table().write(&path, true).unwrap();
    std::fs::read_to_string(&path).unwrap()
}

fn store(folder: &Path, lists: Lists) -> PathBuf {
    StoreKind { lists, ..StoreKind::PLAIN }.build(&shapes::mixed(2000, 40_000), folder)
}

/// A warm run goes as a cold one does, gives the same, and stays within its memory. How many iterations labels take
/// that change in place depends on the order in which lists come, and with that on what is cached.
fn assert_as_cold(warm: &RunResult, cold: &RunResult, folder: &Path) {
    let (one, other) = (warm.record(), cold.record());
    let name = format!("{} in {} on {}", one.task.algorithm, one.task.model, one.task.layout);
    assert!(rows(warm, folder) == rows(cold, folder), "{name}");
    assert_eq!(
        (&one.task.model, one.traffic.values_on_disk),
        (&other.task.model, other.traffic.values_on_disk),
        "{name}"
    );
    assert_eq!(
        (&one.task.parameters, &one.answer.values, &one.notes),
        (&other.task.parameters, &other.answer.values, &other.notes),
        "{name}"
    );
    assert_eq!(one.pinned.static_cache_bytes, other.pinned.static_cache_bytes, "{name}");
    let figures = |record: &RunRecord| {
        record.optional.messages.as_ref().map(|messages| (messages.figures.sent, record.traffic.bytes_written))
    };
    assert_eq!(figures(&one), figures(&other), "{name}");
    let memory = warm.record();
    assert!(memory.memory.peak <= memory.memory.budget, "{name}: {}", memory.memory.peak);
}

#[test]
fn every_algorithm_by_turns_goes_and_answers_as_a_cold_run() {
    let shape = shapes::mixed(500, 4000);
    for (turn, lists) in [Lists::Chunked, Lists::Csr, Lists::Compact, Lists::Sliding].into_iter().enumerate() {
        let kind = StoreKind { weighted: true, lists, order: BuildOrder::Degree, ..StoreKind::PLAIN };
        let folder = tempfile::tempdir().unwrap();
        let (store, model) = (kind.build(&shape, folder.path()), Model::new(&shape, kind));
        let of = |name| trials(name, &model).into_iter().next();
        let trials: Vec<_> = ALGORITHMS.iter().filter_map(|algorithm| of(algorithm.spec().name)).collect();
        let requests = trials.iter().flat_map(|trial| in_every_model(&trial.request));
        let requests: Vec<_> = requests.filter(|request| runs_on(kind, request)).collect();
        let (ample, mut warm) = (handle(&store, AMPLE), 0);
        for (number, request) in requests.iter().enumerate().filter(|(number, _)| number % 2 == turn % 2) {
            let cold = Graph::open(&store, options(AMPLE)).unwrap().run(request).unwrap();
            let result = run(&ample, request).unwrap();
            assert_as_cold(&result, &cold, folder.path());
            warm += u32::from(result.record().traffic.bytes_read < cold.record().traffic.bytes_read);
            if number % 4 == turn {
                assert_as_cold_in_little(&store, request, folder.path());
            }
        }
        assert!(warm > 2, "{lists:?}: {warm} runs read less");
    }
}

/// The same with little more memory than the run takes at the least.
fn assert_as_cold_in_little(store: &Path, request: &RunRequest<'_>, folder: &Path) {
    let least = Graph::open(store, options(0)).unwrap().estimate(request).unwrap().minimum;
    let memory = least + (16 << 10);
    let cold = Graph::open(store, options(memory)).unwrap().run(request).unwrap();
    let handle = handle(store, memory);
    for _ in 0..2 {
        assert_as_cold(&run(&handle, request).unwrap(), &cold, folder);
    }
}

#[test]
fn a_second_run_reads_nothing_where_everything_is_held() {
    for lists in [Lists::Chunked, Lists::Csr, Lists::Compact, Lists::Sliding] {
        let folder = tempfile::tempdir().unwrap();
        let handle = handle(&store(folder.path(), lists), AMPLE);
        assert_eq!(handle.reclaimable_bytes(), 0);
        let first = record(&handle, &request!("pagerank", "iterations" = 2_u32));
        assert!(first.traffic.bytes_read > 0 && handle.reclaimable_bytes() > 0, "{lists:?}");
        let pagerank = record(&handle, &request!("pagerank", "iterations" = 3_u32));
        assert_eq!(
            (pagerank.traffic.bytes_read, pagerank.files.requests, pagerank.cache.cache_misses),
            (0, 0, 0),
            "{lists:?}"
        );
        assert!(pagerank.reading.batches > 0 && pagerank.reading.seconds_waiting == 0.0, "{lists:?}");
        let reached = record(&handle, &bfs("1"));
        assert!(record(&handle, &bfs("1")).traffic.bytes_read < reached.traffic.bytes_read.max(1), "{lists:?}");
        assert_eq!(record(&handle, &bfs("2")).traffic.bytes_read, 0, "{lists:?}");
    }
}

#[test]
fn a_cache_of_a_part_saves_a_part() {
    // The search selects the pages of csr in turn, and evicts each before it needs it again; those of compact too, in a
    // cache of less than what it holds by the end.
    for (lists, quarters) in [(Lists::Chunked, 3), (Lists::Compact, 8)] {
        let folder = tempfile::tempdir().unwrap();
        let store = store(folder.path(), lists);
        // One thread: what several evict depends on their turns.
        let options = OpenOptions { threads: Some(1), ..options(AMPLE) };
        let cold = Graph::open(&store, options.clone()).unwrap().run(&bfs("1")).unwrap().record().traffic.bytes_read;
        let handle =
            Handle::open(&store, OpenOptions { page_cache: CacheSize::Bytes(cold * quarters / 4), ..options }).unwrap();
        let [first, second] = [0; 2].map(|_| record(&handle, &bfs("1")).traffic.bytes_read);
        assert!(first > cold / 2, "{lists:?}");
        assert!(second > 0 && second < first, "{lists:?}: {second} of {first}");
    }
}

/// The most that was reserved for the page cache, in bytes.
fn page_cache(result: &RunResult) -> u64 {
    result.record().memory.by_purpose.bytes_for(Purpose::PageCache)
}

#[test]
fn a_cache_that_is_a_little_smaller_serves_too() {
    // Sweeps do not evict what is cached, in whatever order two threads read.
    let options = |memory| OpenOptions { memory: MemorySize::Bytes(memory), ..Setup::PLAIN.options() };
    let precision = |precision: &'static str| request!("pagerank", "iterations" = 2_u32, "precision" = precision);
    for lists in [Lists::Chunked, Lists::Csr, Lists::Compact, Lists::Sliding] {
        let folder = tempfile::tempdir().unwrap();
        let store = store(folder.path(), lists);
        // What vertices take more with double precision is missing in the page cache.
        let least = Graph::open(&store, options(0)).unwrap().estimate(&precision("f64")).unwrap().minimum;
        let memory = least + (100 << 10);
        let handle = Handle::open(&store, options(memory)).unwrap();
        let cold = |request| Graph::open(&store, options(memory)).unwrap().run(&request).unwrap();
        let [single, double] = ["f32", "f64"].map(|name| cold(precision(name)));
        run(&handle, &precision("f64")).unwrap();
        for name in ["f32", "f64", "f32"] {
            let warm = run(&handle, &precision(name)).unwrap();
            let cold = if name == "f32" { &single } else { &double };
            assert_as_cold(&warm, cold, folder.path());
            assert!(warm.record().traffic.bytes_read < cold.record().traffic.bytes_read, "{lists:?} {name}");
            assert_eq!(page_cache(&warm), page_cache(cold), "{lists:?} {name}");
        }
    }
}

#[test]
fn lists_of_selections_stay_too_until_others_are_selected() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path(), Lists::Csr);
    let select = |handle: &Handle, selector| {
        let request = SelectionRequest { size: "30%".parse().unwrap(), selector, keep: true };
        handle.call(&Cancellation::new(), Arc::new(Silent), |graph| graph.select(&request)).unwrap();
    };
    let part = OpenOptions {
        page_cache: CacheSize::Bytes(100 << 10),
        static_cache: StaticShare::Percent(60.0),
        ..options(AMPLE)
    };
    let (handle, other) = (Handle::open(&store, part.clone()).unwrap(), handle(&store, AMPLE));
    select(&handle, Selector::Gvs(Rounds::OneByOne));
    let (first, second) = (record(&handle, &bfs("1")), record(&handle, &bfs("1")));
    assert!(first.pinned.static_cache_bytes > 0 && first.pinned.static_cache_bytes == second.pinned.static_cache_bytes);
    assert!(second.traffic.bytes_read + first.pinned.static_cache_bytes / 2 < first.traffic.bytes_read, "{second:?}");
    // Another handle selects others.
    select(&other, Selector::Observed(1));
    let cold = Graph::open(&store, part).unwrap().run(&bfs("1")).unwrap();
    let warm = run(&handle, &bfs("1")).unwrap();
    assert_as_cold(&warm, &cold, folder.path());
    assert_eq!(warm.record().pinned.static_hits, cold.record().pinned.static_hits);
    select(&handle, Selector::Observed(2));
    assert_eq!(handle.reclaimable_bytes(), 0);
}

#[test]
fn a_run_that_needs_the_memory_gets_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path(), Lists::Csr);
    let large = request!("apsp", "samples" = 400_u32);
    let least = Graph::open(&store, options(0)).unwrap().estimate(&large).unwrap().minimum;
    let handle_of_least = handle(&store, least);
    let reached = run(&handle_of_least, &bfs("1")).unwrap();
    let kept = handle_of_least.reclaimable_bytes();
    assert!(kept > 0 && kept < least);
    let rows_before = rows(&reached, folder.path());
    let distances = run(&handle_of_least, &large).unwrap();
    let record = distances.record();
    assert!(record.memory.peak <= least, "{} of {least}", record.memory.peak);
    let cold = Graph::open(&store, options(least)).unwrap().run(&large).unwrap();
    assert_as_cold(&distances, &cold, folder.path());
    assert_eq!(rows(&reached, folder.path()), rows_before);
    // Neither is it refused otherwise than a cold one.
    let short = handle(&store, least - 1);
    run(&short, &bfs("1")).unwrap();
    let refusal = |result: Result<RunResult>| result.err().unwrap().to_string();
    let cold = Graph::open(&store, options(least - 1)).unwrap().run(&large);
    assert_eq!(refusal(run(&short, &large)), refusal(cold));
}

/// Does something in an iteration.
struct At(u32, Box<dyn Fn() + Send + Sync>);

impl Observer for At {
    fn iteration(&self, record: &IterationRecord) {
        if record.iteration == self.0 {
            (self.1)();
        }
    }
}

#[test]
fn a_run_that_fails_keeps_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let handle = handle(&store(folder.path(), Lists::Chunked), AMPLE);
    let pagerank = request!("pagerank", "iterations" = 4_u32);
    let expected = rows(&run(&handle, &pagerank).unwrap(), folder.path());
    assert!(handle.reclaimable_bytes() > 0);
    let cancellation = Cancellation::new();
    let flag = cancellation.clone();
    let stop = Arc::new(At(2, Box::new(move || flag.cancel())));
    let stopped = handle.call(&cancellation, stop, |graph| graph.run(&pagerank));
    assert!(matches!(stopped.err(), Some(Error::Interrupted)));
    assert_eq!(handle.reclaimable_bytes(), 0);
    // What stopped one run stops no other, nor does a panic.
    assert_eq!(rows(&run(&handle, &pagerank).unwrap(), folder.path()), expected);
    let panic = Arc::new(At(2, Box::new(|| panic!("in an observer"))));
    let call = || handle.call(&Cancellation::new(), panic, |graph| graph.run(&pagerank));
    assert!(catch_unwind(AssertUnwindSafe(call)).is_err());
    assert_eq!(handle.reclaimable_bytes(), 0);
    assert_eq!(rows(&run(&handle, &pagerank).unwrap(), folder.path()), expected);
    assert_eq!(record(&handle, &pagerank).traffic.bytes_read, 0);
}

#[test]
fn who_waits_for_a_handle_can_be_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let handle = handle(&store(folder.path(), Lists::Chunked), AMPLE);
    let stopped = Cancellation::new();
    stopped.cancel();
    let waiting = |_: &Graph| handle.call(&stopped, Arc::new(Silent), |_| Ok(()));
    let outcome = handle.call(&Cancellation::new(), Arc::new(Silent), waiting);
    assert!(matches!(outcome, Err(Error::Interrupted)));
    assert_eq!(handle.info().vertices, 2000);
}

#[test]
fn a_result_outlives_its_handle_and_its_store() {
    let shape = shapes::mixed(300, 2000);
    for ids in [Ids::Dense, Ids::Sparse, Ids::Text] {
        let folder = tempfile::tempdir().unwrap();
        let kind = StoreKind { ids, order: BuildOrder::Degree, ..StoreKind::PLAIN };
        let store = kind.build(&shape, folder.path());
        let handle = handle(&store, AMPLE);
        let result = run(&handle, &bfs(&ids.name(1))).unwrap();
        let expected = rows(&result, folder.path());
        let edges = folder.path().join("other.el");
        std::fs::write(&edges, "1 2\n").unwrap();
        let other = BuildRequest::new(vec![EdgeInput::from(edges)], store.clone());
        let other = BuildRequest {
            publishing: Publishing { overwrite: true, ..other.publishing },
            resources: BuildResources { memory: MemorySize::Bytes(64 << 20), ..other.resources },
            ..other
        };
        let replace = || build(&other, &Cancellation::new(), &Silent);
        assert!(matches!(replace(), Err(Error::InUse { .. })), "{ids:?}");
        drop(handle);
        replace().unwrap();
        assert_eq!(Graph::open(&store, options(AMPLE)).unwrap().num_vertices(), 2, "{ids:?}");
        assert_eq!(rows(&result, folder.path()), expected, "{ids:?}");
        assert_eq!(result.table().top(3).unwrap().num_rows(), 3);
    }
}

#[test]
fn what_is_kept_makes_room_for_rows_of_results() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path(), Lists::Csr);
    let least = Graph::open(&store, options(0)).unwrap().estimate(&bfs("1")).unwrap().minimum;
    for memory in [least, least + (200 << 10), least + (1 << 20)] {
        let handle = handle(&store, memory);
        let result = run(&handle, &bfs("1")).unwrap();
        let kept = handle.reclaimable_bytes();
        assert!(kept > 0);
        rows(&result, folder.path());
        assert!(result.record().memory.peak <= memory);
        assert_eq!(handle.reclaimable_bytes(), kept, "read buffers make room for rows");
    }
}
