//! Stores with pending new vertices are those that would have been built with them.

use crate::cases::collect::{Collect, Reading};
use crate::cases::graph::{Case, Ids};
use crate::cases::layouts::{TINY, chunks, compact, pages_of, some};
use crate::cases::model::Model;
use crate::harm::crash::NAME;
use crate::harm::damage::{check_all, files_of};
use crate::harm::hostile::Forger;
use crate::writing::built::{assert_graph, cases};
use crate::writing::updates::{Edges, assert_selected, merge_as, update_on};
use outcrop_io::{Disk, FaultyStorage, IoChoice, RecordingStorage, StorageFault};
use outcrop_store::access::Adjacency;
use outcrop_store::layout::compact::IndexResidence;
use outcrop_store::layout::{DegreeReader, LayoutKind};
use outcrop_store::updates::{AddedVertices, UpdateEdges};
use outcrop_store::writing::{IdBatch, look_up_ranks};
use outcrop_store::{Codec, Dedup, OriginalId, OriginalIdReader, SelfLoops, Store};
use outcrop_types::{Cancellation, Direction, MemoryBudget, VertexRange};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// A store on disk, and what it has to contain.
#[derive(Clone)]
pub struct Grown {
    /// The case that would have been built.
    now: Case,
    /// Number of each vertex in the store, by its number in the case.
    numbers: BTreeMap<u64, u32>,
}

impl Grown {
    pub fn build(case: &Case, target: &Path) -> Self {
        case.build(target).unwrap();
        Self::of(case)
    }

    /// The store as `case` builds it.
    pub fn of(case: &Case) -> Self {
        let model = Model::of(case);
        let numbers = (0..model.vertices()).map(|vertex| {
            let rank = model.vertex_of_rank.iter().position(|other| *other == vertex).unwrap();
            (number_of(case, &model.ids[rank]), vertex)
        });
        Self { now: case.clone(), numbers: numbers.collect() }
    }

    /// Returns the update with `edges`; removals of unknown vertices are left out.
    pub fn update(&mut self, edges: &Edges) -> UpdateEdges {
        let known = |number: &u64| self.numbers.contains_key(number);
        let removed: Vec<_> =
            edges.removed.iter().filter(|(source, target)| known(source) && known(target)).copied().collect();
        let old = self.numbers.len() as u32;
        let ends = edges.added.iter().flat_map(|(source, target, _)| [*source, *target]);
        let mut new: BTreeSet<u64> = ends.filter(|number| !known(number)).collect();
        if self.now.ids == Ids::Dense {
            let end = new.last().map_or(0, |last| last + 1);
            new.extend(u64::from(old)..end);
        }
        let mut new: Vec<_> = new.into_iter().map(|number| (id_of(&self.now, number), number)).collect();
        new.sort();
        self.numbers.extend(new.iter().map(|(_, number)| *number).zip(old..));
        let known = Model::of(&self.now).ids;
        let smaller = |id: &OriginalId| known.partition_point(|known| known < id) as u32;
        let mut ids = IdBatch::empty(self.now.kind());
        let ranks = new.iter().map(|(id, _)| smaller(id)).collect();
        for (id, _) in new.iter().filter(|_| self.now.ids != Ids::Dense) {
            match (id, &mut ids) {
                (OriginalId::Integer(id), IdBatch::Integers(ids)) => ids.push(*id),
                (OriginalId::Text(id), ids) => ids.push_text(id.as_bytes()),
                _ => panic!("IDs of two kinds"),
            }
        }
        let vertex = |number: &u64| self.numbers[number];
        self.now = Edges { removed: removed.clone(), added: edges.added.clone() }.on(&self.now);
        UpdateEdges {
            removed: removed.iter().map(|(source, target)| (vertex(source), vertex(target))).collect(),
            added: edges
                .added
                .iter()
                .map(|(source, target, weight)| (vertex(source), vertex(target), *weight))
                .collect(),
            vertices: AddedVertices { count: new.len() as u32, ids, ranks },
            ..UpdateEdges::default()
        }
    }

    /// A merge inserts new vertices in the original order, and leaves them last in any other.
    fn merge(&mut self, target: &Path) {
        merge_as(self.now.layout.clone(), &Disk, target).unwrap();
        if !self.now.by_degree {
            let mut all: Vec<_> = self.numbers.keys().map(|number| (id_of(&self.now, *number), *number)).collect();
            all.sort();
            self.numbers = all.into_iter().map(|(_, number)| number).zip(0..).collect();
        }
    }

    fn model(&self) -> Model {
        let model = Model::of(&self.now);
        let vertices = model.ids.iter().map(|id| self.numbers[&number_of(&self.now, id)]).collect();
        model.numbered(vertices)
    }

    pub fn assert(&self, store: &Store) {
        let model = self.model();
        assert_eq!((store.manifest().graph.edges, store.manifest().graph.vertices), (model.edges, model.vertices()));
        assert_graph(store, &model);
        assert_reads(store, &model);
        assert_ranks(store, &model);
    }
}

fn id_of(case: &Case, number: u64) -> OriginalId {
    match case.ids {
        Ids::Text | Ids::TextOrEmpty => OriginalId::Text(case.text(number)),
        Ids::Dense | Ids::Sparse => OriginalId::Integer(case.integer(number)),
    }
}

fn number_of(case: &Case, id: &OriginalId) -> u64 {
    (0..10_000).find(|number| id_of(case, *number) == *id).unwrap()
}

/// Sweeps of ranges, selects and degrees, however the lists are read.
fn assert_reads(store: &Store, model: &Model) {
    let vertices = model.vertices();
    let streamed = IndexResidence::Streamed { window: 64 };
    for (cache_bytes, threads, index) in [(0, 1, streamed), (64 << 10, 2, IndexResidence::Resident)] {
        let reading = Reading { cache_bytes, threads, index, ..Reading::PLAIN };
        for direction in [Direction::Out, Direction::In] {
            let (lists, expected) = (reading.open(store, direction).unwrap(), model.lists(direction));
            for (start, end) in [(0, vertices), (vertices / 3, vertices), (0, vertices / 2), (vertices, vertices)] {
                let wanted = |vertex: u32| vertex % 5 != 3;
                let collect = Collect::new(vertices, &wanted);
                lists.sweep(VertexRange::new(start, end), &collect).unwrap();
                for (vertex, found) in (0..).zip(collect.into_lists()) {
                    let asked = (start..end).contains(&vertex) && wanted(vertex);
                    assert_eq!(found, asked.then(|| expected[vertex as usize].clone()), "{vertex}");
                }
            }
            let last: Vec<u32> = (vertices.saturating_sub(3)..vertices).collect();
            for members in [last, (0..vertices).step_by(3).collect(), (0..vertices).collect()] {
                assert_selected(&lists, &members, expected);
                lists.cost_of(&outcrop_types::VertexSet::from_members(members, vertices));
            }
            let mut degrees = Vec::new();
            let mut reader =
                DegreeReader::open(store, direction, IoChoice::Buffered, &MemoryBudget::new(1 << 30)).unwrap();
            for (start, end) in [(0, vertices), (vertices / 2, vertices), (vertices, vertices)] {
                reader.read(VertexRange::new(start, end), &mut degrees).unwrap();
                let lists = &expected[start as usize..end as usize];
                assert!(degrees.iter().map(|degree| *degree as usize).eq(lists.iter().map(Vec::len)));
            }
        }
    }
}

/// Ranks of some vertices, IDs of some ranks, and vertices of many IDs.
fn assert_ranks(store: &Store, model: &Model) {
    let mut members: Vec<(u32, u32)> = (0..model.vertices()).filter(|vertex| vertex % 3 != 1).map(|v| (v, 0)).collect();
    look_up_ranks(store, IoChoice::Buffered, &mut members).unwrap();
    assert!(members.iter().all(|(vertex, rank)| model.vertex_of_rank[*rank as usize] == *vertex));
    let mut reader = OriginalIdReader::open(store, IoChoice::Buffered).unwrap();
    let count = model.vertices();
    let (mut start, mut found) = (0, IdBatch::empty(reader.ids(0..0).unwrap().kind()));
    while start < count {
        let end = reader.batch_end(start..count.min(start + 50), 40).unwrap();
        assert!(end > start && end <= count);
        let (ids, vertices) = (reader.ids(start..end).unwrap(), reader.vertices(start..end).unwrap());
        assert_eq!(vertices, model.vertex_of_rank[start as usize..end as usize]);
        (0..ids.len()).for_each(|place| found.push_from(&ids, place));
        start = end;
    }
    let mut vertices = Vec::new();
    reader
        .find_all(&found, &MemoryBudget::new(0), &Cancellation::new(), |place, _, vertex| {
            vertices.push((place, vertex))
        })
        .unwrap();
    assert!(vertices.into_iter().eq(model.vertex_of_rank.iter().map(|vertex| Some(*vertex)).enumerate()));
    assert_few_found(store, &found, model);
}

/// Two IDs at a time, of which one may be unknown, are found as all IDs are.
fn assert_few_found(store: &Store, ids: &IdBatch, model: &Model) {
    let budget = MemoryBudget::new(1 << 30);
    for (place, vertex) in model.vertex_of_rank.iter().enumerate() {
        let mut some = IdBatch::empty(ids.kind());
        some.push_from(ids, place);
        match &mut some {
            IdBatch::Integers(some) => some.extend(some[0].checked_add(1)),
            IdBatch::Texts { .. } => some.push_text(&[ids.text(place), &b"!"[..]].concat()),
        }
        let known = some.len() > 1 && place + 1 < ids.len() && some.compare(1, ids, place + 1).is_eq();
        let next = known.then(|| model.vertex_of_rank[place + 1]);
        let mut found = Vec::new();
        let mut reader = OriginalIdReader::open(store, IoChoice::Buffered).unwrap();
        reader.find_all(&some, &budget, &Cancellation::new(), |_, rank, vertex| found.push((rank, vertex))).unwrap();
        let expected = [(place as u32, Some(*vertex)), (place as u32 + 1, next)];
        assert_eq!(found, expected[..some.len()]);
    }
    assert_eq!(budget.available(), 1 << 30);
}

/// Edges between known and unknown vertices.
fn any_edges() -> impl Strategy<Value = (Edges, bool)> {
    let number = || prop_oneof![3 => 0_u64..60, 1 => 0_u64..400];
    let added = (number(), number(), -8i8..8).prop_map(|(source, target, weight)| (source, target, f64::from(weight)));
    let removed = prop::collection::vec((0_u64..60, 0_u64..60), 0..40);
    (removed, prop::collection::vec(added, 0..12), prop::bool::weighted(0.3))
        .prop_map(|(removed, added, merge)| (Edges { removed, added }, merge))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]
    #[test]
    fn a_store_with_new_vertices_is_the_one_that_would_have_been_built(
        case in cases(), updates in prop::collection::vec(any_edges(), 1..5),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join(NAME);
        let mut grown = Grown::build(&case, &target);
        for (edges, merge) in updates {
            // Removes some of the edges that are there, too.
            let there = grown.now.edges.iter().step_by(9).map(|(source, target, _)| (*source, *target));
            let edges = Edges { removed: edges.removed.iter().copied().chain(there).collect(), ..edges };
            let before = grown.numbers.len();
            let update = grown.update(&edges);
            let report = update_on(&Disk, &target, &update).unwrap();
            let store = Store::open(&target).unwrap();
            prop_assert_eq!(store.manifest(), &report.manifest);
            prop_assert_eq!(store.manifest().graph.vertices as usize, before + update.vertices.count as usize);
            grown.assert(&store);
            drop(store);
            if merge {
                grown.merge(&target);
                let store = Store::open(&target).unwrap();
                prop_assert_eq!(store.manifest().new_vertices(), 0);
                grown.assert(&store);
            }
        }
    }
}

#[test]
fn every_layout_has_new_vertices_with_and_without_pinned_lists() {
    for layout in some() {
        for ids in [Ids::Dense, Ids::Sparse, Ids::Text] {
            let folder = tempfile::tempdir().unwrap();
            let target = folder.path().join(NAME);
            let case = Case { weighted: true, by_degree: ids == Ids::Sparse, ..Case::random(ids, 200, 1500) };
            let mut grown = Grown::build(&case.laid_out(&layout), &target);
            let single = layout.kind() != LayoutKind::Sliding;
            let all: Vec<u32> = (0..150).filter(|v| v % 3 > 0).collect();
            let keep = |store: &Store| crate::reading::statics::keep(store, &all, u64::MAX);
            if single {
                keep(&Store::open(&target).unwrap());
            }
            let hub = (0..300).map(|n| (777, n, n as f64));
            let added = hub.chain([(3, 500, 1.0), (500, 501, 2.0), (501, 3, 3.0)]).collect();
            let update = grown.update(&Edges { removed: vec![(case.edges[0].0, case.edges[0].1)], added });
            update_on(&Disk, &target, &update).unwrap();
            let store = Store::open(&target).unwrap();
            grown.assert(&store);
            if single {
                keep(&store);
                let model = grown.model();
                for direction in [Direction::Out, Direction::In] {
                    let pinned = crate::reading::statics::open(&store, direction, Reading::PLAIN, u64::MAX);
                    let everyone: Vec<u32> = (0..model.vertices()).collect();
                    assert_selected(&pinned, &everyone, model.lists(direction));
                }
            }
            check_all(&target, &Reading::PLAIN.workers()).unwrap();
        }
    }
}

#[test]
fn a_dropped_loop_and_a_gap_of_dense_ids_add_vertices_without_edges() {
    for ids in [Ids::Dense, Ids::Sparse] {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join(NAME);
        let case = Case { self_loops: SelfLoops::Drop, dedup: Dedup::First, ..Case::new(ids, vec![(0, 1, 1.0)]) };
        let mut grown = Grown::build(&case, &target);
        let update = grown.update(&Edges { removed: Vec::new(), added: vec![(9, 9, 1.0)] });
        let report = update_on(&Disk, &target, &update).unwrap();
        assert_eq!((report.counts.loops_dropped, report.counts.added), (1, 0));
        grown.assert(&Store::open(&target).unwrap());
        grown.merge(&target);
        grown.assert(&Store::open(&target).unwrap());
    }
}

#[test]
fn files_of_new_vertices_with_right_checksums_and_wrong_contents_are_errors_and_never_panics() {
    for ids in [Ids::Sparse, Ids::Text] {
        let case = Case::random(ids, 60, 300);
        let mut forger = Forger::new(&case);
        let target = forger.store();
        let mut grown = Grown::of(&case);
        let added = (0..40).map(|n| (n, 100 + n * 7, 1.0)).collect();
        let update = grown.update(&Edges { removed: Vec::new(), added });
        forger.manifest = update_on(&Disk, &target, &update).unwrap().manifest;
        grown.assert(&Store::open(&target).unwrap());
        let name = "ids.updates-0001";
        let original = std::fs::read(target.join(name)).unwrap();
        let (mut errors, mut noticed) = (0, 0);
        for _ in 0..200 {
            forger.forge(name, |forger, bytes, parts| forger.scribble(bytes, parts));
            errors += usize::from(read_ids(&target).is_err());
            noticed += usize::from(check_all(&target, &Reading::PLAIN.workers()).is_err());
            std::fs::write(target.join(name), &original).unwrap();
        }
        assert!(errors > 20 && noticed >= errors, "{errors} {noticed}");
    }
}

/// All IDs, ranks and vertices.
fn read_ids(folder: &Path) -> outcrop_types::Result<()> {
    let (store, cancellation) = (Store::open(folder)?, Cancellation::new());
    let vertices = store.manifest().graph.vertices;
    let mut reader = OriginalIdReader::open(&store, IoChoice::Buffered)?;
    let ids = reader.ids(0..vertices)?;
    assert_eq!((ids.len(), reader.vertices(0..vertices)?.len()), (vertices as usize, vertices as usize));
    reader.batch_end(0..vertices, 100)?;
    reader.find_all(&ids, &MemoryBudget::new(0), &cancellation, |_, _, _| {})?;
    reader.find("v1")?;
    outcrop_store::ranks(&store, IoChoice::Buffered, &MemoryBudget::new(1 << 20), &cancellation).map(|_| ())
}

#[test]
fn a_crash_leaves_the_store_with_or_without_its_new_vertices() {
    for (ids, layout) in
        [(Ids::Sparse, pages_of(512)), (Ids::Text, compact(Codec::Packed)), (Ids::Dense, chunks(TINY, |_| {}))]
    {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join(NAME);
        let mut grown = vec![Grown::build(&Case::random(ids, 60, 300).laid_out(&layout), &target)];
        for added in [vec![(3, 70, 1.0), (70, 90, 1.0)], vec![(80, 90, 1.0), (2, 3, 1.0)]] {
            let mut next = grown.last().unwrap().clone();
            let update = next.update(&Edges { removed: Vec::new(), added });
            let storage = RecordingStorage::new(folder.path()).unwrap();
            update_on(&storage, &target, &update).unwrap();
            let before = grown.last().unwrap().clone();
            for (mode, after) in storage.crashes(0) {
                let left = tempfile::tempdir().unwrap();
                storage.crash(after, mode, left.path()).unwrap();
                let left = left.path().join(NAME);
                check_all(&left, &Reading::PLAIN.workers()).unwrap();
                let store = Store::open(&left).unwrap();
                let made = store.manifest().graph.edges == next.model().edges;
                assert!(made || after < storage.operations(), "what was acknowledged is there");
                let mut found = if made { next.clone() } else { before.clone() };
                assert_graph(&store, &found.model());
                drop(store);
                // The next update removes what is left, whatever was there.
                let again = found.update(&Edges { removed: Vec::new(), added: vec![(1, 99, 1.0)] });
                let report = update_on(&Disk, &left, &again).unwrap();
                assert_eq!(files_of(&left).len(), report.manifest.files.len() + 2, "{mode:?} after {after}");
                assert_graph(&Store::open(&left).unwrap(), &found.model());
            }
            grown.push(next);
        }
    }
}

#[test]
fn every_operation_that_fails_leaves_the_store_without_new_vertices() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join(NAME);
    let before = Grown::build(&Case::random(Ids::Text, 40, 200), &target);
    for at in 0.. {
        let mut grown = before.clone();
        let update = grown.update(&Edges { removed: Vec::new(), added: vec![(3, 70, 1.0)] });
        let storage = FaultyStorage::new(Arc::new(Disk), at, StorageFault::HalfWritten);
        match update_on(&storage, &target, &update) {
            Ok(_) => {
                grown.assert(&Store::open(&target).unwrap());
                return assert!(at > 8, "{at} operations are too few");
            }
            Err(_) => {
                check_all(&target, &Reading::PLAIN.workers()).unwrap();
                assert_graph(&Store::open(&target).unwrap(), &before.model());
            }
        }
    }
}
