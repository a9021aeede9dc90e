//! Commands on a store that is named through symbolic links: it is the store behind them that is changed, and they
//! stay.

use crate::driver::{Folder, contents, names_in};
use std::os::unix::fs::symlink;

/// Names of one store: its own, a link to it in another folder, and a folder in the path that is a link.
const NAMES: [&str; 3] = ["real/g.outcrop", "links/g.outcrop", "middle/g.outcrop"];

fn folder_with_links() -> Folder {
    let folder = Folder::new();
    folder.write("edges.txt", "0 1\n1 2\n2 0\n2 3\n");
    folder.write("known.txt", "3 0\n");
    std::fs::create_dir(folder.path("real")).unwrap();
    std::fs::create_dir(folder.path("links")).unwrap();
    symlink("../real/g.outcrop", folder.path("links/g.outcrop")).unwrap();
    symlink("real", folder.path("middle")).unwrap();
    folder.ok("build edges.txt real/g.outcrop");
    folder
}

/// The store is as every name says, whole, and alone; the links are links.
fn assert_edges(folder: &Folder, edges: u64, what: &str) {
    for name in NAMES {
        folder.ok(&format!("check {name}"));
        let info = folder.ok(&format!("info {name} --json"));
        assert_eq!((info.figure("edges"), info.json()["store"].as_str()), (edges, Some(name)), "{what}");
    }
    assert!(folder.path("links/g.outcrop").is_symlink() && folder.path("middle").is_symlink(), "{what}");
    assert_eq!(
        (names_in(&folder.path("real")), names_in(&folder.path("links"))),
        (vec!["g.outcrop".into()], vec!["g.outcrop".into()]),
        "{what}"
    );
}

#[test]
fn growing_through_a_link_keeps_the_store() {
    for name in NAMES {
        let folder = folder_with_links();
        for vertex in [7, 8] {
            folder.write("new.txt", format!("{vertex} 1\n"));
            folder.ok(&format!("update {name} --add new.txt"));
            assert_edges(&folder, vertex - 2, name);
        }
    }
}

#[test]
fn merging_through_a_link_keeps_the_store() {
    for name in NAMES {
        let folder = folder_with_links();
        folder.ok(&format!("update {name} --add known.txt --merge-above never"));
        assert_edges(&folder, 5, name);
        folder.ok(&format!("update {name} --merge"));
        assert_edges(&folder, 5, name);
        folder.ok(&format!("update {name} --remove known.txt --merge"));
        assert_edges(&folder, 4, name);
    }
}

#[test]
fn replacing_through_a_link_replaces_the_store_and_keeps_the_link() {
    let folder = folder_with_links();
    folder.write("one.txt", "0 1\n");
    folder.ok("build one.txt one.outcrop");
    for name in NAMES {
        for command in [
            format!("build one.txt {name}"),
            format!("build one.txt {name} --order pagerank"),
            format!("convert one.outcrop {name} --layout csr"),
            format!("convert one.outcrop {name} --placement reordered"),
        ] {
            let before = contents(&folder.path("real/g.outcrop"));
            let message = folder.fails(&command, 2);
            assert!(message.contains(&format!("{name} already exists")), "{message}");
            assert_eq!(contents(&folder.path("real/g.outcrop")), before);
            folder.ok(&format!("{command} --overwrite"));
            assert_edges(&folder, 1, &command);
            folder.ok(&format!("build edges.txt {name} --overwrite"));
            assert_edges(&folder, 4, &command);
        }
    }
}

#[test]
fn a_selection_is_made_and_removed_through_a_link() {
    for name in NAMES {
        let folder = folder_with_links();
        folder.ok(&format!("cache {name} --size 50% --select gvs --keep"));
        let kept = || folder.ok("info real/g.outcrop --json").json()["static_cache"].as_array().unwrap().len();
        assert_eq!(kept(), 2);
        assert_edges(&folder, 4, name);
        folder.ok(&format!("cache {name} --remove"));
        assert_eq!(kept(), 0);
        assert_edges(&folder, 4, name);
    }
}
