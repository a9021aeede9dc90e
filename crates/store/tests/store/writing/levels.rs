//! Pending changes in several levels are those of one.

use crate::cases::collect::Reading;
use crate::cases::graph::{Case, Ids};
use crate::cases::layouts::{TINY, chunks, compact};
use crate::cases::model::Model;
use crate::harm::crash::NAME;
use crate::harm::damage::{check_all, files_of};
use crate::writing::built::assert_graph;
use crate::writing::updates::{Edges, merge_as, update_on};
use outcrop_io::Disk;
use outcrop_store::{Codec, Dedup, Store};
use proptest::prelude::*;
use std::collections::BTreeSet;

const VERTICES: u64 = 60;
const MOST_LEVELS: usize = 8;

/// Cases of all rules, with a first update that is large enough for levels above it.
fn cases() -> impl Strategy<Value = Case> {
    let rules = prop_oneof![Just(Dedup::Keep), Just(Dedup::First), Just(Dedup::Sum), Just(Dedup::Min)];
    (rules, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(dedup, weighted, undirected, by_degree)| {
        let case = Case::random(if by_degree { Ids::Text } else { Ids::Dense }, VERTICES, 400);
        let case = Case { dedup, weighted, undirected, ..case };
        let layout = if by_degree { compact(Codec::Packed) } else { chunks(TINY, |_| {}) };
        Case { vertices: (0..VERTICES).collect(), ..case }.laid_out(&layout)
    })
}

/// Updates of very different sizes, between few vertices, so that they meet in the same entries.
fn updates() -> impl Strategy<Value = Vec<Edges>> {
    let end = || prop_oneof![0..6_u64, 0..VERTICES];
    let (removed, added) = ((end(), end()), (end(), end(), -3..4_i8).prop_map(|(a, b, w)| (a, b, f64::from(w))));
    let sized = move |size: usize| {
        let (removed, added) = (removed.clone(), added.clone());
        (prop::collection::vec(removed, size / 3..=size), prop::collection::vec(added, size / 3..=size))
            .prop_map(|(removed, added)| Edges { removed, added })
    };
    let small = prop_oneof![sized(3), sized(3), sized(30), sized(200)];
    (sized(1500), prop::collection::vec(small, 1..9))
        .prop_map(|(first, later)| std::iter::once(first).chain(later).collect())
}

/// Updates a store, compares it with the model each time, and returns the largest number of levels.
fn assert_levels(case: &Case, updates: &[Edges]) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join(NAME);
    case.build(&target).unwrap();
    let (files, mut now, mut most) = (files_of(&target).len(), case.clone(), 0);
    for edges in updates {
        let report = update_on(&Disk, &target, &edges.between_vertices(case)).unwrap();
        now = edges.on(&now);
        let (store, model) = (Store::open(&target).unwrap(), Model::of(&now));
        assert_eq!(*store.manifest(), report.manifest);
        assert_graph(&store, &model);
        let names: BTreeSet<String> = store.manifest().update_file_names().collect();
        let segments = store.manifest().changes.journal.iter().flat_map(|journal| &journal.segments).count();
        assert_eq!(files_of(&target).len(), files + names.len() + 2 * segments, "replaced levels are removed");
        most = most.max(names.len() / store.stored_directions().count());
    }
    check_all(&target, &Reading::PLAIN.workers()).unwrap();
    merge_as(case.layout.clone(), &Disk, &target).unwrap();
    let store = Store::open(&target).unwrap();
    assert!(store.manifest().changes.updates.is_none());
    assert_graph(&store, &Model::of(&now));
    most
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(40) })]
    #[test]
    fn levels_of_any_sizes_are_the_graph((case, updates) in (cases(), updates())) {
        prop_assert!(assert_levels(&case, &updates) <= MOST_LEVELS);
    }
}

#[test]
fn undone_changes_are_hidden_and_go_with_the_oldest_level() {
    let case = Case { vertices: (0..VERTICES).collect(), ..Case::random(Ids::Dense, VERTICES, 400) };
    let pairs: BTreeSet<(u64, u64)> = case.edges.iter().map(|(source, target, _)| (*source, *target)).collect();
    let absent: Vec<_> = (0..VERTICES * VERTICES).map(|at| (at / VERTICES, at % VERTICES)).collect();
    let absent: Vec<_> = absent.into_iter().filter(|pair| !pairs.contains(pair)).take(1200).collect();
    let add =
        |pairs: &[(u64, u64)]| Edges { removed: vec![], added: pairs.iter().map(|(a, b)| (*a, *b, 1.0)).collect() };
    let remove = |pairs: &[(u64, u64)]| Edges { removed: pairs.to_vec(), added: vec![] };
    let all = [add(&absent), remove(&absent[..5]), add(&absent[3..4]), remove(&absent[5..300])];
    assert!(assert_levels(&case, &all) > 1);
    // Without any pending change, no level has one either.
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join(NAME);
    case.build(&target).unwrap();
    for edges in [add(&absent), remove(&absent)] {
        update_on(&Disk, &target, &edges.between_vertices(&case)).unwrap();
    }
    let store = Store::open(&target).unwrap();
    let lists = &store.manifest().changes.updates.as_ref().unwrap().lists;
    assert!(lists.iter().all(|lists| lists.changed + lists.removed + lists.added == 0), "{lists:?}");
    let bytes: u64 = store.manifest().update_file_names().map(|name| store.manifest().file(&name).unwrap().bytes).sum();
    assert_eq!(bytes, 0);
}
