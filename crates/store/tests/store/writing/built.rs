//! Every option of a build against the model.

use crate::cases::collect::{Reading, sweep_all, work};
use crate::cases::graph::{Case, Ids};
use crate::cases::layouts;
use crate::cases::layouts::pages_of;
use crate::cases::model::Model;
use outcrop_io::IoChoice;
use outcrop_store::access::Adjacency;
use outcrop_store::layout::Layout;
use outcrop_store::writing::IdBatch;
use outcrop_store::{Dedup, Order, OriginalId, OriginalIdReader, OriginalIds, SelfLoops, Store, check, ranks};
use outcrop_types::{Cancellation, Direction, Error, MemoryBudget};
use proptest::prelude::*;

/// Builds the graph, checks it, and compares all of it with the model.
pub fn assert_built(case: &Case) {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("graph.outcrop");
    let report = case.build(&target).unwrap();
    let model = Model::of(case);
    assert_eq!(report.loops_dropped, model.loops_dropped);
    let store = Store::open(&target).unwrap();
    assert_eq!(*store.manifest(), report.manifest);
    assert_store(&store, case, &model);
    drop(store);
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["graph.outcrop"], "nothing but the store is left");
}

pub fn assert_store(store: &Store, case: &Case, model: &Model) {
    assert_manifest(store, case, model);
    assert_graph(store, model);
}

/// Compares lists and ids with the model.
pub fn assert_graph(store: &Store, model: &Model) {
    let workers = Reading::PLAIN.workers();
    check(store, work(IoChoice::Buffered, &MemoryBudget::new(1 << 30), &workers)).unwrap();
    for direction in [Direction::Out, Direction::In] {
        let lists = Reading::PLAIN.open(store, direction).unwrap();
        let expected = model.lists(direction);
        assert_eq!(sweep_all(&lists).unwrap(), expected, "{direction:?}");
        let budget = MemoryBudget::new(1 << 30);
        let degrees =
            outcrop_store::layout::degrees(store, direction, IoChoice::Buffered, &budget, workers.cancellation())
                .unwrap();
        assert!(degrees.iter().zip(expected).all(|(degree, list)| *degree as usize == list.len()));
        assert_eq!(lists.num_arcs(), expected.iter().map(|list| list.len() as u64).sum::<u64>());
    }
    assert_ids(store, model);
}

fn assert_manifest(store: &Store, case: &Case, model: &Model) {
    let manifest = store.manifest();
    let kind = match case.ids {
        Ids::Dense => OriginalIds::Dense,
        Ids::Sparse => OriginalIds::Integer,
        Ids::Text | Ids::TextOrEmpty => OriginalIds::Text,
    };
    let order = if case.by_degree { Order::Degree } else { Order::Original };
    assert_eq!((manifest.graph.vertices, manifest.graph.edges), (model.vertices(), model.edges));
    assert_eq!((manifest.graph.directed, manifest.graph.weighted), (!case.undirected, case.weighted));
    assert_eq!((manifest.numbering.ids, manifest.numbering.order), (kind, order));
    assert_eq!((manifest.rules.dedup, manifest.rules.self_loops), (case.dedup, case.self_loops));
}

fn assert_ids(store: &Store, model: &Model) {
    let mut reader = OriginalIdReader::open(store, IoChoice::Buffered).unwrap();
    let count = model.vertices();
    assert_eq!(split(reader.ids(0..count).unwrap()), model.ids);
    assert_eq!(reader.vertices(0..count).unwrap(), model.vertex_of_rank);
    for (rank, id) in (0..count).zip(&model.ids).step_by(1 + count as usize / 20) {
        assert_eq!(split(reader.ids(rank..rank + 1).unwrap()), std::slice::from_ref(id));
        assert_eq!(reader.find(&id.to_string()).unwrap(), Some(model.vertex_of_rank[rank as usize]));
    }
    for absent in ["-1", "x", "+1", "18446744073709551616", "123456789012"] {
        assert_eq!(reader.find(absent).unwrap(), None);
    }
    let ranks = ranks(store, IoChoice::Buffered, &MemoryBudget::new(1 << 30), &Cancellation::new()).unwrap();
    let Some(ranks) = ranks else { return assert!(model.vertex_of_rank.iter().copied().eq(0..count)) };
    assert!((0..).zip(&model.vertex_of_rank).all(|(rank, vertex)| ranks[*vertex as usize] == rank));
}

fn split(batch: IdBatch) -> Vec<OriginalId> {
    match batch {
        IdBatch::Integers(ids) => ids.into_iter().map(OriginalId::Integer).collect(),
        IdBatch::Texts { bytes, ends } => {
            let starts = std::iter::once(0).chain(ends.iter().copied());
            let text = |(start, end): (usize, &usize)| String::from_utf8(bytes[start..*end].to_vec()).unwrap();
            starts.zip(&ends).map(|range| OriginalId::Text(text(range))).collect()
        }
    }
}

pub fn cases() -> impl Strategy<Value = Case> {
    let edge = (0u64..40, 0u64..40, (-8i8..8).prop_map(f64::from));
    let hub = (0u64..40, 0u64..40, 0..6000usize, any::<bool>()).prop_map(|(hub, other, count, out)| {
        let edge = |n: u64| if out { (hub, other + n % 900, 1.0) } else { (other + n % 900, hub, 1.0) };
        (0..count as u64).map(edge).collect::<Vec<_>>()
    });
    let hubs = proptest::collection::vec(hub, 0..4).prop_map(|hubs| hubs.concat());
    let edges = prop_oneof![
        2 => proptest::collection::vec(edge.clone(), 0..4),
        3 => proptest::collection::vec(edge.clone(), 0..400),
        1 => (proptest::collection::vec(edge, 0..400), hubs).prop_map(|(edges, hubs)| [edges, hubs].concat()),
    ];
    let ids = prop_oneof![Just(Ids::Dense), Just(Ids::Sparse), Just(Ids::Text)];
    let dedup =
        prop_oneof![Just(Dedup::Keep), Just(Dedup::First), Just(Dedup::Sum), Just(Dedup::Min), Just(Dedup::Max)];
    let extra = proptest::collection::vec(0u64..300, 0..10);
    let table_bytes = prop_oneof![Just(u64::MAX), 0u64..30_000];
    let options = (any::<[bool; 4]>(), proptest::option::of(0u64..500), 1u64..300, table_bytes);
    let options = (options, layouts::any_layout());
    (edges, ids, dedup, extra, options).prop_map(|(edges, ids, dedup, vertices, (options, layout))| {
        let (flags, count, interval_arcs, table_bytes) = options;
        let [weighted, undirected, by_degree, drop] = flags;
        let self_loops = if drop { SelfLoops::Drop } else { SelfLoops::Keep };
        let num_vertices = count.filter(|_| ids == Ids::Dense);
        let case = Case { layout, table_bytes, ..Case::new(ids, edges) };
        Case { vertices, weighted, undirected, dedup, self_loops, by_degree, num_vertices, interval_arcs, ..case }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(150) })]
    #[test]
    fn a_store_holds_what_the_model_says(case in cases()) {
        assert_built(&case);
    }
}

fn assert_smallest_built(layout: &Layout) {
    for ids in [Ids::Dense, Ids::Sparse, Ids::Text] {
        for (undirected, weighted, by_degree) in [(false, false, false), (true, true, true)] {
            let case = Case { undirected, weighted, by_degree, ..Case::new(ids, Vec::new()).laid_out(layout) };
            assert_built(&case);
            assert_built(&Case { vertices: vec![0], ..case.clone() });
            assert_built(&Case { edges: vec![(3, 3, 2.0)], ..case.clone() });
            assert_built(&Case { edges: vec![(3, 3, 2.0)], self_loops: SelfLoops::Drop, ..case.clone() });
            assert_built(&Case { edges: vec![(0, 1, -1.0); 5], dedup: Dedup::Sum, ..case });
        }
    }
    for vertices in [1, 63, 64, 65, 100, 1022, 1023, 8176, 8177] {
        let edges = vec![(vertices - 1, 0, 1.0); 3];
        let case = Case { num_vertices: Some(vertices), ..Case::new(Ids::Dense, Vec::new()).laid_out(layout) };
        assert_built(&Case { edges, ..case.clone() });
        assert_built(&case);
    }
}

#[test]
fn the_smallest_graphs_can_be_built() {
    layouts::some().iter().for_each(assert_smallest_built);
}

#[test]
fn of_a_repeated_undirected_edge_the_first_in_the_input_stays() {
    for ids in [Ids::Dense, Ids::Sparse, Ids::Text] {
        let edges = vec![(5, 2, 1.0), (2, 5, 2.0), (7, 2, 3.0), (2, 7, 4.0), (7, 2, 5.0)];
        assert_built(&Case { undirected: true, weighted: true, dedup: Dedup::First, ..Case::new(ids, edges) });
    }
}

#[test]
fn builds_that_spill_hold_the_same() {
    for ids in [Ids::Dense, Ids::Sparse, Ids::Text] {
        let layout = if ids == Ids::Sparse { pages_of(4096) } else { Layout::default() };
        let case = Case { layout, weighted: true, dedup: Dedup::First, ..Case::random(ids, 3000, 200_000) };
        let memory = case.options(std::path::Path::new("x")).memory(&case.input()).total();
        assert_built(&Case { by_degree: true, memory: memory + 12 * 3000, ..case.clone() });
        assert_built(&Case { undirected: true, interval_arcs: 10_000, memory, ..case });
    }
}

fn refusal(case: &Case) -> Error {
    let folder = tempfile::tempdir().unwrap();
    let error = case.build(&folder.path().join("graph.outcrop")).unwrap_err();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left");
    error
}

#[test]
fn what_cannot_be_built_is_refused_and_leaves_nothing() {
    let edge = |id| vec![(0, 1, 1.0), (id, 0, 1.0)];
    for id in [u64::MAX, 1 << 32, (1 << 32) - 1, (1 << 32) - 2] {
        assert!(matches!(refusal(&Case::new(Ids::Dense, edge(id))), Error::Usage(_)), "{id}");
    }
    let many = Case { num_vertices: Some(1 << 32), ..Case::new(Ids::Dense, Vec::new()) };
    assert!(matches!(refusal(&many), Error::Usage(_)));
    let many = Case { vertices: vec![1 << 40], ..Case::new(Ids::Dense, Vec::new()) };
    assert!(matches!(refusal(&many), Error::Usage(_)));
    let sum = vec![(0, 1, f64::from(f32::MAX)), (0, 1, f64::from(f32::MAX))];
    let endless = Case { weighted: true, dedup: Dedup::Sum, ..Case::new(Ids::Sparse, sum) };
    assert!(matches!(refusal(&endless), Error::BadInput { .. }));
    let small = Case { memory: 1 << 20, ..Case::random(Ids::Dense, 10, 10) };
    assert!(matches!(refusal(&small), Error::BudgetTooSmall { .. }));
}

#[test]
fn a_target_is_replaced_only_when_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("graph.outcrop");
    let (first, second) = (Case::random(Ids::Sparse, 10, 20), Case::random(Ids::Text, 20, 40));
    first.build(&target).unwrap();
    assert!(matches!(second.build(&target).unwrap_err(), Error::AlreadyExists { .. }));
    let overwrite = outcrop_store::writing::BuildOptions { overwrite: true, ..second.options(&target) };
    let reader = Store::open(&target).unwrap();
    assert!(matches!(second.build_on(&outcrop_io::Disk, &overwrite).unwrap_err(), Error::InUse { .. }));
    assert_store(&reader, &first, &Model::of(&first));
    drop(reader);
    second.build_on(&outcrop_io::Disk, &overwrite).unwrap();
    assert_store(&Store::open(&target).unwrap(), &second, &Model::of(&second));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    let plain = folder.path().join("precious");
    std::fs::write(&plain, "kept").unwrap();
    let overwrite = outcrop_store::writing::BuildOptions { overwrite: true, ..second.options(&plain) };
    assert!(matches!(second.build_on(&outcrop_io::Disk, &overwrite).unwrap_err(), Error::Usage(_)));
    assert_eq!(std::fs::read(&plain).unwrap(), b"kept");
}
