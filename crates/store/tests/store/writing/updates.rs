//! Stores with changes beside their lists are those that would have been built with them.

use crate::cases::collect::{Collect, Reading, sweep_all, work};
use crate::cases::graph::{Case, Ids};
use crate::cases::layouts::{TINY, chunks, compact, pages_of, some};
use crate::cases::model::Model;
use crate::harm::crash::NAME;
use crate::harm::damage::{check_all, files_of};
use crate::writing::built::{assert_graph, cases};
use outcrop_io::{Disk, FaultyStorage, IoChoice, RecordingStorage, Storage, StorageFault};
use outcrop_store::WorkContext;
use outcrop_store::access::Adjacency;
use outcrop_store::journal::JournalUpdate;
use outcrop_store::layout::compact::IndexResidence;
use outcrop_store::layout::{DegreeReader, Layout, LayoutKind};
use outcrop_store::updates::{UpdateEdges, UpdateReport, update};
use outcrop_store::writing::{
    ConvertOptions, EdgeBatch, IdBatch, convert, publish_over, remove_left_over, temporary_sibling,
};
use outcrop_store::{Codec, Dedup, OriginalIds, Store};
use outcrop_types::{Cancellation, Direction, Error, MemoryBudget, Result, VertexRange, VertexSet};
use proptest::prelude::*;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Edges between the numbers of a case.
#[derive(Clone, Debug, Default)]
pub struct Edges {
    pub removed: Vec<(u64, u64)>,
    pub added: Vec<(u64, u64, f64)>,
}

impl Edges {
    /// The case that would have been built.
    pub fn on(&self, case: &Case) -> Case {
        let vertices = case.edges.iter().flat_map(|(source, target, _)| [*source, *target]);
        let vertices = vertices.chain(case.vertices.iter().copied()).collect();
        let gone = |source: u64, target: u64| {
            self.removed.contains(&(source, target)) || case.undirected && self.removed.contains(&(target, source))
        };
        let kept = case.edges.iter().filter(|(source, target, _)| !gone(*source, *target)).copied();
        Case { edges: kept.chain(self.added.iter().copied()).collect(), vertices, ..case.clone() }
    }

    /// The same edges between vertices of the store that `case` makes.
    pub fn between_vertices(&self, case: &Case) -> UpdateEdges {
        let model = Model::of(case);
        let vertex = |number: u64| {
            let id = match case.ids {
                Ids::Text | Ids::TextOrEmpty => outcrop_store::OriginalId::Text(case.text(number)),
                Ids::Dense | Ids::Sparse => outcrop_store::OriginalId::Integer(case.integer(number)),
            };
            model.vertex_of_rank[model.ids.binary_search(&id).unwrap()]
        };
        UpdateEdges {
            removed: self.removed.iter().map(|(source, target)| (vertex(*source), vertex(*target))).collect(),
            added: self.added.iter().map(|(source, target, w)| (vertex(*source), vertex(*target), *w)).collect(),
            ..UpdateEdges::default()
        }
    }
}

/// Opens a store that no other process has open.
pub fn alone(target: &Path) -> Result<Store> {
    Store::open_for_update(target, true, Duration::ZERO, &Cancellation::new()).map(|(_, store)| store)
}

pub fn update_on(storage: &dyn Storage, target: &Path, edges: &UpdateEdges) -> Result<UpdateReport> {
    update_store(storage, &alone(target)?, edges)
}

/// Updates a store beside its readers.
pub fn update_beside(target: &Path, edges: &UpdateEdges) -> Result<UpdateReport> {
    let (_turn, store) = Store::open_for_update(target, false, Duration::ZERO, &Cancellation::new())?;
    update_store(&Disk, &store, edges)
}

fn update_store(storage: &dyn Storage, store: &Store, edges: &UpdateEdges) -> Result<UpdateReport> {
    let (budget, workers) = (MemoryBudget::new(64 << 20), Reading::PLAIN.workers());
    let text = store.manifest().numbering.ids == OriginalIds::Text;
    let pairs = |ends: &mut dyn Iterator<Item = (u32, u32)>| {
        let ids: Vec<_> = ends.flat_map(|(source, target)| [source, target]).collect();
        let mut bytes = Vec::new();
        let mut end = |id: &u32| {
            bytes.extend_from_slice(id.to_string().as_bytes());
            bytes.len()
        };
        match text {
            false => IdBatch::Integers(ids.into_iter().map(u64::from).collect()),
            true => {
                let ends = ids.iter().map(&mut end).collect();
                IdBatch::Texts { bytes, ends }
            }
        }
    };
    let endpoints = pairs(&mut edges.added.iter().map(|(source, target, _)| (*source, *target)));
    let weights =
        edges.added.iter().filter(|_| store.manifest().graph.weighted).map(|(_, _, weight)| *weight).collect();
    let added = EdgeBatch { endpoints, weights, times: Vec::new() };
    let journal = JournalUpdate { name: None, added, removed: pairs(&mut edges.removed.iter().copied()) };
    let work = WorkContext { storage, ..work(IoChoice::Buffered, &budget, &workers) };
    let report = update(store, edges, &journal, work);
    assert_eq!(budget.available(), budget.limit(), "everything reserved is given back");
    report
}

/// Some edges of the case and some between any vertices, the same for the same case.
pub fn a_few(case: &Case) -> UpdateEdges {
    let numbers = numbers_of(case);
    let removed = case.edges.iter().step_by(7).map(|(source, target, _)| (*source, *target)).collect();
    let added = numbers.iter().zip(numbers.iter().rev()).step_by(3).map(|(source, target)| (*source, *target, 2.5));
    Edges { removed, added: added.collect() }.between_vertices(case)
}

fn numbers_of(case: &Case) -> Vec<u64> {
    let ends = case.edges.iter().flat_map(|(source, target, _)| [*source, *target]);
    let mut numbers: Vec<u64> = ends.chain(case.vertices.iter().copied()).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// Some edges of the case, and some between any vertices.
fn any_update(case: &Case) -> BoxedStrategy<Edges> {
    let numbers = numbers_of(case);
    if numbers.is_empty() {
        return Just(Edges::default()).boxed();
    }
    let number = || {
        any::<prop::sample::Index>().prop_map({
            let numbers = numbers.clone();
            move |index| *index.get(&numbers)
        })
    };
    let edges = case.edges.clone();
    let there = any::<prop::sample::Index>().prop_map(move |index| match edges.is_empty() {
        true => (0, 0),
        false => (index.get(&edges).0, index.get(&edges).1),
    });
    let there = there
        .prop_filter("an edge", {
            let none = case.edges.is_empty();
            move |_| !none
        })
        .boxed();
    let any_pair = (number(), number()).boxed();
    let pair = if case.edges.is_empty() { any_pair } else { prop_oneof![there, any_pair].boxed() };
    let added = (pair.clone(), -8i8..8).prop_map(|((source, target), weight)| (source, target, f64::from(weight)));
    (prop::collection::vec(pair, 0..40), prop::collection::vec(added, 0..40))
        .prop_map(|(removed, added)| Edges { removed, added })
        .boxed()
}

fn cases_with_updates() -> impl Strategy<Value = (Case, Vec<Edges>)> {
    // A degree order would be another with other edges.
    cases().prop_map(|case| Case { by_degree: false, ..case }).prop_flat_map(|case| {
        let updates = prop::collection::vec(any_update(&case), 1..4);
        (Just(case), updates)
    })
}

/// Updates a store again and again and compares it with the model each time.
fn assert_updated(case: &Case, updates: &[Edges]) {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join(NAME);
    case.build(&target).unwrap();
    let files = files_of(&target).len();
    let mut now = case.clone();
    for edges in updates {
        let report = update_on(&Disk, &target, &edges.between_vertices(case)).unwrap();
        let before = Model::of(&now);
        now = edges.on(&now);
        let model = Model::of(&now);
        let store = Store::open(&target).unwrap_or_else(|error| panic!("{error}: {:?}", report.manifest));
        assert_eq!(*store.manifest(), report.manifest);
        assert_eq!((store.manifest().graph.edges, store.manifest().graph.vertices), (model.edges, model.vertices()));
        assert_eq!(before.edges + report.counts.added, model.edges + report.counts.removed);
        assert_graph(&store, &model);
        let changes = store.manifest().update_file_names().count();
        let segments = store.manifest().changes.journal.iter().flat_map(|journal| &journal.segments).count();
        assert_eq!(files_of(&target).len(), files + changes + 2 * segments, "what was replaced is gone");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]
    #[test]
    fn an_updated_store_is_the_one_that_would_have_been_built((case, updates) in cases_with_updates()) {
        assert_updated(&case, &updates);
    }
}

/// A graph with a hub and vertices without neighbors, and changes of all kinds of lists.
pub fn changed(weighted: bool) -> (Case, Edges) {
    let hub = (0..3000).map(|n| (7, n % 900, n as f64));
    let edges = Case::random(Ids::Dense, 900, 3000).edges.into_iter().filter(|(source, ..)| source % 5 > 0);
    let case = Case { weighted, dedup: Dedup::First, num_vertices: Some(1000), ..Case::new(Ids::Dense, Vec::new()) };
    let case = Case { edges: edges.chain(hub).collect(), ..case };
    let removed = case.edges.iter().step_by(9).map(|(source, target, _)| (*source, *target));
    let hub = (0..300).map(|n| (7, 3 * n));
    let added = (0..1000).step_by(5).flat_map(|v| (0..v % 8).map(move |n| (v, (v * n + 1) % 1000, n as f64)));
    let update =
        Edges { removed: removed.chain(hub).collect(), added: added.chain([(999, 7, 1.0), (7, 999, 2.0)]).collect() };
    (case, update)
}

#[test]
fn every_layout_gives_changed_lists_however_it_reads() {
    for weighted in [false, true] {
        for layout in some() {
            let (case, edges) = changed(weighted);
            let case = case.laid_out(&layout);
            let folder = tempfile::tempdir().unwrap();
            let target = folder.path().join(NAME);
            case.build(&target).unwrap();
            let all: Vec<u32> = (0..1000).filter(|v| v % 3 > 0).collect();
            let single = layout.kind() != LayoutKind::Sliding;
            if single {
                crate::reading::statics::keep(&Store::open(&target).unwrap(), &all, u64::MAX);
            }
            update_on(&Disk, &target, &edges.between_vertices(&case)).unwrap();
            let (store, model) = (Store::open(&target).unwrap(), Model::of(&edges.on(&case)));
            assert_graph(&store, &model);
            assert_reads(&store, &model);
            // A selection that is made afterwards holds lists as they are in the files, too.
            if single {
                crate::reading::statics::keep(&store, &(0..700).collect::<Vec<_>>(), u64::MAX);
            }
            check_all(&target, &Reading::PLAIN.workers()).unwrap();
            assert_reads(&store, &model);
        }
    }
}

fn assert_reads(store: &Store, model: &Model) {
    let streamed = IndexResidence::Streamed { window: 64 };
    for (cache_bytes, threads, index) in [(0, 1, streamed), (64 << 10, 3, IndexResidence::Resident)] {
        let reading = Reading { cache_bytes, threads, index, ..Reading::PLAIN };
        for direction in [Direction::Out, Direction::In] {
            let plain = reading.open(store, direction).unwrap();
            let held = crate::reading::statics::open(store, direction, reading, u64::MAX);
            let mut decoded = reading.open(store, direction).unwrap();
            let budget = MemoryBudget::new(1 << 30);
            decoded.decode(store, IoChoice::Buffered, &budget, &reading.workers()).unwrap();
            for lists in [plain, held, decoded] {
                assert_eq!(lists.num_arcs(), lists.cost_of_sweep().arcs);
                for _ in 0..2 {
                    assert_eq!(sweep_all(&lists).unwrap(), model.lists(direction));
                    for members in [vec![7, 10, 400, 999], (0..1000).step_by(3).collect()] {
                        assert_selected(&lists, &members, model.lists(direction));
                    }
                }
            }
            assert_degrees(store, direction, model);
        }
    }
}

pub fn assert_selected(lists: &dyn Adjacency, members: &[u32], expected: &[crate::cases::model::List]) {
    let vertices = expected.len() as u32;
    for set in [VertexSet::from_members(members.to_vec(), vertices), {
        let bits = outcrop_types::BitSet::empty(vertices);
        members.iter().for_each(|member| _ = bits.insert(*member));
        VertexSet::from_bits(bits)
    }] {
        for enough in [usize::MAX, 40] {
            let collect = Collect::new(vertices, &|_| true).until(enough);
            lists.select(&set, &collect).unwrap();
            let found = collect.into_lists();
            for (vertex, list) in (0..).zip(found) {
                let list_of = || &expected[vertex as usize][..enough.min(expected[vertex as usize].len())];
                assert_eq!(list.as_deref(), members.contains(&vertex).then(list_of), "{vertex}");
            }
        }
    }
}

fn assert_degrees(store: &Store, direction: Direction, model: &Model) {
    let budget = MemoryBudget::new(1 << 20);
    let mut reader = DegreeReader::open(store, direction, IoChoice::Buffered, &budget).unwrap();
    let lengths: Vec<u32> = model.lists(direction).iter().map(|list| list.len() as u32).collect();
    let mut degrees = Vec::new();
    for (start, end) in [(0, 1000), (300, 301), (7, 8), (5, 999), (0, 1), (999, 1000), (4, 4)] {
        reader.read(VertexRange::new(start, end), &mut degrees).unwrap();
        assert_eq!(degrees, lengths[start as usize..end as usize]);
    }
}

#[test]
fn an_order_of_vertices_stays() {
    let case = Case { weighted: true, by_degree: true, ..Case::random(Ids::Text, 200, 900) };
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join(NAME);
    case.build(&target).unwrap();
    let edges = Edges { removed: vec![(case.edges[3].0, case.edges[3].1)], added: vec![(5, 9, 3.5), (9, 5, -1.0)] };
    update_on(&Disk, &target, &edges.between_vertices(&case)).unwrap();
    let (model, before) = (Model::of(&Case { by_degree: false, ..edges.on(&case) }), Model::of(&case));
    let found = sweep_all(&Reading::PLAIN.open(&Store::open(&target).unwrap(), Direction::Out).unwrap()).unwrap();
    let renamed = |list: &crate::cases::model::List| {
        let mut list: Vec<_> = list.iter().map(|(n, w)| (before.vertex_of_rank[*n as usize], *w)).collect();
        list.sort_by_key(|(neighbor, _)| *neighbor);
        list
    };
    for (rank, list) in model.out.iter().enumerate() {
        assert_eq!(found[before.vertex_of_rank[rank] as usize], renamed(list));
    }
    check_all(&target, &Reading::PLAIN.workers()).unwrap();
}

#[test]
fn what_was_done_is_counted() {
    let edges = vec![(0, 1, 2.0), (0, 1, 3.0), (1, 2, 4.0), (2, 2, 5.0)];
    let folder = tempfile::tempdir().unwrap();
    for (number, (dedup, added, present, reweighted)) in
        [(Dedup::Keep, 4, 0, 0), (Dedup::First, 2, 2, 0), (Dedup::Max, 2, 2, 1), (Dedup::Sum, 2, 2, 2)]
            .into_iter()
            .enumerate()
    {
        let case = Case { weighted: true, dedup, undirected: true, ..Case::new(Ids::Dense, edges.clone()) };
        let target = folder.path().join(number.to_string());
        case.build(&target).unwrap();
        let update = UpdateEdges {
            removed: vec![(2, 1), (1, 2), (0, 2), (0, 0)],
            added: vec![(1, 0, 7.0), (2, 2, 1.0), (2, 1, 1.0), (0, 2, 1.0)],
            ..UpdateEdges::default()
        };
        let report = update_on(&Disk, &target, &update).unwrap();
        let counts = report.counts;
        assert_eq!((counts.added, counts.removed, counts.absent), (added, 1, 2), "{dedup:?}");
        assert_eq!((counts.present, counts.reweighted), (present, reweighted), "{dedup:?}");
        assert_eq!(report.manifest.changes.updates.as_ref().unwrap().generation, 1);
        let nothing = UpdateEdges { removed: vec![(0, 0)], ..UpdateEdges::default() };
        let same = update_on(&Disk, &target, &nothing).unwrap();
        assert_eq!((same.counts.absent, &same.manifest), (1, &report.manifest));
    }
    let wrong = UpdateEdges { added: vec![(0, 3, 1.0)], ..UpdateEdges::default() };
    assert!(matches!(update_on(&Disk, &folder.path().join("0"), &wrong), Err(Error::Usage(_))));
}

#[test]
fn what_comes_back_is_no_change() {
    let case = Case::random(Ids::Dense, 50, 400);
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join(NAME);
    case.build(&target).unwrap();
    let (source, target_vertex, _) = case.edges[0];
    let copies = case.edges.iter().filter(|edge| (edge.0, edge.1) == (source, target_vertex)).count();
    let gone = Edges { removed: vec![(source, target_vertex)], added: Vec::new() };
    let back = Edges { removed: Vec::new(), added: vec![(source, target_vertex, 1.0); copies] };
    update_on(&Disk, &target, &gone.between_vertices(&case)).unwrap();
    let report = update_on(&Disk, &target, &back.between_vertices(&case)).unwrap();
    let entry = report.manifest.changes.updates.unwrap();
    assert_eq!(entry.generation, 2);
    assert!(entry.lists.iter().all(|lists| lists.changed + lists.removed + lists.added == 0));
    assert_graph(&Store::open(&target).unwrap(), &Model::of(&case));
}

#[test]
fn an_open_store_is_not_updated_under_its_reader() {
    let (case, edges) = changed(false);
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join(NAME);
    case.build(&target).unwrap();
    let reader = Store::open(&target).unwrap();
    let update = edges.between_vertices(&case);
    assert!(matches!(update_on(&Disk, &target, &update), Err(Error::InUse { .. })));
    drop(reader);
    let writer = alone(&target).unwrap();
    assert!(matches!(Store::open(&target), Err(Error::InUse { .. })));
    drop(writer);
    update_on(&Disk, &target, &update).unwrap();
}

#[test]
fn a_budget_that_does_not_hold_the_changes_says_what_to_do() {
    let (case, edges) = changed(true);
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join(NAME);
    case.laid_out(&pages_of(4096)).build(&target).unwrap();
    update_on(&Disk, &target, &edges.between_vertices(&case)).unwrap();
    let store = Store::open(&target).unwrap();
    let needed =
        crate::cases::lists::Lists::memory(&store, Direction::Out, &Reading::PLAIN.workers(), Reading::PLAIN.index);
    assert!(needed.needs().iter().any(|need| need.purpose == outcrop_types::Purpose::Updates && need.bytes > 1000));
    let open = |bytes| {
        let merge = outcrop_io::MergePolicy::default();
        Reading::PLAIN.open_within(&store, Direction::Out, merge, &MemoryBudget::new(bytes)).map(|_| ())
    };
    open(needed.total()).unwrap();
    let without = crate::cases::lists::Lists::memory(
        &store.as_written(),
        Direction::Out,
        &Reading::PLAIN.workers(),
        Reading::PLAIN.index,
    );
    let error = open(without.total() + 100).unwrap_err();
    assert!(error.to_string().contains("--merge"), "{error}");
}

/// Graph at the target after a crash: which of some graphs.
fn survivor(folder: &Path, models: &[Model]) -> usize {
    let target = folder.join(NAME);
    check_all(&target, &Reading::PLAIN.workers()).unwrap();
    let store = Store::open(&target).unwrap();
    let lists = sweep_all(&Reading::PLAIN.open(&store, Direction::Out).unwrap()).unwrap();
    let found = models.iter().position(|model| model.out == lists).unwrap_or_else(|| panic!("none of the graphs"));
    assert_graph(&store, &models[found]);
    found
}

#[test]
fn a_crash_leaves_the_store_before_or_after_the_update() {
    // After many changes, those of the next update are a level of their own.
    for (layout, many) in [(pages_of(512), 1), (compact(Codec::Packed), 1), (chunks(TINY, |_| {}), 1200)] {
        let case = Case { weighted: true, ..Case::random(Ids::Sparse, 60, 300) }.laid_out(&layout);
        let number = |place: usize| (case.edges[place % 300].0, case.edges[place / 7 % 300].1, place as f64);
        let first =
            Edges { removed: vec![(case.edges[0].0, case.edges[0].1)], added: (1..=many).map(number).collect() };
        let second = Edges {
            removed: vec![(case.edges[5].0, case.edges[5].1)],
            added: vec![(case.edges[6].0, case.edges[8].1, 7.0)],
        };
        let (one, two) = (first.on(&case), second.on(&first.on(&case)));
        let models = [Model::of(&case), Model::of(&one), Model::of(&two)];
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join(NAME);
        case.build(&target).unwrap();
        for (before, edges) in [(0, &first), (1, &second)] {
            let storage = RecordingStorage::new(folder.path()).unwrap();
            let report = update_on(&storage, &target, &edges.between_vertices(&case)).unwrap();
            let levels = if many > 1 && before == 1 { 2 } else { 1 };
            assert_eq!(report.manifest.update_file_names().count(), 2 * levels);
            for (mode, after) in storage.crashes(0) {
                let left = tempfile::tempdir().unwrap();
                storage.crash(after, mode, left.path()).unwrap();
                let found = survivor(left.path(), &models);
                let what = format!("{mode:?} after {after} ({})", storage.describe(after.saturating_sub(1)));
                assert!(found == before || found == before + 1, "{what}: {found}");
                assert!(after < storage.operations() || found == before + 1, "{what}: what was acknowledged is there");
                // The next update removes what is left, whatever was there.
                let again = Edges { added: vec![(case.edges[0].1, case.edges[0].0, 5.0)], ..Edges::default() };
                let left = left.path().join(NAME);
                update_on(&Disk, &left, &again.between_vertices(&case)).unwrap();
                let store = Store::open(&left).unwrap();
                assert_eq!(files_of(&left).len(), store.manifest().files.len() + 2, "{what}");
            }
        }
    }
}

fn bytes_of(folder: &Path) -> Vec<Vec<u8>> {
    files_of(folder).iter().map(|path| std::fs::read(path).unwrap()).collect()
}

/// The bytes of the manifest, of the lock, and of what the manifest lists.
fn listed(folder: &Path) -> Vec<Vec<u8>> {
    let store = Store::open(folder).unwrap();
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    let known = |name: &str| ["lock", "manifest.json"].contains(&name) || store.manifest().file(name).is_some();
    files_of(folder).iter().filter(|path| known(&name(path))).map(|path| std::fs::read(path).unwrap()).collect()
}

#[test]
fn every_operation_that_fails_leaves_the_store_as_it_was() {
    for fault in [
        StorageFault::Fail(ErrorKind::PermissionDenied),
        StorageFault::Fail(ErrorKind::StorageFull),
        StorageFault::HalfWritten,
    ] {
        let case = Case::random(Ids::Text, 40, 200);
        let first = Edges { added: vec![(case.edges[0].0, case.edges[1].1, 1.0)], ..Edges::default() };
        let second = Edges { removed: vec![(case.edges[3].0, case.edges[3].1)], ..Edges::default() };
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join(NAME);
        case.build(&target).unwrap();
        update_on(&Disk, &target, &first.between_vertices(&case)).unwrap();
        let before = bytes_of(&target);
        for at in 0.. {
            let storage = FaultyStorage::new(Arc::new(Disk), at, fault);
            match update_on(&storage, &target, &second.between_vertices(&case)) {
                Ok(_) => {
                    assert!(at > 8, "{at} operations are too few");
                    break;
                }
                Err(error) => {
                    let full = fault != StorageFault::Fail(ErrorKind::PermissionDenied);
                    assert_eq!(matches!(error, Error::DiskFull { .. }), full, "{error}");
                    // Where the folder cannot be synced any more, files stay that are not listed.
                    assert!(bytes_of(&target) == before || listed(&target) == before, "{fault:?} at {at}: {error}");
                    check_all(&target, &Reading::PLAIN.workers()).unwrap();
                }
            }
        }
        let store = Store::open(&target).unwrap();
        assert_graph(&store, &Model::of(&second.on(&first.on(&case))));
        drop(store);
        // What could not be removed goes with the next update.
        let last = update_on(&Disk, &target, &first.between_vertices(&case)).unwrap();
        assert_eq!(files_of(&target).len(), last.manifest.files.len() + 2);
    }
}

/// Makes another store with the changes in its lists in the place of the store.
pub fn merge_on(storage: &dyn Storage, target: &Path) -> Result<()> {
    let layout = Layout::Csr(Store::open(target)?.manifest().lists.csr[0].settings());
    merge_as(layout, storage, target)
}

/// Same as [`merge_on`], with lists of a given layout.
pub fn merge_as(layout: Layout, storage: &dyn Storage, target: &Path) -> Result<()> {
    let (budget, workers) = (MemoryBudget::new(64 << 20), Reading::PLAIN.workers());
    let store = alone(target)?;
    let made = temporary_sibling(target)?;
    let options = ConvertOptions {
        target: made.clone(),
        overwrite: false,
        layout,
        weights: None,
        temp_folder: None,
        in_place: true,
        checkpoints: None,
    };
    let work = WorkContext { storage, ..work(IoChoice::Buffered, &budget, &workers) };
    convert(&store, &options, None, work)?;
    publish_over(storage, &made, &store)
}

#[test]
fn a_crash_of_a_merge_leaves_the_store_with_changes_beside_or_in_its_lists() {
    let case = Case { weighted: true, ..Case::random(Ids::Sparse, 60, 300) };
    let edges = Edges {
        removed: vec![(case.edges[0].0, case.edges[0].1)],
        added: vec![(case.edges[1].0, case.edges[2].1, 9.0)],
    };
    let models = [Model::of(&edges.on(&case))];
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join(NAME);
    case.build(&target).unwrap();
    update_on(&Disk, &target, &edges.between_vertices(&case)).unwrap();
    let storage = RecordingStorage::new(folder.path()).unwrap();
    merge_on(&storage, &target).unwrap();
    assert_eq!(files_of(folder.path()), [target]);
    let (mut beside, mut inside) = (0, 0);
    for (mode, after) in storage.crashes(0) {
        let left = tempfile::tempdir().unwrap();
        storage.crash(after, mode, left.path()).unwrap();
        survivor(left.path(), &models);
        let target = left.path().join(NAME);
        match Store::open(&target).unwrap().manifest().changes.updates {
            Some(_) => beside += 1,
            None => inside += 1,
        }
        remove_left_over(&Disk, &target);
        assert_eq!(files_of(left.path()), [target], "{mode:?} after {after}");
    }
    assert!(beside > 20 && inside > 4, "{beside} {inside}");
}

#[test]
fn every_operation_of_a_merge_that_fails_leaves_the_store_as_it_was() {
    let case = Case::random(Ids::Dense, 40, 200);
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join(NAME);
    case.build(&target).unwrap();
    update_on(&Disk, &target, &a_few(&case)).unwrap();
    let before = bytes_of(&target);
    for at in 0.. {
        let storage = FaultyStorage::new(Arc::new(Disk), at, StorageFault::Fail(ErrorKind::StorageFull));
        match merge_on(&storage, &target) {
            Ok(()) => break,
            Err(error) => {
                assert!(matches!(error, Error::DiskFull { .. }), "{error}");
                assert!(bytes_of(&target) == before, "{at}: {error}");
                remove_left_over(&Disk, &target);
                assert_eq!(files_of(folder.path()).len(), 1, "{at}");
            }
        }
    }
    assert!(Store::open(&target).unwrap().manifest().changes.updates.is_none());
}
