//! Paths that are not UTF-8, and texts that a terminal would obey.

use crate::driver::{Folder, Ran};
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;

/// Runs a command; `~` in its arguments is a byte that is no UTF-8.
fn run(folder: &Folder, arguments: &str) -> Ran {
    let words = arguments.split_whitespace().map(bytes_of);
    Ran::of(folder.command("").args(words).output().unwrap())
}

fn bytes_of(word: &str) -> OsString {
    OsString::from_vec(word.bytes().map(|byte| if byte == b'~' { 0xe9 } else { byte }).collect())
}

#[test]
fn paths_are_bytes() {
    let folder = Folder::new();
    let path = |name: &str| folder.path("").join(bytes_of(name));
    fs::create_dir(path("caf~")).unwrap();
    fs::create_dir(path("parts~")).unwrap();
    fs::write(path("parts~/a~.csv"), "1,2\n2,3\n").unwrap();
    fs::write(path("parts~/b~.csv"), "3,4\n").unwrap();
    fs::write(path("parts~/~.txt"), "4 5\n").unwrap();
    fs::write(path("jumps~.csv"), "1,1\n").unwrap();
    fs::write(path("ids~.txt"), "1\n2\n").unwrap();
    for command in [
        "build parts~ caf~/g~.outcrop",
        "build parts~/*~.csv caf~/g~.outcrop --overwrite --vertices ids~.txt",
        "info caf~/g~.outcrop --json",
        "check caf~/g~.outcrop",
        "run wcc caf~/g~.outcrop",
        "run wcc caf~/g~.outcrop -o caf~/c~.csv --report caf~/r~.html",
        "run wcc caf~/g~.outcrop -o caf~/c~.parquet --checkpoint-dir caf~/ck~",
        "run wcc caf~/g~.outcrop --incremental caf~/i~",
        "run pagerank caf~/g~.outcrop --personalization jumps~.csv --json",
        "runs caf~/g~.outcrop --json",
        "runs caf~/g~.outcrop",
        "report r~.json -o caf~/r2~.html",
        "export caf~/g~.outcrop caf~/x~.csv",
        "export caf~/g~.outcrop caf~/x~.el.gz",
        "export caf~/g~.outcrop caf~/x~.parquet",
        "build caf~/x~.parquet caf~/h~.outcrop",
        "convert caf~/g~.outcrop caf~/s~.outcrop --layout sliding",
        "update caf~/g~.outcrop --add caf~/x~.el.gz",
        "neighbors caf~/g~.outcrop --ids-from ids~.txt",
        "subgraph caf~/g~.outcrop --ids-from ids~.txt -o caf~/sub~.csv",
        "generate grid --rows 2 --columns 2 -o caf~/grid~.csv",
        "estimate wcc caf~/g~.outcrop",
        "cache caf~/g~.outcrop",
    ] {
        let ran = run(&folder, command);
        assert_eq!(ran.code, Some(0), "{command}: {ran:?}");
        if command.contains("pagerank") {
            fs::write(path("r~.json"), ran.stdout).unwrap();
        }
    }
    // Those of `parts~/*~.csv`, and the one of the update is there already.
    assert_eq!(fs::read_to_string(path("caf~/x~.csv")).unwrap(), "1,2\n2,3\n3,4\n");
    let missing = run(&folder, "build missing~.csv caf~/m.outcrop");
    assert!(missing.code == Some(3) || missing.code == Some(9), "{missing:?}");
    for command in ["run ~ g", "~", "run wcc caf~/g~.outcrop --~", "run bfs caf~/g~.outcrop --source ~"] {
        let ran = run(&folder, command);
        assert_eq!(ran.code, Some(2), "{command}: {ran:?}");
    }
    // Nothing is left beside the stores.
    let beside = fs::read_dir(path("caf~")).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(beside.into_iter().all(|name| !name.to_string_lossy().contains(".tmp-")));
}

#[test]
fn control_characters_in_errors_and_notes_are_escaped() {
    let folder = Folder::new();
    folder.write("e.csv", "a\u{1b}[31mb,c\nc,d\u{9b}2J\n");
    folder.ok("build e.csv g.outcrop --ids string");
    let ran = folder.run("run bfs g.outcrop --source \u{1b}[2Jx");
    assert!(ran.code == Some(2) || ran.code == Some(3), "{ran:?}");
    assert!(ran.stderr.contains("[2Jx") && !ran.stderr.contains('\u{1b}'), "{ran:?}");
    let ran = folder.run("run bfs g.outcrop --\u{1b}[2Jx");
    assert!(ran.code == Some(2) && !ran.stderr.contains('\u{1b}'), "{ran:?}");
    // A pipe gets ids as they are.
    let ran = folder.ok("run wcc g.outcrop --top 4");
    let ids = folder.ok("neighbors g.outcrop c --direction in");
    assert!((ran.stdout + &ids.stdout).contains("a\u{1b}[31mb"), "{ids:?}");
}
