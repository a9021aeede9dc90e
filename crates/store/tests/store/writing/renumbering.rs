//! A store whose vertices get other numbers holds the same graph, and the way back leads to the same store.

use crate::cases::collect::{Reading, work};
use crate::cases::graph::{Case, Ids};
use crate::cases::layouts::{self, TINY, chunks, pages_of};
use crate::cases::model::{List, Model};
use crate::harm::crash::{NAME, crash_everywhere};
use crate::harm::damage::{check_all, files_of};
use crate::writing::built::{assert_graph, assert_store};
use outcrop_io::{Disk, FaultyStorage, IoChoice, RecordingStorage, Storage, StorageFault};
use outcrop_store::WorkContext;
use outcrop_store::layout::Layout;
use outcrop_store::writing::{BuildReport, ConvertOptions, VertexPermutation, convert, publish, temporary_sibling};
use outcrop_store::{Order, OrderParameters, Store, ranks};
use outcrop_types::{Cancellation, Error, MemoryBudget, Permutation, Result};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const PARAMETERS: OrderParameters = OrderParameters { seed: Some(7), percent: Some(30), window: None, depth: None };

/// Numbers all over the place.
fn numbers(vertices: u32) -> Permutation {
    let mut order: Vec<u32> = (0..vertices).collect();
    order.sort_by_key(|vertex| (vertex.wrapping_mul(0x9e37_79b9).rotate_left(9), *vertex));
    Permutation::from_order(&order)
}

fn renumber_on(
    storage: &dyn Storage,
    source: &Path,
    target: &Path,
    layout: &Layout,
    (name, numbers): (Order, &Permutation),
) -> Result<BuildReport> {
    let options = ConvertOptions {
        target: target.to_owned(),
        overwrite: false,
        layout: layout.clone(),
        weights: None,
        temp_folder: None,
        in_place: false,
        checkpoints: None,
    };
    let parameters = if name == Order::Random { PARAMETERS } else { OrderParameters::default() };
    let (budget, workers) = (MemoryBudget::new(64 << 20), Reading::PLAIN.workers());
    let renumbering = VertexPermutation { order: name, parameters, permutation: numbers };
    let store = Store::open(source)?;
    let work = WorkContext { storage, ..work(IoChoice::Buffered, &budget, &workers) };
    let report = convert(&store, &options, Some(&renumbering), work);
    assert_eq!(budget.available(), budget.limit(), "everything reserved is given back");
    report
}

/// Model of the store then.
fn renumbered(model: &Model, numbers: &Permutation) -> Model {
    let lists = |lists: &[List]| {
        let mut new = vec![List::new(); lists.len()];
        for (vertex, list) in (0..).zip(lists) {
            let mut list: List = list.iter().map(|(neighbor, weight)| (numbers.apply(*neighbor), *weight)).collect();
            list.sort_by_key(|(neighbor, _)| *neighbor);
            new[numbers.apply(vertex) as usize] = list;
        }
        new
    };
    Model {
        ids: model.ids.clone(),
        vertex_of_rank: model.vertex_of_rank.iter().map(|vertex| numbers.apply(*vertex)).collect(),
        out: lists(&model.out),
        reverse: lists(&model.reverse),
        ..*model
    }
}

fn cases() -> Vec<Case> {
    let loops = |case: Case| {
        let edges = case.edges.iter().copied().chain((0..60).map(|v| (v, v, 2.0))).chain((0..90).map(|_| (3, 5, 4.0)));
        Case { edges: edges.collect(), ..case }
    };
    vec![
        loops(Case { weighted: true, ..Case::random(Ids::Dense, 200, 3000) }),
        loops(Case { undirected: true, ..Case::random(Ids::Text, 150, 1500) }),
        loops(Case { undirected: true, weighted: true, by_degree: true, ..Case::random(Ids::Sparse, 300, 900) }),
        Case::rich(),
        Case::new(Ids::Dense, Vec::new()),
    ]
}

#[test]
fn the_graph_is_the_same_in_new_numbers_and_back() {
    for (case, layout) in cases().iter().flat_map(|case| layouts::some().into_iter().map(move |l| (case, l))) {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        case.laid_out(&layout).build(&path("old")).unwrap();
        let model = Model::of(case);
        let new = numbers(model.vertices());
        let other = if matches!(layout, Layout::Csr(_)) { chunks(TINY, |_| {}) } else { pages_of(512) };
        renumber_on(&Disk, &path("old"), &path("new"), &other, (Order::Random, &new)).unwrap();
        let store = Store::open(&path("new")).unwrap();
        assert_eq!(
            (store.manifest().numbering.order, store.manifest().numbering.order_parameters),
            (Order::Random, Some(PARAMETERS))
        );
        assert_graph(&store, &renumbered(&model, &new));
        let back = ranks(&store, IoChoice::Buffered, &MemoryBudget::new(1 << 20), &Cancellation::new()).unwrap();
        let back = Permutation::from_new_ids(back.unwrap().to_vec()).unwrap();
        drop(store);
        renumber_on(&Disk, &path("new"), &path("back"), &layout, (Order::Original, &back)).unwrap();
        let original = Case { by_degree: false, ..case.clone() };
        let store = Store::open(&path("back")).unwrap();
        assert_store(&store, &original, &Model::of(&original));
        assert!(
            store.manifest().file("order.vertices").is_none() && store.manifest().numbering.order_parameters.is_none()
        );
    }
}

#[test]
fn numbers_that_do_not_fit_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    Case::random(Ids::Dense, 20, 40).build(&path("old")).unwrap();
    let vertices = Store::open(&path("old")).unwrap().manifest().graph.vertices;
    for (name, numbers) in
        [(Order::Random, numbers(vertices - 1)), (Order::Random, numbers(0)), (Order::Original, numbers(vertices))]
    {
        let refused = renumber_on(&Disk, &path("old"), &path("new"), &pages_of(4096), (name, &numbers));
        assert!(matches!(refused, Err(Error::Internal { .. })));
        assert_eq!(files_of(folder.path()), [path("old")]);
    }
}

fn built(case: &Case) -> (tempfile::TempDir, PathBuf, Permutation) {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("source");
    let numbers = numbers(case.build(&source).unwrap().manifest.graph.vertices);
    (folder, source, numbers)
}

#[test]
fn a_crash_leaves_nothing_or_the_whole_store() {
    let (_folder, source, numbers) = built(&Case::rich());
    let folder = tempfile::tempdir().unwrap();
    let storage = RecordingStorage::new(folder.path()).unwrap();
    let layout = chunks(TINY, |_| {});
    let order = (Order::Norder, &numbers);
    let whole = renumber_on(&storage, &source, &folder.path().join(NAME), &layout, order).unwrap().manifest.uuid;
    crash_everywhere(&storage, &[None, Some(&whole)], &whole);
}

#[test]
fn every_operation_that_fails_leaves_nothing() {
    let (_folder, source, numbers) = built(&Case::random(Ids::Text, 30, 60));
    for fault in [StorageFault::Fail(ErrorKind::StorageFull), StorageFault::HalfWritten] {
        for at in 0.. {
            let folder = tempfile::tempdir().unwrap();
            let target = folder.path().join(NAME);
            let storage = FaultyStorage::new(Arc::new(Disk), at, fault);
            match renumber_on(&storage, &source, &target, &pages_of(4096), (Order::Gorder, &numbers)) {
                Ok(_) => {
                    check_all(&target, &Reading::PLAIN.workers()).unwrap();
                    break;
                }
                Err(error) => {
                    assert!(matches!(error, Error::DiskFull { .. }), "{error}");
                    assert!(files_of(folder.path()).is_empty(), "{fault:?} at {at}");
                }
            }
        }
    }
}

#[test]
fn a_store_under_the_name_of_one_in_the_making_becomes_the_target_or_goes() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join(NAME);
    let make = || {
        let made = temporary_sibling(&target).unwrap();
        let report = Case::random(Ids::Dense, 20, 40).build(&made).unwrap();
        (made, report.manifest.uuid)
    };
    let uuid = || Store::open(&target).unwrap().manifest().uuid.clone();
    let (made, first) = make();
    publish(&Disk, &made, &target, false).unwrap();
    assert_eq!((uuid(), files_of(folder.path()).len()), (first.clone(), 1));
    let (made, _) = make();
    assert!(matches!(publish(&Disk, &made, &target, false), Err(Error::AlreadyExists { .. })));
    assert_eq!(uuid(), first);
    let second = Store::open(&made).unwrap().manifest().uuid.clone();
    publish(&Disk, &made, &target, true).unwrap();
    assert_eq!((uuid(), files_of(folder.path())), (second.clone(), vec![target.clone()]));
    let (made, _) = make();
    let storage = FaultyStorage::new(Arc::new(Disk), 0, StorageFault::Fail(ErrorKind::PermissionDenied));
    publish(&storage, &made, &target, true).unwrap_err();
    assert_eq!((uuid(), files_of(folder.path())), (second, vec![target.clone()]));
}
