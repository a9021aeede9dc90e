//! A run stops where it is told to. The flag stays set: a handle that was stopped does nothing more, a new one works.

use crate::graph::{Model, StoreKind};
use crate::reference::trials;
use crate::setup::{Setup, request, with};
use crate::shapes;
use outcrop::{
    ALGORITHMS, BuildOrder, CacheSize, Cancellation, Error, Graph, IterationRecord, MemorySize, Observer, OpenOptions,
    Phase, Result, RunRequest, SelectionRequest, Selector,
};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Moment to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
enum At {
    Phase(u32),
    Iteration(u32),
}

/// Counts what happens and stops at a moment of its choice.
struct Stopper {
    at: At,
    cancellation: Cancellation,
    phases: AtomicU32,
    iterations: AtomicU32,
}

impl Stopper {
    fn happened(&self, moment: At) {
        if moment == self.at {
            self.cancellation.cancel();
        }
    }
}

impl Observer for Stopper {
    fn phase(&self, _: &Phase) {
        self.happened(At::Phase(self.phases.fetch_add(1, Relaxed) + 1));
    }

    fn iteration(&self, record: &IterationRecord) {
        self.iterations.store(record.iteration, Relaxed);
        self.happened(At::Iteration(record.iteration));
    }
}

fn open(store: &Path, at: At) -> (Graph, Arc<Stopper>) {
    let cancellation = Cancellation::new();
    let (phases, iterations) = (AtomicU32::new(0), AtomicU32::new(0));
    let stopper = Arc::new(Stopper { at, cancellation: cancellation.clone(), phases, iterations });
    let observer: Arc<dyn Observer> = stopper.clone();
    let memory = MemorySize::Bytes(64 << 20);
    let options = OpenOptions { cancellation, observer, memory, ..Setup::PLAIN.options() };
    (Graph::open(store, options).unwrap(), stopper)
}

fn assert_interrupted<T>(result: Result<T>) {
    assert!(matches!(result.err(), Some(Error::Interrupted)));
}

#[test]
fn every_algorithm_stops_in_each_phase_before_its_first_iteration() {
    let folder = tempfile::tempdir().unwrap();
    let shape = shapes::mixed(500, 3000);
    let kind = StoreKind { order: BuildOrder::Degree, ..StoreKind::PLAIN };
    let (store, model) = (kind.build(&shape, folder.path()), Model::new(&shape, kind));
    for algorithm in ALGORITHMS {
        let name = algorithm.spec().name;
        let trial = trials(name, &model).remove(0);
        for phase in [1, 2] {
            let (graph, stopper) = open(&store, At::Phase(phase));
            assert_interrupted(graph.run(&trial.request));
            assert_eq!((stopper.phases.load(Relaxed), stopper.iterations.load(Relaxed)), (phase, 0), "{name}");
        }
    }
}

#[test]
fn a_selection_that_stops_in_any_phase_leaves_the_previous_one() {
    let folder = tempfile::tempdir().unwrap();
    let store = StoreKind::PLAIN.build(&shapes::mixed(900, 9000), folder.path());
    let request = |percent, keep| SelectionRequest {
        size: CacheSize::Percent(percent),
        selector: Selector::named("observed", None, None).unwrap(),
        keep,
    };
    let (graph, _) = open(&store, At::Phase(u32::MAX));
    graph.select(&request(20.0, true)).unwrap();
    let before = graph.info().static_cache;
    for phase in 1.. {
        let (graph, stopper) = open(&store, At::Phase(phase));
        let outcome = graph.select(&request(80.0, false));
        if stopper.phases.load(Relaxed) < phase {
            assert!(outcome.is_ok() && phase > 6, "{phase} phases");
            break;
        }
        assert_interrupted(outcome);
        assert_eq!(graph.info().static_cache, before, "phase {phase}");
    }
}

/// Requests that take many iterations on a path.
fn long_runs() -> [RunRequest<'static>; 3] {
    [request!("bfs", "source" = "0"), request!("sssp", "source" = "0"), request!("pagerank", "iterations" = 40_u32)]
}

#[test]
fn a_run_stops_after_the_iteration_in_which_it_is_told_to() {
    let folder = tempfile::tempdir().unwrap();
    let store = StoreKind::PLAIN.build(&shapes::path(), folder.path());
    for request in long_runs() {
        for iteration in [1, 2, 17] {
            let (graph, stopper) = open(&store, At::Iteration(iteration));
            assert_interrupted(graph.run(&request));
            assert_eq!(stopper.iterations.load(Relaxed), iteration);
        }
    }
}

#[test]
fn a_handle_that_was_stopped_stays_stopped_and_another_one_works() {
    let folder = tempfile::tempdir().unwrap();
    let store = StoreKind::PLAIN.build(&shapes::path(), folder.path());
    let (graph, _) = open(&store, At::Iteration(2));
    let [request, ..] = long_runs();
    assert_interrupted(graph.run(&request));
    assert_interrupted(graph.run(&request));
    assert_interrupted(graph.check());
    assert!(graph.cancellation().is_cancelled());
    assert!(graph.estimate(&with(&request, "model", "edge_map")).is_ok(), "what reads nothing still answers");
    assert_eq!(Setup::PLAIN.run(&store, &request).unwrap().record().convergence.iterations, 300);
}

#[test]
fn a_table_is_not_written_once_its_handle_was_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let store = StoreKind::PLAIN.build(&shapes::path(), folder.path());
    let (graph, _) = open(&store, At::Phase(9));
    let result = graph.run(&request!("wcc")).unwrap();
    graph.cancellation().cancel();
    let path = folder.path().join("result.csv");
    assert_interrupted(result.table().write(&path, false));
    assert_interrupted(result.table().top(1));
    assert!(!path.exists());
    let left = std::fs::read_dir(folder.path()).unwrap().filter(|entry| {
        let name = entry.as_ref().unwrap().file_name();
        name.to_string_lossy().contains("result")
    });
    assert_eq!(left.count(), 0, "no temporary file is left either");
}
