//! Stores behind links, and stores whose name comes to mean another: what is read and changed is one store, and it is
//! the one that is meant.

use crate::cases::collect::Reading;
use crate::cases::graph::{Case, Ids};
use crate::cases::model::Model;
use crate::harm::crash::NAME;
use crate::harm::damage::{check_all, files_of};
use crate::reading::statics::keep;
use crate::writing::built::assert_store;
use crate::writing::updates::{Edges, alone, merge_on, update_on};
use outcrop_io::{Disk, IoChoice};
use outcrop_store::Store;
use outcrop_store::writing::{BuildOptions, publish, temporary_sibling};
use outcrop_types::{Direction, Error};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// A store in a folder of its own, and its names: by itself, by a link in another folder, by a folder that is a link,
/// and by both.
fn named_in_four_ways(case: &Case) -> (tempfile::TempDir, PathBuf, [PathBuf; 4]) {
    let parent = tempfile::tempdir().unwrap();
    let path = |name: &str| parent.path().join(name);
    std::fs::create_dir(path("real")).unwrap();
    std::fs::create_dir(path("links")).unwrap();
    symlink("../real/graph.outcrop", path("links/g.outcrop")).unwrap();
    symlink("real", path("middle")).unwrap();
    symlink(path("middle").join(NAME), path("links/far.outcrop")).unwrap();
    let place = path("real").join(NAME);
    case.build(&place).unwrap();
    let names = [place.clone(), path("links/g.outcrop/"), path("middle").join(NAME), path("links/far.outcrop")];
    (parent, place, names)
}

/// The links are there, the store is alone in its folder, and the same by every name.
fn assert_kept(place: &Path, names: &[PathBuf; 4], case: &Case, what: &str) {
    let links = names[3].parent().unwrap();
    assert_eq!(files_of(links), ["far.outcrop", "g.outcrop"].map(|name| links.join(name)), "{what}");
    assert!(files_of(links).iter().all(|link| link.is_symlink()), "{what}");
    assert_eq!(files_of(place.parent().unwrap()), [place], "{what}");
    for name in names {
        check_all(name, &Reading::PLAIN.workers()).unwrap();
        let store = Store::open(name).unwrap();
        assert_eq!((store.folder(), store.place()), (name.as_path(), place.canonicalize().unwrap().as_path()));
        crate::writing::built::assert_graph(&store, &Model::of(case));
    }
}

fn small(seed: usize) -> Case {
    Case::random(Ids::Sparse, 40, 100 + 50 * seed)
}

#[test]
fn replacing_through_a_link_replaces_the_store_and_keeps_the_link() {
    let (_parent, place, names) = named_in_four_ways(&small(0));
    for (round, name) in names.iter().enumerate() {
        let case = small(round + 1);
        assert!(matches!(case.build(name), Err(Error::AlreadyExists { path }) if path == *name));
        case.build_on(&Disk, &BuildOptions { overwrite: true, ..case.options(name) }).unwrap();
        assert_kept(&place, &names, &case, &format!("{name:?}"));
        let made = temporary_sibling(name).unwrap();
        assert_eq!(made.parent().unwrap().canonicalize().unwrap(), place.parent().unwrap().canonicalize().unwrap());
        let case = small(round + 7);
        case.build(&made).unwrap();
        publish(&Disk, &made, name, true).unwrap();
        assert_kept(&place, &names, &case, &format!("{name:?} published"));
    }
}

#[test]
fn updating_and_merging_through_a_link_keeps_the_store() {
    for round in 0..4 {
        let case = small(0);
        let (_parent, place, names) = named_in_four_ways(&case);
        let (source, target) = (case.edges[0].0, case.edges[1].1);
        let edges = Edges { removed: vec![(case.edges[5].0, case.edges[5].1)], added: vec![(source, target, 1.0)] };
        let case_then = edges.on(&case);
        update_on(&Disk, &names[round], &edges.between_vertices(&case)).unwrap();
        assert_kept(&place, &names, &case_then, &format!("updated {:?}", names[round]));
        merge_on(&Disk, &names[round]).unwrap();
        assert_kept(&place, &names, &case_then, &format!("merged {:?}", names[round]));
    }
}

#[test]
fn a_selection_is_written_through_a_link() {
    let case = small(0);
    let (_parent, place, names) = named_in_four_ways(&case);
    for name in &names {
        let kept = keep(&Store::open(name).unwrap(), &[1, 2, 3], u64::MAX);
        let stored = Store::open(&place).unwrap().selection(Direction::Out, IoChoice::Buffered).unwrap();
        assert_eq!(stored, Some(kept));
        assert_kept(&place, &names, &case, &format!("{name:?}"));
    }
}

#[test]
fn links_to_what_is_no_store_are_refused_and_stay() {
    let parent = tempfile::tempdir().unwrap();
    let path = |name: &str| parent.path().join(name);
    symlink("nowhere", path("dangling")).unwrap();
    std::fs::create_dir(path("thesis")).unwrap();
    std::fs::write(path("thesis/text"), "x").unwrap();
    symlink("thesis", path("link")).unwrap();
    let case = small(0);
    for name in ["dangling", "link"] {
        assert!(matches!(case.build(&path(name)), Err(Error::AlreadyExists { .. })), "{name}");
        let options = BuildOptions { overwrite: true, ..case.options(&path(name)) };
        assert!(matches!(case.build_on(&Disk, &options), Err(Error::Usage(_))), "{name}");
    }
    assert_eq!(std::fs::read(path("thesis/text")).unwrap(), b"x");
    assert_eq!(files_of(parent.path()), ["dangling", "link", "thesis"].map(path));
}

#[test]
fn an_open_store_is_read_to_its_end_where_another_takes_its_name() {
    let (one, other) = (Case::rich(), small(3));
    let parent = tempfile::tempdir().unwrap();
    let [place, new, away] = [NAME, "new", "away"].map(|name| parent.path().join(name));
    one.build(&place).unwrap();
    other.build(&new).unwrap();
    let store = Store::open(&place).unwrap();
    let alone = alone(&new).unwrap();
    std::fs::rename(&place, &away).unwrap();
    std::fs::rename(&new, &place).unwrap();
    assert_store(&store, &one, &Model::of(&one));
    // A store is not put in the place of one that lies elsewhere by now.
    let made = temporary_sibling(&place).unwrap();
    small(5).build(&made).unwrap();
    assert!(matches!(outcrop_store::writing::publish_over(&Disk, &made, &alone), Err(Error::InUse { .. })));
}

#[test]
fn stores_that_are_replaced_all_the_time_are_opened_whole() {
    let parent = tempfile::tempdir().unwrap();
    let target = parent.path().join(NAME);
    small(0).build(&target).unwrap();
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let reader = || {
            let mut opened = 0_u32;
            while !over.load(Ordering::Relaxed) {
                match Store::open(&target) {
                    Ok(store) => {
                        for entry in &store.manifest().files {
                            store.component(&entry.name, IoChoice::Buffered).unwrap();
                        }
                        opened += 1;
                    }
                    Err(Error::InUse { .. }) => {}
                    Err(error) => panic!("{error}"),
                }
                std::thread::yield_now();
            }
            opened
        };
        let readers = [scope.spawn(reader), scope.spawn(reader)];
        let mut replaced = 0;
        while replaced < 60 && readers.iter().all(|reader| !reader.is_finished()) {
            let case = small(replaced % 5);
            match case.build_on(&Disk, &BuildOptions { overwrite: true, ..case.options(&target) }) {
                Ok(_) => replaced += 1,
                Err(Error::InUse { .. }) => {}
                Err(error) => panic!("{error}"),
            }
        }
        over.store(true, Ordering::Relaxed);
        let opened: u32 = readers.into_iter().map(|reader| reader.join().unwrap()).sum();
        assert!(replaced == 60 && opened > 0, "{replaced} replaced, {opened} opened");
    });
    assert_eq!(files_of(parent.path()), [target]);
}

#[test]
fn the_umask_decides_who_may_read_a_store() {
    let parent = tempfile::tempdir().unwrap();
    let target = parent.path().join(NAME);
    let case = small(0);
    case.build(&target).unwrap();
    let edges = Edges { added: vec![(case.edges[0].0, case.edges[1].1, 1.0)], ..Edges::default() };
    update_on(&Disk, &target, &edges.between_vertices(&case)).unwrap();
    keep(&Store::open(&target).unwrap(), &[1, 2, 3], u64::MAX);
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    let [file, folder] = ["file", "folder"].map(|name| parent.path().join(name));
    std::fs::write(&file, "").unwrap();
    std::fs::create_dir(&folder).unwrap();
    assert_eq!(mode(&target), mode(&folder));
    for path in files_of(&target) {
        assert_eq!(mode(&path), mode(&file), "{path:?}");
    }
}
