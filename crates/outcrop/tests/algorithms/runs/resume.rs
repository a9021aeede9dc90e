//! A run that is stopped again and again, and goes on from its checkpoints, gives the bits of one that is not.

use super::threads::{for_each_request, table};
use crate::graph::{Lists, StoreKind};
use crate::matrix::is_proof;
use crate::setup::{Setup, model_of, request, with};
use crate::shapes;
use outcrop::{
    Arg, BuildOrder, Cancellation, CheckpointOptions, EdgeInput, Error, Graph, Handle, IterationRecord, MemorySize,
    MergeRule, Observer, OpenOptions, Result, RunRequest, RunResult, UpdateRequest,
};
use outcrop_engine::Checkpoints;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Stops a run after so many iterations of it, and keeps its notes.
struct Stopper {
    after: u32,
    iterations: AtomicU32,
    notes: Mutex<Vec<String>>,
    cancellation: Cancellation,
}

impl Stopper {
    fn new(after: u32) -> Self {
        Self { after, iterations: AtomicU32::new(0), notes: Mutex::default(), cancellation: Cancellation::new() }
    }
}

impl Observer for Stopper {
    fn iteration(&self, _: &IterationRecord) {
        if self.iterations.fetch_add(1, Relaxed) + 1 == self.after {
            self.cancellation.cancel();
        }
    }

    fn note(&self, message: &str) {
        self.notes.lock().unwrap().push(message.to_owned());
    }
}

/// A run of `request` that is stopped `after` so many iterations, and what it notes.
fn run(store: &Path, request: &RunRequest<'_>, after: u32) -> (Result<RunResult>, Vec<String>) {
    let (stopper, memory) = (Arc::new(Stopper::new(after)), MemorySize::Bytes(64 << 20));
    let cancellation = stopper.cancellation.clone();
    let options = OpenOptions { cancellation, memory, observer: stopper.clone(), ..Setup::PLAIN.options() };
    let ran = Graph::open(store, options).unwrap().run(request);
    let notes = std::mem::take(&mut *stopper.notes.lock().unwrap());
    (ran, notes)
}

/// `request` with a checkpoint in each round.
fn kept<'a>(request: &RunRequest<'a>, folder: &Path, resume: bool) -> RunRequest<'a> {
    let options = CheckpointOptions { every: Duration::ZERO, resume, ..CheckpointOptions::new(folder) };
    request.clone().with_checkpoints(options)
}

/// The rows of a run that is stopped every few iterations until it ends, and how often it went on.
fn stopped_rows(store: &Path, request: &RunRequest<'_>, after: u32) -> (String, u32) {
    let folder = store.with_file_name("checkpoints");
    let mut went_on = 0;
    for attempt in 0..2000 {
        // What comes behind the last checkpoint has to come to an end too.
        let (ran, notes) = run(store, &kept(request, &folder, true), after + attempt / 16);
        went_on += u32::from(notes.iter().any(|note| note.contains("resumed from a checkpoint")));
        match ran {
            Ok(result) => {
                let path = store.with_file_name("resumed.csv");
                match result.table().write(&path, true) {
                    // It was stopped in the last iteration: the checkpoint stands until the result does.
                    Err(Error::Interrupted) => continue,
                    written => written.unwrap(),
                }
                result.remove_checkpoint().unwrap();
                assert!(!folder.exists(), "{request:?}");
                return (std::fs::read_to_string(path).unwrap(), went_on);
            }
            Err(Error::Interrupted) => {}
            Err(error) => {
                let given: Vec<_> = request.args().given().map(|(info, arg)| (info.name, arg)).collect();
                return (format!("{given:?}: {error}"), 0);
            }
        }
    }
    panic!("{request:?} does not come to an end");
}

/// Algorithms and models whose runs end before the first place where they can be stopped, in a graph as small and
/// memory as large.
const WITHOUT: &[&str] = &["scc edge_map"];

/// True if request number `request` is tried on a store: the first of an algorithm in a model, and by turns one of six
/// others; all with `OUTCROP_PROOF`.
fn is_tried(request: usize, undirected: bool, first: bool) -> bool {
    is_proof() || first || request % 6 == if undirected { 3 } else { 0 }
}

#[test]
fn every_algorithm_goes_on_to_the_same_bits_however_often_it_is_stopped() {
    let shape = shapes::mixed(600, 3600);
    // How often each went on.
    let mut tried = BTreeMap::<String, u32>::new();
    let mut wrong = Vec::new();
    for (undirected, order) in [(false, BuildOrder::Degree), (true, BuildOrder::Original)] {
        let kind = StoreKind { undirected, weighted: true, order, ..StoreKind::PLAIN };
        for_each_request(&shape, kind, |store, number, request| {
            let name = format!("{} {}", request.algorithm().spec().name, model_of(request).unwrap().name());
            let first = !tried.contains_key(&name);
            if is_tried(number, undirected, first) {
                let after = [2, 3, 5][number % 3];
                let expected = table(store, request, 2);
                let (rows, went_on) = stopped_rows(store, request, after);
                *tried.entry(name.clone()).or_default() += went_on;
                let mut found = vec![(rows, format!("stopped after {after}"))];
                if first {
                    let (rows, stops) = stepped_rows(store, request, &[(64 << 20, 2)]);
                    found.push((rows, "stopped at each place".to_owned()));
                    *tried.entry(name.clone()).or_default() += stops;
                }
                let given: Vec<_> = request.args().given().map(|(info, arg)| (info.name, arg)).collect();
                let others = found.iter().filter(|(rows, _)| *rows != expected);
                wrong.extend(others.map(|(rows, how)| format!("{name} {how}: {given:?}: {rows:.200}")));
            }
        });
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    println!("{tried:?}");
    let without: Vec<_> = tried.iter().filter(|(_, times)| **times == 0).map(|(name, _)| name.as_str()).collect();
    assert_eq!(without, WITHOUT);
}

/// The rows of a run that is stopped at each place where that can be, and goes on by turns with each of these bytes of
/// memory and numbers of threads; how often it was stopped.
fn stepped_rows(store: &Path, request: &RunRequest<'_>, setups: &[(u64, usize)]) -> (String, u32) {
    let folder = store.with_file_name("checkpoints");
    for (stops, (memory, threads)) in (0..10_000).zip(setups.iter().cycle()) {
        let cancellation = Cancellation::new();
        cancellation.cancel_at_checkpoint();
        let (memory, threads) = (MemorySize::Bytes(*memory), Some(*threads));
        let options = OpenOptions { cancellation, memory, threads, ..Setup::PLAIN.options() };
        match Graph::open(store, options).unwrap().run(&kept(request, &folder, true)) {
            Ok(result) => {
                let path = store.with_file_name("resumed.csv");
                result.table().write(&path, true).unwrap();
                result.remove_checkpoint().unwrap();
                return (std::fs::read_to_string(path).unwrap(), stops);
            }
            Err(Error::Interrupted) => {}
            Err(error) => panic!("{request:?} in {memory:?}: {error}"),
        }
    }
    panic!("{request:?} does not come to an end");
}

#[test]
fn triangles_go_on_within_passes_with_any_memory() {
    let shape = shapes::mixed(1000, 60_000);
    for undirected in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let kind = StoreKind { undirected, weighted: true, order: BuildOrder::Degree, ..StoreKind::PLAIN };
        let store = kind.build(&shape, folder.path());
        let requests = [request!("triangles"), request!("lcc"), request!("lcc", "weighted" = true)];
        for request in &requests[..if undirected { 3 } else { 2 }] {
            let (_, estimate, least) = Setup::LEAST.open_for(&store, request);
            let least = least + Checkpoints::MEMORY_BYTES;
            let most = estimate.all_in_memory + (64 << 20);
            let expected = table(&store, request, 2);
            // Where it begins in little memory it has no hubs, and goes on without; with hubs it needs memory for them.
            // More memory holds more lists than have been taken, some of which others have gone past.
            let grows = [vec![(least + (1 << 17), 1); 8], vec![(most, 3), (least, 1)]].concat();
            for setups in [grows, vec![(most, 1), (most, 2), (2 * most, 5)]] {
                let (rows, stops) = stepped_rows(&store, request, &setups);
                assert_eq!(rows, expected, "{request:?} {setups:?}");
                assert!(stops > 5, "{request:?} {setups:?}: {stops}");
            }
        }
    }
}

#[test]
fn a_pass_over_all_lists_goes_on_within_it() {
    let shape = shapes::mixed(2000, 400_000);
    let requests = [
        request!("wcc", "method" = "afforest"),
        request!("wcc", "method" = "sweep"),
        request!("spmv"),
        request!("spmv", "transpose" = true, "precision" = "f32", "combine" = "min", "edge" = "plus"),
        request!("spmv", "model" = "interval"),
        request!("spmv", "model" = "interval", "values" = "disk"),
    ];
    for (undirected, lists, some) in
        [(false, Lists::TinyChunks, 0..6), (true, Lists::Chunked, 0..1), (false, Lists::Csr, 1..3)]
    {
        let folder = tempfile::tempdir().unwrap();
        let kind = StoreKind { undirected, lists, weighted: true, order: BuildOrder::Degree, ..StoreKind::PLAIN };
        let store = kind.build(&shape, folder.path());
        for request in &requests[some] {
            // With values on disk bits depend on memory.
            let (_, _, least) = Setup::LEAST.open_for(&store, request);
            let path = folder.path().join("whole.csv");
            Setup::LEAST.run(&store, request).unwrap().table().write(&path, true).unwrap();
            let (rows, stops) = stepped_rows(&store, request, &[(least + Checkpoints::MEMORY_BYTES, 1)]);
            assert_eq!(rows, std::fs::read_to_string(path).unwrap(), "{kind:?} {request:?}");
            assert!(stops > 1, "{kind:?} {request:?}: {stops}");
        }
    }
}

#[test]
fn edges_that_come_while_a_run_is_under_way_come_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = StoreKind { weighted: true, ..StoreKind::PLAIN }.build(&shapes::mixed(600, 3600), folder.path());
    let later = folder.path().join("later.csv");
    let edges = (0..500).map(|edge| format!("{},{},0.25\n", edge * 7 % 600, edge * 31 % 600));
    std::fs::write(&later, edges.collect::<String>()).unwrap();
    for (shards, request) in [
        ("static", request!("pagerank", "delta" = 1e-6, "unweighted" = true)),
        ("ods", request!("sssp", "source" = "7")),
        ("ads", request!("bfs", "source" = "7")),
    ] {
        let request = with(&with(&request, "model", "gas"), "arrivals", Arg::File(later.clone()));
        let request = with(&with(&request, "arrive-after", 3_u32), "shards", shards);
        let (rows, stops) = stepped_rows(&store, &request, &[(64 << 20, 2)]);
        let path = folder.path().join("whole.csv");
        run(&store, &request, u32::MAX).0.unwrap().table().write(&path, true).unwrap();
        assert_eq!(rows, std::fs::read_to_string(path).unwrap(), "{request:?}");
        assert!(stops > 5, "{request:?}: {stops}");
    }
}

#[test]
fn components_go_on_in_the_way_in_which_they_began() {
    let folder = tempfile::tempdir().unwrap();
    let kind = StoreKind { order: BuildOrder::Degree, ..StoreKind::PLAIN };
    let store = kind.build(&shapes::mixed(2000, 40_000), folder.path());
    let (dir, path) = (folder.path().join("kept"), folder.path().join("resumed.csv"));
    for _ in 0..70 {
        let cancellation = Cancellation::new();
        cancellation.cancel_at_checkpoint();
        let options = OpenOptions { cancellation, ..Setup::PLAIN.options() };
        let ran = Graph::open(&store, options).unwrap().run(&kept(&request!("wcc"), &dir, true));
        assert!(matches!(ran, Err(Error::Interrupted)));
    }
    // Where all lists are in memory it would be by every edge.
    let options = OpenOptions { memory: MemorySize::Bytes(64 << 20), ..Setup::PLAIN.options() };
    let (handle, observer) = (Handle::open(&store, options).unwrap(), Arc::new(Stopper::new(u32::MAX)));
    let run = |request: &RunRequest<'_>| {
        handle.call(&Cancellation::new(), observer.clone(), |graph| graph.run(request)).unwrap()
    };
    run(&request!("wcc", "method" = "label-propagation"));
    run(&kept(&request!("wcc"), &dir, true)).table().write(&path, true).unwrap();
    let notes = observer.notes.lock().unwrap();
    assert!(notes.iter().any(|note| note.contains("resumed from a checkpoint after iteration 1")), "{notes:?}");
    assert_eq!(std::fs::read_to_string(path).unwrap(), table(&store, &request!("wcc"), 2));
}

/// A store, a run of many iterations on it, and a folder with a checkpoint after the second.
fn stopped() -> (tempfile::TempDir, std::path::PathBuf, RunRequest<'static>) {
    let folder = tempfile::tempdir().unwrap();
    let store = StoreKind::PLAIN.build(&shapes::mixed(500, 3000), folder.path());
    let request = request!("pagerank", "iterations" = 12_u32);
    let (ran, notes) = run(&store, &kept(&request, &folder.path().join("kept"), true), 3);
    assert!(matches!(ran, Err(Error::Interrupted)));
    assert!(notes.iter().any(|note| note.contains("from the beginning")), "{notes:?}");
    (folder, store, request)
}

/// The one checkpoint in a folder.
fn checkpoint(folder: &Path) -> std::path::PathBuf {
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut found = names.filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with("checkpoint-"));
    let one = found.next().unwrap();
    assert!(found.next().is_none());
    one
}

fn refusal(ran: (Result<RunResult>, Vec<String>)) -> String {
    match ran.0 {
        Err(Error::Usage(message)) => message,
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("it ran"),
    }
}

#[test]
fn a_checkpoint_of_another_run_is_refused() {
    let (folder, store, request) = stopped();
    let dir = folder.path().join("kept");
    let told = |request: &RunRequest<'_>, store: &Path, resume| refusal(run(store, &kept(request, &dir, resume), 100));
    assert!(
        told(&request, &store, false).contains("contains a checkpoint; use --resume to continue from it, or remove it")
    );
    assert!(told(&with(&request, "alpha", 0.9), &store, true).contains("--alpha was 0.85, now 0.9"));
    assert!(told(&with(&request, "model", "interval"), &store, true).contains("belongs to another run"));
    assert!(told(&request!("kcore"), &store, true).contains("belongs to another run"));
    let other = tempfile::tempdir().unwrap();
    let elsewhere = StoreKind::PLAIN.build(&shapes::mixed(500, 3000), other.path());
    assert!(told(&request, &elsewhere, true).contains("the store was"));
    assert!(run(&store, &kept(&request, &dir, true), 100).0.is_ok());
}

#[test]
fn a_damaged_checkpoint_is_noticed_and_says_what_to_do() {
    let (folder, store, request) = stopped();
    let dir = folder.path().join("kept");
    let path = checkpoint(&dir);
    let whole = std::fs::read(&path).unwrap();
    let resumed = || run(&store, &kept(&request, &dir, true), 100).0;
    for bit in [0, 8, 70, 4000, 8 * 4096 + 3, 8 * whole.len() - 1] {
        let mut flipped = whole.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        std::fs::write(&path, flipped).unwrap();
        let error = resumed().err().unwrap();
        // What lies behind the state is not looked at.
        assert!(matches!(error, Error::Corrupt { .. }) && error.to_string().contains("remove it"), "{bit}: {error}");
    }
    for length in [0, 100, 4096, whole.len() - 4096, whole.len() - 1] {
        std::fs::write(&path, &whole[..length]).unwrap();
        assert!(matches!(resumed(), Err(Error::Corrupt { .. })), "{length}");
    }
    std::fs::write(&path, &whole).unwrap();
    assert!(resumed().is_ok());
}

#[test]
fn a_crash_while_a_checkpoint_is_written_leaves_the_one_before() {
    let (folder, store, request) = stopped();
    let dir = folder.path().join("kept");
    let expected = table(&store, &request, 2);
    std::fs::write(dir.join("checkpoint.tmp"), "half").unwrap();
    // One that stood when the process ended before it removed it.
    std::fs::write(dir.join("checkpoint-0"), "old").unwrap();
    let (ran, notes) = run(&store, &kept(&request, &dir, true), 100);
    assert!(notes.iter().any(|note| note.contains("resumed from a checkpoint after iteration 2")), "{notes:?}");
    let path = store.with_file_name("resumed.csv");
    ran.unwrap().table().write(&path, true).unwrap();
    assert_eq!(std::fs::read_to_string(path).unwrap(), expected);
    let others = ["checkpoint.tmp", "checkpoint-0"].map(|name| std::fs::read_to_string(dir.join(name)).unwrap());
    assert_eq!(others, ["half", "old"], "files of others stay");
}

#[test]
fn a_run_does_not_go_on_in_a_copy_of_its_store_that_was_updated() {
    let (folder, store, request) = stopped();
    let edges = folder.path().join("new.txt");
    std::fs::write(&edges, "1 2 1\n").unwrap();
    let update = UpdateRequest {
        add: vec![EdgeInput::from(edges)],
        merge: MergeRule::Never,
        memory: MemorySize::Bytes(64 << 20),
        ..UpdateRequest::new(&store)
    };
    outcrop::update(&update, &outcrop::Cancellation::new(), &outcrop::Silent).unwrap();
    let message = refusal(run(&store, &kept(&request, &folder.path().join("kept"), true), 100));
    assert!(message.contains("belongs to another run: the version of the store was"), "{message}");
}

#[test]
fn two_runs_do_not_share_a_folder() {
    let (folder, store, request) = stopped();
    let dir = folder.path().join("kept");
    let lock = outcrop_io::FileLock::exclusive(&dir.join("checkpoint.lock"));
    let _held = lock.unwrap();
    assert!(matches!(run(&store, &kept(&request, &dir, true), 100).0, Err(Error::InUse { .. })));
}

#[test]
fn a_run_goes_on_with_other_memory_and_threads() {
    let (folder, store, request) = stopped();
    let dir = folder.path().join("kept");
    let expected = table(&store, &request, 2);
    let setup = Setup { threads: 5, ..Setup::LEAST };
    let path = store.with_file_name("resumed.csv");
    setup.run(&store, &kept(&request, &dir, true)).unwrap().table().write(&path, true).unwrap();
    assert_eq!(std::fs::read_to_string(path).unwrap(), expected);
}
