//! Two copies of a store that are updated differently are two graphs, whatever has the same name and the same number of
//! updates.

use crate::driver::{Folder, contents};

/// A store of a path from 0 to 99, a copy of it, and files with two updates that differ, and one that does not.
fn folder_with_copies() -> Folder {
    let folder = Folder::new();
    folder.write("path.txt", (0..99).map(|id| format!("{id} {}\n", id + 1)).collect::<String>());
    folder.write("wrong.txt", "0 50\n");
    folder.write("right.txt", "0 70\n");
    folder.write("same.txt", "3 5\n");
    folder.ok("build path.txt g.outcrop --undirected");
    copy(&folder, "g.outcrop", "base.outcrop");
    folder
}

fn copy(folder: &Folder, from: &str, to: &str) {
    _ = std::fs::remove_dir_all(folder.path(to));
    std::fs::create_dir(folder.path(to)).unwrap();
    for (name, bytes) in contents(&folder.path(from)) {
        folder.write(&format!("{to}/{name}"), bytes);
    }
}

/// Updates `g.outcrop`, and gives what a run says that goes on from the last result, and whether its rows are right.
fn update_and_run(folder: &Folder, update: &str, merge: &str) -> Option<String> {
    folder.ok(&format!("update g.outcrop --add {update}.txt {merge}"));
    let run = "bfs g.outcrop --source 0";
    let record = folder.ok(&format!("run {run} --incremental last -o rows.csv --overwrite --json")).json();
    let rows: Vec<_> = folder.read("rows.csv").lines().skip(1).map(str::to_owned).collect();
    assert_eq!(rows, folder.rows(run), "{update}");
    record["incremental"]["fresh"].as_str().map(str::to_owned)
}

#[test]
fn a_result_is_not_gone_on_from_in_a_copy_that_was_updated_otherwise() {
    for merge in ["--merge-above never", "--merge"] {
        let folder = folder_with_copies();
        update_and_run(&folder, "wrong", merge);
        assert_eq!(update_and_run(&folder, "same", merge), None);
        copy(&folder, "base.outcrop", "g.outcrop");
        folder.ok("update g.outcrop --add right.txt --merge-above never");
        let fresh = update_and_run(&folder, "same", merge).unwrap();
        assert!(
            fresh.contains("the previous result belongs to another graph, or to a generation older than the journal"),
            "{fresh}"
        );
        assert_eq!(update_and_run(&folder, "wrong", merge), None);
    }
}

#[test]
fn a_result_is_gone_on_from_in_a_copy_that_was_updated_likewise() {
    let folder = folder_with_copies();
    update_and_run(&folder, "wrong", "--merge-above never");
    copy(&folder, "base.outcrop", "g.outcrop");
    folder.ok("update g.outcrop --add wrong.txt --merge");
    assert_eq!(update_and_run(&folder, "same", "--merge-above never"), None);
}

#[test]
fn a_store_of_a_version_without_journals_counts_its_updates_when_it_grows() {
    let folder = folder_with_copies();
    let fixture = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../store/tests/fixtures/v8/updated");
    for merge in ["--merge-above never", "--merge"] {
        _ = std::fs::remove_dir_all(folder.path("old.outcrop"));
        std::fs::create_dir(folder.path("old.outcrop")).unwrap();
        for (name, bytes) in contents(&fixture) {
            folder.write(&format!("old.outcrop/{name}"), bytes);
        }
        for (edge, generation) in [("5 300 1\n", 2), ("5 6 1\n", 3), ("5 301 1\n", 4)] {
            folder.write("new.txt", edge);
            folder.ok(&format!("update old.outcrop --add new.txt {merge}"));
            assert_eq!(folder.ok("info old.outcrop --json").figure("generation"), generation);
        }
        folder.ok("check old.outcrop");
    }
}

#[test]
fn an_update_whose_merge_fails_is_made_and_says_so() {
    let folder = folder_with_copies();
    let ran = folder.ok("update g.outcrop --add wrong.txt --merge --tmp-dir missing");
    assert!(ran.stderr.contains("note: the update is applied and pending"), "{}", ran.stderr);
    let info = folder.ok("info g.outcrop --json");
    assert_eq!((info.figure("edges"), info.figure("generation")), (100, 1));
    // Without an update nothing was made, and that is an error.
    let before = contents(&folder.path("g.outcrop"));
    folder.fails("update g.outcrop --merge --tmp-dir missing", 9);
    assert!(contents(&folder.path("g.outcrop")) == before);
    folder.ok("update g.outcrop --merge");
    folder.ok("check g.outcrop");
}

#[test]
fn updates_and_merges_of_many_processes_lose_nothing() {
    let folder = Folder::new();
    folder.write("path.txt", (0..200).map(|n| format!("{n} {}\n", n + 1)).collect::<String>());
    folder.ok("build path.txt g.outcrop --directed");
    const ROUNDS: u64 = 8;
    std::thread::scope(|scope| {
        for process in 0..3 {
            let folder = &folder;
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    let (file, target) = (format!("a{process}.txt"), 1000 + process * ROUNDS + round);
                    folder.write(&file, format!("1 {target}\n"));
                    // Few edges: by default, every third update merges.
                    let rule = if process == 0 { "--merge-above never" } else { "" };
                    folder.ok(&format!("update g.outcrop --add {file} --wait 60s {rule}"));
                }
            });
        }
        scope.spawn(|| (0..ROUNDS).for_each(|_| _ = folder.ok("update g.outcrop --merge --wait 60s")));
        scope.spawn(|| (0..4 * ROUNDS).for_each(|_| _ = folder.ok("degree g.outcrop 1")));
    });
    folder.ok("check g.outcrop");
    let neighbors = folder.ok("neighbors g.outcrop 1").stdout;
    assert_eq!(neighbors.lines().count() as u64, 1 + 1 + 3 * ROUNDS, "{neighbors}");
}

#[test]
fn a_merge_waits_for_readers_as_long_as_it_is_told_to_and_an_update_does_not() {
    let folder = folder_with_copies();
    let reader = std::fs::File::open(folder.path("g.outcrop/lock")).unwrap();
    reader.lock_shared().unwrap();
    let message = folder.ok("update g.outcrop --add wrong.txt --merge-above 0").stderr;
    assert!(message.contains("not merged, because another process has the store open"), "{message}");
    let before = folder.names();
    for wait in ["", "--wait 1s"] {
        let message = folder.fails(&format!("update g.outcrop --add wrong.txt --merge {wait}"), 9);
        assert!(message.contains("is in use by process") || message.contains("is in use by another"), "{message}");
    }
    std::thread::scope(|scope| {
        let update = scope.spawn(|| folder.ok("update g.outcrop --add wrong.txt --merge --wait 10min"));
        std::thread::sleep(std::time::Duration::from_millis(100));
        reader.unlock().unwrap();
        update.join().unwrap();
    });
    folder.ok("build path.txt g.outcrop --undirected --overwrite --wait 10s");
    folder.ok("cache g.outcrop --keep --wait 10s");
    folder.ok("check g.outcrop");
    assert_eq!(folder.names(), before);
}

/// The command of the unit, as systemd hands it to the shell for the instance `g`.
fn command_of_the_unit() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/systemd/outcrop-update@.service");
    let unit = std::fs::read_to_string(path).unwrap();
    let line = unit.lines().find_map(|line| line.strip_prefix("ExecStart=/bin/sh -c '")).unwrap();
    let command = line.strip_suffix('\'').unwrap().replace("%%", "\0").replace("%i", "g").replace('\0', "%");
    command.replace("$$", "$").replace("/usr/bin/outcrop", env!("CARGO_BIN_EXE_outcrop"))
}

#[test]
fn the_unit_makes_an_update_once_however_often_it_is_started() {
    let folder = folder_with_copies();
    std::fs::create_dir(folder.path("incoming")).unwrap();
    let start = || {
        let mut shell = std::process::Command::new("sh");
        let ended = shell.args(["-c", &command_of_the_unit()]).current_dir(folder.path("")).output().unwrap();
        assert!(ended.status.success(), "{ended:?}");
    };
    for (edges, expected) in [("0 50\n", (100, 1)), ("0 70\n", (101, 2))] {
        folder.write("incoming/g.csv", edges);
        for _ in 0..2 {
            start();
            let info = folder.ok("info g.outcrop --json");
            assert_eq!((info.figure("edges"), info.figure("generation")), expected);
        }
    }
}
