//! A build that is killed leaves no store or a whole one; the next build removes what it left.

use crate::driver::{Dice, Folder, contents, time_of};
use std::time::Duration;

const STORE: &str = "g.outcrop";

/// A folder with two inputs, told apart by their numbers of vertices, and how long a build takes here.
fn folder_with_inputs() -> (Folder, Duration) {
    let folder = Folder::new();
    folder.ok("generate uniform --vertices 500 --edges 20000 --seed 1 -o old.bin");
    folder.ok("generate uniform --vertices 700 --edges 20000 --seed 2 -o new.bin");
    let whole = time_of(|| drop(folder.ok(&format!("build new.bin {STORE} --order degree"))));
    (folder, whole)
}

/// The vertices of the store if one stands there; it must be intact.
fn vertices(folder: &Folder) -> Option<u64> {
    if !folder.path(STORE).exists() {
        return None;
    }
    folder.ok(&format!("check {STORE}"));
    Some(folder.ok(&format!("info {STORE} --json")).figure("vertices"))
}

/// What stands between inputs and store that nobody asked for.
fn left_over(folder: &Folder) -> Vec<String> {
    let known = ["old.bin", "new.bin", STORE];
    folder.names().into_iter().filter(|name| !known.contains(&name.as_str())).collect()
}

/// Kills builds of a new store, and of one that replaces another, at moments spread over the time of a build.
fn kill_builds(kills: u32) {
    let (folder, mut whole) = folder_with_inputs();
    let (old, new) = (Some(500), Some(700));
    let mut dice = Dice::seeded(42);
    let (mut killed, mut stale, mut appeared) = (0, 0, 0);
    for round in 0..kills {
        let replaces = round % 2 == 1;
        if folder.path(STORE).exists() {
            std::fs::remove_dir_all(folder.path(STORE)).unwrap();
        }
        let before = if replaces { old } else { None };
        if replaces {
            folder.ok(&format!("build old.bin {STORE}"));
            assert_eq!(left_over(&folder), [""; 0], "a build removes what killed ones left");
        }
        killed += u32::from(folder.kill_within(
            &format!("build new.bin {STORE} --overwrite --order degree"),
            &mut whole,
            &mut dice,
        ));
        stale += u32::from(!left_over(&folder).is_empty());
        let found = vertices(&folder);
        assert!(found == before || found == new, "round {round}, killed within {whole:?}: {found:?}");
        appeared += u32::from(found == new);
    }
    folder.ok(&format!("build old.bin {STORE} --overwrite"));
    assert_eq!((left_over(&folder), vertices(&folder)), (Vec::new(), old));
    println!("{kills} builds: {killed} killed, {stale} left something, {appeared} had made their store");
}

#[test]
fn only_what_a_killed_build_left_is_removed() {
    let folder = Folder::new();
    folder.write("edges.txt", "1 2\n");
    let make = |name: &str, files: &[&str]| {
        std::fs::create_dir(folder.path(name)).unwrap();
        files.iter().for_each(|file| folder.write(&format!("{name}/{file}"), ""));
    };
    make("g.outcrop.tmp-0123456789abcdef", &["lock", "out.edges"]);
    folder.write("g.outcrop.tmp-0123456789abcdef/staging", "outcrop store in the making\n");
    make("g.outcrop.tmp-3123456789abcdef", &["lock", "staging"]);
    make("g.outcrop.tmp-4123456789abcdef", &["lock", "out.edges"]);
    make("g.outcrop.tmp-5123456789abcdef", &["lock", "manifest.json"]);
    make("g.outcrop.tmp-6123456789abcdef", &["manifest.json"]);
    make("g.outcrop.tmp-1123456789abcdef", &[]);
    make("g.outcrop.tmp-2123456789abcdef", &["precious"]);
    make("g.outcrop.tmp-precious", &["lock"]);
    make("h.outcrop.tmp-0123456789abcdef", &["lock"]);
    folder.ok("build edges.txt g.outcrop");
    let kept = ["2", "4", "5", "6"].map(|digit| format!("g.outcrop.tmp-{digit}123456789abcdef"));
    let kept: Vec<&str> = kept.iter().map(String::as_str).collect();
    let kept = [&kept, ["g.outcrop.tmp-precious", "h.outcrop.tmp-0123456789abcdef"].as_slice()].concat();
    assert_eq!(folder.names(), [["edges.txt", "g.outcrop"].as_slice(), &kept].concat());
}

#[test]
fn every_way_to_build_a_store_removes_the_temporary_stores_of_killed_builds() {
    let folder = Folder::new();
    folder.write("edges.txt", "1 2\n2 3\n3 1\n");
    folder.ok("build edges.txt source.outcrop");
    let files = contents(&folder.path("source.outcrop"));
    let copy = |name: &str, unlocked: bool| {
        std::fs::create_dir(folder.path(name)).unwrap();
        let copied = files.iter().filter(|(file, _)| !unlocked || *file != "lock");
        copied.for_each(|(file, bytes)| folder.write(&format!("{name}/{file}"), bytes));
    };
    for command in [
        "build edges.txt g.outcrop",
        "build edges.txt g.outcrop --overwrite",
        "build edges.txt g.outcrop --overwrite --verify",
        "build edges.txt g.outcrop --overwrite --order norder",
        "build edges.txt g.outcrop --overwrite --order norder --verify",
        "build edges.txt g.outcrop --overwrite --order auto --verify",
        "convert source.outcrop g.outcrop --overwrite",
        "convert source.outcrop g.outcrop --overwrite --verify",
        "convert source.outcrop g.outcrop --overwrite --verify --order random",
    ] {
        copy("g.outcrop.tmp-0123456789abcdef", false);
        copy("g.outcrop.tmp-1123456789abcdef", true);
        copy("g.outcrop.tmp-2123456789abcdef.tmp-0123456789abcdef", false);
        folder.ok(command);
        assert_eq!(folder.names(), ["edges.txt", "g.outcrop", "source.outcrop"], "{command}");
        folder.ok("check g.outcrop");
    }
    copy("g.outcrop.tmp-0123456789abcdef", false);
    folder.ok("convert g.outcrop.tmp-0123456789abcdef g.outcrop --overwrite --verify");
    folder.ok("check g.outcrop.tmp-0123456789abcdef");
}

#[test]
fn a_killed_build_leaves_no_store_or_a_whole_one() {
    kill_builds(30);
}

#[test]
#[ignore = "takes several minutes"]
fn a_thousand_killed_builds_leave_no_store_or_a_whole_one() {
    kill_builds(1000);
}
