//! Stores that are made on the way to another go again, however the work ends.

use crate::graph::{Shape, StoreKind};
use crate::shapes;
use outcrop::{
    BuildOrder, BuildRequest, BuildResources, Cancellation, ChunkSettings, ConvertRequest, EdgeInput, Error,
    GivenOrder, Graph, IdMode, InputOptions, Layout, MemorySize, Observer, OpenOptions, Order, OrderParameters,
    Permutation, Phase, Placement, Result, RunRequest, Silent, StoreForm, build, convert,
};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Stops the work at its `left`-th sign of life.
struct Interrupter {
    cancellation: Cancellation,
    left: AtomicU64,
}

impl Interrupter {
    fn tick(&self) {
        if self.left.fetch_sub(1, Relaxed) == 1 {
            self.cancellation.cancel();
        }
    }
}

impl Observer for Interrupter {
    fn phase(&self, _: &Phase) {
        self.tick();
    }

    fn progress(&self, _: u64) {
        self.tick();
    }

    fn note(&self, _: &str) {
        self.tick();
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn request(folder: &Path, shape: &Shape, order: BuildOrder, placement: Placement) -> BuildRequest {
    let edges = folder.join("edges.el");
    let lines: Vec<String> = shape.edges.iter().map(|(source, target, _)| format!("{source} {target}")).collect();
    std::fs::write(&edges, lines.join("\n")).unwrap();
    BuildRequest {
        input: InputOptions { ids: IdMode::Dense, ..InputOptions::default() },
        form: StoreForm { order, layout: Layout::Chunked(ChunkSettings { placement, ..ChunkSettings::default() }) },
        resources: BuildResources {
            memory: MemorySize::Bytes(64 << 20),
            threads: Some(1),
            ..BuildResources::default()
        },
        ..BuildRequest::new(vec![EdgeInput::from(edges)], folder.join("graph.outcrop"))
    }
}

/// Every way to a store that goes by way of another.
fn ways() -> [(BuildOrder, Placement); 5] {
    [
        (BuildOrder::Norder, Placement::Ascending),
        (BuildOrder::Norder, Placement::Reordered),
        (BuildOrder::PageRank, Placement::Ascending),
        (BuildOrder::Degree, Placement::Reordered),
        (BuildOrder::Auto, Placement::Ascending),
    ]
}

/// Stops `make` at its first sign of life, its second, and so on; how often it was stopped before its end.
fn stop_everywhere(folder: &Path, make: impl Fn(&Cancellation, &dyn Observer) -> Result<()>) -> u64 {
    let before = names(folder);
    for left in 1.. {
        let cancellation = Cancellation::new();
        let observer = Interrupter { cancellation: cancellation.clone(), left: AtomicU64::new(left) };
        match make(&cancellation, &observer) {
            Ok(()) if !cancellation.is_cancelled() => return left - 1,
            Ok(()) => std::fs::remove_dir_all(folder.join("graph.outcrop")).unwrap(),
            Err(error) => {
                assert!(matches!(error, Error::Interrupted), "{error}");
                assert_eq!(names(folder), before, "{left}");
            }
        }
    }
    0
}

#[test]
fn work_that_is_stopped_on_the_way_leaves_nothing() {
    for (order, placement) in ways() {
        let folder = tempfile::tempdir().unwrap();
        let request = request(folder.path(), &shapes::mixed(300, 2000), order, placement);
        let make =
            |cancellation: &Cancellation, observer: &dyn Observer| build(&request, cancellation, observer).map(drop);
        assert!(stop_everywhere(folder.path(), make) > 5, "{order:?}");
        assert_eq!(names(folder.path()), ["edges.el", "graph.outcrop"]);
    }
}

#[test]
fn a_conversion_that_is_stopped_leaves_nothing() {
    let (sources, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let source = StoreKind::PLAIN.build(&shapes::mixed(300, 2000), sources.path());
    let layout = Layout::Chunked(ChunkSettings { placement: Placement::Reordered, ..ChunkSettings::default() });
    let request = ConvertRequest {
        order: Some(BuildOrder::Random { seed: 2 }),
        threads: Some(1),
        ..ConvertRequest::new(&source, folder.path().join("graph.outcrop"), layout)
    };
    let make =
        |cancellation: &Cancellation, observer: &dyn Observer| convert(&request, cancellation, observer).map(drop);
    assert!(stop_everywhere(folder.path(), make) > 5);
    assert_eq!(names(folder.path()), ["graph.outcrop"]);
}

#[test]
fn a_store_that_is_replaced_stays_until_the_new_one_is_complete() {
    for (order, placement) in ways() {
        let folder = tempfile::tempdir().unwrap();
        let first = request(folder.path(), &shapes::path(), BuildOrder::Original, Placement::Ascending);
        build(&first, &Cancellation::new(), &Silent).unwrap();
        let manifest = || std::fs::read(first.store.join("manifest.json")).unwrap();
        let before = manifest();
        let mut second = request(folder.path(), &shapes::mixed(300, 2000), order, placement);
        let refused = build(&second, &Cancellation::new(), &Silent);
        assert!(matches!(refused, Err(Error::AlreadyExists { .. })));
        second.publishing.overwrite = true;
        let cancellation = Cancellation::new();
        let observer = Interrupter { cancellation: cancellation.clone(), left: AtomicU64::new(6) };
        assert!(matches!(build(&second, &cancellation, &observer), Err(Error::Interrupted)));
        assert!(manifest() == before && names(folder.path()) == ["edges.el", "graph.outcrop"], "{order:?}");
        build(&second, &Cancellation::new(), &Silent).unwrap();
        assert!(manifest() != before && names(folder.path()) == ["edges.el", "graph.outcrop"], "{order:?}");
    }
}

/// The order of the vertices from behind.
fn reversed(vertices: u32) -> GivenOrder {
    let new_ids = Permutation::from_new_ids((0..vertices).rev().collect()).unwrap();
    GivenOrder { name: Order::Random, parameters: OrderParameters::default(), new_ids }
}

#[test]
fn a_given_order_renumbers_a_store_and_must_match_it() {
    let folder = tempfile::tempdir().unwrap();
    let built = request(folder.path(), &shapes::path(), BuildOrder::Original, Placement::Ascending);
    build(&built, &Cancellation::new(), &Silent).unwrap();
    let graph = Graph::open(&built.store, OpenOptions::default()).unwrap();
    let vertices = graph.num_vertices();
    let convert_to = |order| {
        let given_order = Some(order);
        let target = folder.path().join("given.outcrop");
        let request = ConvertRequest {
            given_order,
            overwrite: true,
            ..ConvertRequest::new(&built.store, target, graph.layout_settings())
        };
        convert(&request, &Cancellation::new(), &Silent).map(|_| request.store)
    };
    let store = convert_to(reversed(vertices)).unwrap();
    let given = Graph::open(&store, OpenOptions::default()).unwrap();
    given.check().unwrap();
    let rows = |graph: &Graph, name: &str| {
        let file = folder.path().join(name);
        graph.run(&RunRequest::new("wcc").unwrap()).unwrap().table().write(&file, true).unwrap();
        std::fs::read_to_string(file).unwrap()
    };
    assert_eq!(rows(&given, "given.csv"), rows(&graph, "plain.csv"));
    let refused = convert_to(reversed(vertices - 1)).unwrap_err().to_string();
    assert!(refused.contains("the given order has"), "{refused}");
}
