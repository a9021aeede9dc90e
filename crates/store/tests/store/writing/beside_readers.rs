//! Updates of a store that others read: each reader keeps the graph that it opened.

use crate::cases::collect::Reading;
use crate::cases::graph::{Case, Ids};
use crate::cases::layouts::{TINY, chunks};
use crate::cases::model::Model;
use crate::harm::crash::NAME;
use crate::harm::damage::{check_all, files_of};
use crate::writing::built::assert_graph;
use crate::writing::updates::{Edges, alone, merge_on, update_beside};
use outcrop_io::Disk;
use outcrop_store::{Store, while_in_use};
use outcrop_types::{Cancellation, Error};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

const VERTICES: u64 = 60;

fn case() -> Case {
    let case = Case { weighted: true, vertices: (0..VERTICES).collect(), ..Case::random(Ids::Text, VERTICES, 300) };
    case.laid_out(&chunks(TINY, |_| {}))
}

fn built(case: &Case) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join(NAME);
    case.build(&target).unwrap();
    (folder, target)
}

/// Update `number`: some edges come, some of the earlier ones go; the first update is large.
fn edges(number: u64) -> Edges {
    let pair = |n: u64| ((n * 7 + number) % VERTICES, (n * n + 3 * number) % VERTICES);
    let count = if number == 0 { 900 } else { 40 };
    let added = (0..count).map(pair).map(|(source, target)| (source, target, number as f64)).collect();
    Edges { removed: (0..20).map(|n| pair(n + 5)).collect(), added }
}

#[test]
fn readers_keep_their_graph_and_the_next_update_without_readers_removes_it() {
    let case = case();
    let (_folder, target) = built(&case);
    let mut now = case.clone();
    let mut readers = vec![(Store::open(&target).unwrap(), Model::of(&now))];
    for number in 0..12 {
        let update = edges(number);
        update_beside(&target, &update.between_vertices(&case)).unwrap();
        now = update.on(&now);
        readers.push((Store::open(&target).unwrap(), Model::of(&now)));
        // Nothing was read before: all files are opened now.
        readers.iter().for_each(|(store, model)| assert_graph(store, model));
        if number == 5 {
            readers.drain(2..5);
        }
    }
    assert!(files_of(&target).len() > readers[0].0.manifest().files.len() + 20, "earlier files are there");
    check_all(&target, &Reading::PLAIN.workers()).unwrap();
    assert!(matches!(alone(&target), Err(Error::InUse { .. })), "a merge needs the store alone");
    readers.clear();
    let update = edges(20);
    update_beside(&target, &update.between_vertices(&case)).unwrap();
    let store = Store::open(&target).unwrap();
    assert_graph(&store, &Model::of(&update.on(&now)));
    assert_eq!(files_of(&target).len(), store.manifest().files.len() + 2);
}

#[test]
fn updates_take_turns_and_remove_leftovers_that_no_reader_uses() {
    let case = case();
    let (_folder, target) = built(&case);
    let reader = Store::open(&target).unwrap();
    let update = edges(1).between_vertices(&case);
    let turn = Store::open_for_update(&target, false, Duration::ZERO, &Cancellation::new()).unwrap();
    assert!(matches!(update_beside(&target, &update), Err(Error::InUse { .. })));
    drop(turn);
    update_beside(&target, &update).unwrap();
    assert!(!target.join("lock.update").exists());
    // A killed update has left a file of the next generation.
    let copy = tempfile::tempdir().unwrap();
    let other = copy.path().join(NAME);
    std::fs::create_dir(&other).unwrap();
    files_of(&target).iter().for_each(|path| _ = std::fs::copy(path, other.join(path.file_name().unwrap())).unwrap());
    update_beside(&other, &update).unwrap();
    std::fs::copy(other.join("out.updates-0002"), target.join("out.updates-0002")).unwrap();
    update_beside(&target, &update).unwrap();
    assert_graph(&reader, &Model::of(&case));
    drop(reader);
    update_beside(&target, &update).unwrap();
    let store = Store::open(&target).unwrap();
    assert_eq!(files_of(&target).len(), store.manifest().files.len() + 2);
}

#[test]
fn updates_and_merges_at_once_lose_nothing() {
    let case = Case { vertices: (0..VERTICES).collect(), ..Case::random(Ids::Dense, VERTICES, 300) };
    let (_folder, target) = built(&case);
    const ROUNDS: u64 = 60;
    let waiting = |attempt: &mut dyn FnMut() -> outcrop_types::Result<()>| {
        while_in_use(Duration::from_secs(300), &Cancellation::new(), attempt).unwrap();
    };
    std::thread::scope(|scope| {
        for thread in 0..3 {
            let (case, target) = (&case, &target);
            scope.spawn(move || {
                for number in 0..ROUNDS {
                    let added = vec![((number + thread * ROUNDS) % VERTICES, thread, 1.0)];
                    let edges = Edges { removed: Vec::new(), added }.between_vertices(case);
                    waiting(&mut || update_beside(target, &edges).map(drop));
                }
            });
        }
        scope.spawn(|| (0..ROUNDS / 4).for_each(|_| waiting(&mut || merge_on(&Disk, &target))));
    });
    check_all(&target, &Reading::PLAIN.workers()).unwrap();
    let added = (0..3).flat_map(|thread| (0..ROUNDS).map(move |n| ((n + thread * ROUNDS) % VERTICES, thread, 1.0)));
    let all = Edges { removed: Vec::new(), added: added.collect() }.on(&case);
    assert_graph(&Store::open(&target).unwrap(), &Model::of(&all));
}

#[test]
fn a_removed_or_replaced_store_is_outdated() {
    let case = case();
    let (folder, target) = built(&case);
    let store = Store::open(&target).unwrap();
    assert!(!store.is_outdated());
    update_beside(&target, &edges(1).between_vertices(&case)).unwrap();
    assert!(store.is_outdated() && !Store::open(&target).unwrap().is_outdated());
    let other = Store::open(&target).unwrap();
    std::fs::rename(&target, folder.path().join("old")).unwrap();
    assert!(other.is_outdated());
    case.build(&target).unwrap();
    assert!(other.is_outdated());
}

#[test]
fn readers_that_come_and_go_during_updates_see_one_of_the_graphs() {
    let case = case();
    let (_folder, target) = built(&case);
    let mut models = vec![Model::of(&case)];
    let updates: Vec<_> = (0..25).map(edges).collect();
    updates.iter().fold(case.clone(), |now, update| {
        let now = update.on(&now);
        models.push(Model::of(&now));
        now
    });
    let done = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let mut last = 0;
                while last < updates.len() {
                    let before = done.load(Relaxed);
                    let store = Store::open(&target).unwrap();
                    last = store.manifest().generation() as usize;
                    assert!(last >= before, "{last} {before}");
                    assert_graph(&store, &models[last]);
                }
            });
        }
        for update in &updates {
            update_beside(&target, &update.between_vertices(&case)).unwrap();
            done.fetch_add(1, Relaxed);
        }
    });
}
