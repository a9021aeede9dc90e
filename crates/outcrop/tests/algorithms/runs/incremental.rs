//! Runs that go on from the last result after updates give what runs give that do not.

use crate::graph::{Shape, StoreKind};
use crate::matrix::is_proof;
use crate::setup::{Memory, Setup, request};
use crate::shapes;
use outcrop::{
    BuildOrder, Cancellation, EdgeInput, Error, IncrementalRecord, MergeRule, RunRequest, Silent, UpdateRequest, update,
};
use std::fs;
use std::path::{Path, PathBuf};

/// Memory that holds all of these runs.
const AMPLE: u64 = 64 << 20;
/// Memory that holds what changed, which no plan has.
const CHANGES: u64 = 2 << 20;

/// Numbers that are drawn, the same in each run.
struct Draw(u64);

impl Draw {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

/// The runs that can go on, with the tolerance of their answers.
fn requests() -> Vec<(RunRequest<'static>, f64)> {
    let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
    let ranks = || request!("pagerank", "tol" = 1e-10, "max-iter" = 1000_u32);
    vec![
        (request!("wcc"), 0.0),
        (request!("wcc", "method" = "afforest"), 0.0),
        (request!("bfs", "source" = ids(&["0"])), 0.0),
        (request!("bfs", "source" = ids(&["7", "3", "1"])), 0.0),
        (request!("sssp", "source" = ids(&["0"])), 0.0),
        (request!("bfs", "source" = ids(&["0", "5"]), "columns" = "all"), 0.0),
        (request!("sssp", "source" = ids(&["0", "5"]), "columns" = "all", "precision" = "f32"), 0.0),
        (request!("sssp", "source" = ids(&["2"]), "method" = "bellman-ford", "columns" = "all"), 0.0),
        (ranks(), 1e-8),
        (ranks().with("alpha", 0.5).unwrap(), 1e-8),
    ]
}

/// A series of updates of a store.
struct Series {
    store: PathBuf,
    edges: Vec<(u32, u32, f64)>,
    keys: u32,
    draw: Draw,
}

impl Series {
    /// The next update: edges that go, edges that come, and edges that get another weight, few or many.
    fn update(&mut self, merge: MergeRule) {
        let Self { edges, draw, keys, .. } = self;
        let count = [1, 2, 5, 1 + edges.len() / 8][draw.below(4)];
        let mut gone = Vec::new();
        for _ in 0..draw.below(count + 1) {
            if !edges.is_empty() {
                gone.push(edges.swap_remove(draw.below(edges.len())));
            }
        }
        let weight = |draw: &mut Draw| [0.0, 1.0, 1.0, 3.0][draw.below(4)];
        let end = |draw: &mut Draw| draw.below(*keys as usize) as u32;
        let mut come: Vec<_> = (0..draw.below(count + 1)).map(|_| (end(draw), end(draw), weight(draw))).collect();
        // Some come back, with another weight or the same.
        come.extend(gone.iter().filter(|_| draw.below(3) == 0).map(|edge| (edge.0, edge.1, 2.0)).collect::<Vec<_>>());
        self.apply(&gone, &come, merge);
        self.edges.extend(come);
    }

    fn apply(&self, gone: &[(u32, u32, f64)], come: &[(u32, u32, f64)], merge: MergeRule) {
        let file = |name: &str, edges: &[(u32, u32, f64)]| {
            let line = |(source, target, weight): &(u32, u32, f64)| format!("{source} {target} {weight}\n");
            let path = self.store.with_file_name(name);
            fs::write(&path, edges.iter().map(line).collect::<String>()).unwrap();
            if edges.is_empty() { Vec::new() } else { vec![EdgeInput::from(path)] }
        };
        let request = UpdateRequest {
            remove: file("gone.el", gone),
            add: file("come.el", come),
            merge,
            ..UpdateRequest::new(&self.store)
        };
        update(&request, &Cancellation::new(), &Silent).unwrap();
    }
}

/// The rows of a run, and how it went on.
fn rows(store: &Path, request: &RunRequest<'_>, setup: Setup) -> (Vec<Vec<String>>, Option<IncrementalRecord>) {
    let path = store.with_file_name("rows.csv");
    let ample = setup.open_with(store, AMPLE);
    let result = match setup.memory {
        Memory::Minimum => setup.open_with(store, ample.estimate(request).unwrap().minimum + CHANGES).run(request),
        Memory::Little | Memory::Ample => ample.run(request),
    };
    let result = result.unwrap();
    result.converged().unwrap();
    result.table().write(&path, true).unwrap();
    let text = fs::read_to_string(path).unwrap();
    let rows =
        text.lines().map(|line| line.split(',').map(|cell| cell.trim_matches('"').to_owned()).collect()).collect();
    (rows, result.record().optional.incremental)
}

fn assert_same(found: &[Vec<String>], expected: &[Vec<String>], tolerance: f64, what: &str) {
    if tolerance == 0.0 {
        let wrong = found.iter().zip(expected).find(|(found, expected)| found != expected);
        assert_eq!(wrong, None, "{what}");
        return assert_eq!(found.len(), expected.len());
    }
    let number = |row: &[String]| row[1].parse::<f64>().unwrap();
    let pairs = found.iter().zip(expected).skip(1);
    let apart: f64 = pairs.map(|(found, expected)| (number(found) - number(expected)).abs()).sum();
    assert!(apart < tolerance && found.len() == expected.len(), "{what}: {apart}");
}

fn copy(from: &Path, to: &Path) {
    _ = fs::remove_dir_all(to);
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let name = entry.unwrap().file_name();
        fs::copy(from.join(&name), to.join(&name)).unwrap();
    }
}

/// Runs of all requests after each of some updates: from the result of the graph as it was built, and from that of the
/// run before. How many there were, and how many were computed anew.
fn series(shape: &Shape, kind: StoreKind, seed: u64) -> (u32, u32) {
    let folder = tempfile::tempdir().unwrap();
    let store = kind.build(shape, folder.path());
    let mut series = Series { edges: shape.edges.clone(), keys: shape.keys, draw: Draw(seed), store };
    let requests = requests();
    let place = |name: &str, number: usize| folder.path().join(format!("{name}-{number}"));
    for (number, (request, tolerance)) in requests.iter().enumerate() {
        let (first, record) =
            rows(&series.store, &request.clone().with_incremental(place("first", number)), Setup::PLAIN);
        assert!(record.unwrap().fresh.unwrap().contains("no previous result"));
        assert_same(&first, &rows(&series.store, request, Setup::PLAIN).0, *tolerance, "the first run");
        copy(&place("first", number), &place("last", number));
    }
    let (mut runs, mut fresh) = (0, 0);
    for step in 0..4 {
        series.update(MergeRule::Never);
        for (number, (request, tolerance)) in requests.iter().enumerate() {
            let (expected, none) = rows(&series.store, request, Setup::PLAIN);
            assert_eq!(none, None);
            copy(&place("first", number), &place("again", number));
            // From both also in the memory that the estimate says is enough.
            let setups = if step % 2 == 0 { [Setup::LEAST, Setup::PLAIN] } else { [Setup::PLAIN, Setup::LEAST] };
            for (from, setup) in ["again", "last"].into_iter().zip(setups) {
                let request = request.clone().with_incremental(place(from, number));
                let (found, record) = rows(&series.store, &request, setup);
                let what = format!("{kind:?}, seed {seed}, step {step}, {request:?} from {from}: {record:?}");
                assert_same(&found, &expected, *tolerance, &what);
                if from == "again" {
                    (runs, fresh) = (runs + 1, fresh + u32::from(record.unwrap().fresh.is_some()));
                }
            }
        }
    }
    // Merged, and with a vertex that is new, the graph is in another store.
    series.update(MergeRule::Now);
    series.apply(&[], &[(0, shape.keys, 1.0), (shape.keys, 1, 0.0)], MergeRule::Never);
    series.keys += 1;
    series.update(MergeRule::Never);
    for (number, (request, tolerance)) in requests.iter().enumerate() {
        let expected = rows(&series.store, request, Setup::PLAIN).0;
        for from in ["first", "last"] {
            let going_on = request.clone().with_incremental(place(from, number));
            let (found, record) = rows(&series.store, &going_on, Setup::PLAIN);
            assert_same(&found, &expected, *tolerance, &format!("merged: {request:?} from {from}: {record:?}"));
            (runs, fresh) = (runs + 1, fresh + u32::from(record.unwrap().fresh.is_some()));
        }
    }
    (runs, fresh)
}

#[test]
fn runs_that_go_on_after_any_updates_give_what_others_give() {
    let (mut runs, mut fresh) = (0, 0);
    for seed in 0..if is_proof() { 12 } else { 3 } {
        for (undirected, weighted) in [(false, false), (true, false), (false, true), (true, true)] {
            let order = if seed % 2 == 0 { BuildOrder::Original } else { BuildOrder::Degree };
            let kind = StoreKind { undirected, weighted, order, ..StoreKind::PLAIN };
            let shape = match seed % 3 {
                0 => shapes::ties(40, 60),
                1 => shapes::mixed(120, 500),
                _ => shapes::band(60, 1 + seed as u32 % 2),
            };
            let (more, anew) = series(&shape, kind, 17 * seed + u64::from(undirected) + 2 * u64::from(weighted));
            (runs, fresh) = (runs + more, fresh + anew);
        }
    }
    println!("{runs} runs, of which {fresh} computed everything anew");
    assert!(fresh < runs / 4, "{fresh} of {runs}");
}

#[test]
fn what_cannot_go_on_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = StoreKind::PLAIN.build(&shapes::ties(40, 130), folder.path());
    let refused = |request: RunRequest<'_>, why: &str| {
        let request = request.with_incremental(folder.path().join("state"));
        match Setup::PLAIN.open_with(&store, AMPLE).run(&request) {
            Err(Error::Usage(message)) => assert!(message.contains(why), "{message}"),
            _ => panic!("{request:?} is not refused"),
        }
    };
    for name in ["kcore", "cdlp", "scc", "triangles"] {
        refused(request!(name), &format!("--incremental needs bfs, sssp, wcc or pagerank, not `{name}`"));
    }
    refused(request!("wcc", "model" = "interval"), "--incremental cannot be combined with --model");
    refused(request!("wcc", "method" = "label-propagation"), "--incremental cannot be combined with --method");
    refused(request!("pagerank", "delta" = 1e-3), "--incremental cannot be combined with --delta");
    refused(request!("pagerank", "iterations" = 10_u32), "use --tol");
    assert!(!folder.path().join("state").exists());
    let kept = |request: RunRequest<'static>| request.with_incremental(folder.path().join("state"));
    Setup::PLAIN.open_with(&store, AMPLE).run(&kept(request!("pagerank"))).unwrap();
    refused(request!("pagerank", "alpha" = 0.5), "--alpha was 0.85, now 0.5");
    refused(request!("wcc"), "the algorithm was");
    let again = Setup::PLAIN.open_with(&store, AMPLE).run(&kept(request!("pagerank"))).unwrap();
    let record = again.record();
    assert_eq!((record.convergence.iterations, record.optional.incremental.unwrap().fresh), (1, None));
}

#[test]
fn a_result_that_is_damaged_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let store = StoreKind::PLAIN.build(&shapes::ties(40, 130), folder.path());
    let state = folder.path().join("state");
    let request = request!("bfs", "source" = vec!["0".to_owned()]).with_incremental(&state);
    Setup::PLAIN.open_with(&store, AMPLE).run(&request).unwrap();
    let file = state.join("result-0");
    let mut bytes = fs::read(&file).unwrap();
    bytes[600] ^= 1;
    fs::write(&file, bytes).unwrap();
    let error = Setup::PLAIN.open_with(&store, AMPLE).run(&request).map(|_| ()).unwrap_err();
    assert!(matches!(error, Error::Corrupt { .. }) && error.to_string().contains("remove it"), "{error}");
}
