//! Folders of checkpoints, results and temporary files: what others have put there stays, and what a killed process has
//! left goes.

use crate::driver::{Folder, contents, names_in};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

const GENERATE: &str = "generate uniform --vertices 300 --edges 3000 --seed 1 -o edges.bin";

/// Commands that save in the folder `kept`.
const SAVING: [&str; 4] = [
    "run wcc g.outcrop --incremental kept",
    "run pagerank g.outcrop --checkpoint-dir kept --resume",
    "build edges.bin h.outcrop --checkpoint-dir kept --resume",
    "convert g.outcrop h.outcrop --layout csr --checkpoint-dir kept --resume",
];

/// Names that files of ours have, or had.
const NAMES: [&str; 12] = [
    "result-1",
    "result-2",
    "result.tmp",
    "result.lock",
    "checkpoint-1",
    "checkpoint-18446744073709551615",
    "checkpoint.tmp",
    "checkpoint.lock",
    "spill-1",
    "spill-0123456789abcdef-1",
    "result.tmp-0123456789abcdef",
    "thesis.txt",
];

fn folder_with_store() -> Folder {
    let folder = Folder::new();
    folder.ok(GENERATE);
    folder.ok("build edges.bin g.outcrop");
    folder
}

#[test]
fn what_is_no_folder_or_not_of_the_store_is_called_so() {
    let folder = Folder::new();
    folder.write("edges.csv", "from,to,weight\n1,2,0.5\n2,3,-1e308\n");
    folder.write("file", "x\n");
    folder.ok("build edges.csv g.outcrop --weighted");
    folder.ok("build edges.csv u.outcrop --dedup first");
    let cases = [
        ("run wcc g.outcrop --checkpoint-dir file -o x.csv", 2, "file is a file, but a checkpoint folder is needed"),
        ("run wcc g.outcrop --incremental file -o x.csv", 2, "file is a file, but a folder of incremental results"),
        ("build edges.csv h.outcrop --checkpoint-dir file", 2, "file is a file, but a checkpoint folder is needed"),
        ("check file", 9, "cannot open file: it is a file, not a store"),
        ("run sssp g.outcrop --source 1", 3, "has the weight -1e308;"),
        ("convert g.outcrop h.outcrop --weight-type u8", 3, "which does not fit u8"),
    ];
    for (arguments, code, part) in cases {
        let message = folder.fails(arguments, code);
        assert!(message.contains(part) && message.len() < 300, "outcrop {arguments}: {message}");
    }
    folder.write("g.outcrop/notes.txt", "mine\n");
    let message = folder.fails("check g.outcrop", 2);
    assert!(message.contains("g.outcrop/notes.txt does not belong to the store; move it elsewhere"), "{message}");
    std::fs::remove_file(folder.path("g.outcrop/notes.txt")).unwrap();
    let ran = folder.ok("update u.outcrop --add edges.csv");
    assert!(ran.stderr.contains("was not read; the store has no weights"), "{}", ran.stderr);
    folder.ok("run bfs u.outcrop --source 1 --incremental last -o x.csv");
    let message = folder.fails("run bfs u.outcrop --source 2 --incremental last -o x.csv --overwrite", 2);
    assert!(message.contains("--source was 1, now 2;"), "{message}");
}

#[test]
fn a_folder_with_files_of_others_is_refused() {
    let folder = folder_with_store();
    std::fs::create_dir(folder.path("kept")).unwrap();
    for command in SAVING {
        for names in NAMES.iter().map(std::slice::from_ref).chain([&NAMES[..]]) {
            names.iter().for_each(|name| folder.write(&format!("kept/{name}"), format!("my {name}")));
            let before = contents(&folder.path("kept"));
            let message = folder.fails(command, 2);
            assert!(message.contains("); use an empty or a new folder"), "{message}");
            assert_eq!(contents(&folder.path("kept")), before, "{command}");
            names.iter().for_each(|name| std::fs::remove_file(folder.path(&format!("kept/{name}"))).unwrap());
        }
        assert!(!folder.path("h.outcrop").exists());
    }
    SAVING
        .iter()
        .take(3)
        .for_each(|command| _ = folder.ok(&command.replace("--incremental kept", "--incremental results")));
}

#[test]
fn files_of_others_in_a_folder_of_ours_stay() {
    let folder = folder_with_store();
    folder.ok(SAVING[0]);
    let ours = names_in(&folder.path("kept"));
    assert_eq!(ours, ["result-0", "result.lock"]);
    let mine: Vec<&str> = NAMES.into_iter().filter(|name| *name != "result.lock").collect();
    for name in &mine {
        folder.write(&format!("kept/{name}"), format!("my {name}"));
        for command in SAVING {
            let ran = folder.run(command);
            assert!(matches!(ran.code, Some(0 | 2 | 7)), "{command} beside {name}: {ran:?}");
            assert_eq!(folder.read(&format!("kept/{name}")), format!("my {name}"), "{command}");
            _ = std::fs::remove_dir_all(folder.path("h.outcrop"));
        }
        std::fs::remove_file(folder.path(&format!("kept/{name}"))).unwrap();
        folder.ok(SAVING[0]);
    }
}

#[test]
fn a_result_of_another_folder_is_refused() {
    let folder = folder_with_store();
    folder.ok("build edges.bin h.outcrop");
    folder.ok("run wcc g.outcrop --incremental kept");
    folder.ok("run wcc h.outcrop --incremental other");
    let [kept, other] = ["kept", "other"].map(|name| folder.path(&format!("{name}/result-0")));
    let whole = std::fs::read(&kept).unwrap();
    std::fs::copy(&other, &kept).unwrap();
    assert!(folder.fails("run wcc g.outcrop --incremental kept", 7).contains("another folder"));
    std::fs::write(&kept, &whole).unwrap();
    std::fs::rename(&kept, folder.path("kept/result-7")).unwrap();
    assert!(folder.fails("run wcc g.outcrop --incremental kept", 7).contains("under another name"));
}

#[test]
fn a_folder_of_files_and_a_store_with_files_of_others_are_not_overwritten() {
    let folder = folder_with_store();
    std::fs::create_dir(folder.path("site")).unwrap();
    for name in ["manifest.json", "lock", "index.html"] {
        folder.write(&format!("site/{name}"), "{ \"name\": \"a web application\" }");
    }
    let before = contents(&folder.path("site"));
    assert!(folder.fails("build edges.bin site --overwrite", 2).contains("site is not a store"));
    assert_eq!(contents(&folder.path("site")), before);
    folder.write("g.outcrop/thesis.txt", "mine");
    for command in ["build edges.bin g.outcrop --overwrite", "convert h.outcrop g.outcrop --layout csr --overwrite"] {
        _ = folder.run("build edges.bin h.outcrop");
        assert!(folder.fails(command, 2).contains("thesis.txt; move it elsewhere"));
    }
    // An update that writes the store anew leaves it where it is.
    folder.write("new.csv", "0,100000\n100000,100001\n");
    folder.ok("update g.outcrop --add new.csv");
    assert_eq!(folder.read("g.outcrop/thesis.txt"), "mine");
    std::fs::remove_file(folder.path("g.outcrop/thesis.txt")).unwrap();
    folder.ok("check g.outcrop");
    assert_eq!(folder.ok("info g.outcrop --json").figure("vertices"), 302);
}

#[test]
fn overwriting_a_store_removes_only_what_outcrop_wrote() {
    let folder = folder_with_store();
    folder.ok("build edges.bin h.outcrop");
    folder.ok("run wcc g.outcrop --top 1");
    let whole = std::fs::read(folder.path("g.outcrop/manifest.json")).unwrap();
    let mine = [
        "notes/a",
        "runs/mine.txt",
        "runs/.run-mine",
        "thesis.txt",
        "out.thesis",
        "static.out",
        "static.in.tmp",
        "out.updates-0009",
        "journal-0001-0009",
        "manifest.json.new",
    ];
    let mut flipped = whole.clone();
    flipped[200] ^= 1;
    for (kind, text) in [&whole[..], &whole[..300], &flipped].into_iter().enumerate() {
        std::fs::write(folder.path("g.outcrop/manifest.json"), text).unwrap();
        // Without a manifest that can be read, files with names of ours count as ours.
        for name in mine
            .iter()
            .filter(|name| kind == 0 || !["static", "out.up", "jour"].iter().any(|part| name.starts_with(part)))
        {
            std::fs::create_dir_all(folder.path("g.outcrop").join(name).parent().unwrap()).unwrap();
            folder.write(&format!("g.outcrop/{name}"), "mine");
            for command in
                ["build edges.bin g.outcrop --overwrite", "convert h.outcrop g.outcrop --layout csr --overwrite"]
            {
                let message = folder.fails(command, 2);
                let part = name.strip_suffix("/a").unwrap_or(name);
                assert!(message.contains(&format!("{part}; move it elsewhere")), "{command}: {message}");
                assert_eq!(folder.read(&format!("g.outcrop/{name}")), "mine", "{command}");
            }
            std::fs::remove_file(folder.path(&format!("g.outcrop/{name}"))).unwrap();
            _ = std::fs::remove_dir(folder.path("g.outcrop/notes"));
        }
        folder.ok("build edges.bin k.outcrop");
        assert!(folder.names().iter().all(|name| !name.contains(".tmp-")));
        std::fs::remove_dir_all(folder.path("k.outcrop")).unwrap();
    }
    folder.ok("build edges.bin g.outcrop --overwrite");
    // A folder that never was a store, and has files with the names of ours among others.
    std::fs::create_dir_all(folder.path("photos/album")).unwrap();
    folder.write("photos/album/img", "mine");
    folder.write("photos/lock", "");
    folder.write("photos/manifest.json", "{ \"checksum\": \"x\" }");
    assert!(folder.fails("build edges.bin photos --overwrite", 2).contains("photos contains a foreign file"));
    assert_eq!(folder.read("photos/album/img"), "mine");
}

#[test]
fn a_path_that_is_read_is_not_written() {
    let folder = folder_with_store();
    folder.write("p.csv", "node,weight\n1,1\n2,1\n");
    folder.write("s.txt", "1 2\n2 3\n");
    std::os::unix::fs::symlink("p.csv", folder.path("link.csv")).unwrap();
    std::fs::hard_link(folder.path("s.txt"), folder.path("s.html")).unwrap();
    let files = || (folder.names(), ["p.csv", "s.txt"].map(|name| folder.read(name)));
    let before = files();
    for command in [
        "build s.txt z.outcrop --report s.txt --overwrite",
        "build s.txt z.outcrop --report s.html --overwrite",
        "build edges.bin z.outcrop --vertices s.txt --report=s.txt --overwrite",
        "run pagerank g.outcrop --personalization p.csv -o p.csv --overwrite",
        "run pagerank g.outcrop --personalization=p.csv -op.csv --overwrite",
        "run pagerank g.outcrop --personalization link.csv -o p.csv --overwrite",
        "subgraph g.outcrop --ids-from p.csv -o ./p.csv --overwrite",
    ] {
        assert!(folder.fails(command, 2).contains("is both input and output"), "{command}");
        assert_eq!(files(), before, "{command}");
    }
}

#[test]
fn what_is_written_into_a_folder_for_checkpoints_is_refused_before_the_work() {
    let folder = folder_with_store();
    std::fs::create_dir(folder.path("empty")).unwrap();
    let before = folder.names();
    for command in [
        "build edges.bin new/h.outcrop --checkpoint-dir new",
        "build edges.bin empty/h.outcrop --checkpoint-dir empty",
        "convert g.outcrop new/h.outcrop --layout csr --checkpoint-dir new",
        "run wcc g.outcrop --incremental empty -o empty/r.csv",
        "run wcc g.outcrop --incremental new --tmp-dir new",
        "run pagerank g.outcrop --checkpoint-dir empty --report empty/r.html",
    ] {
        let message = folder.fails(command, 2);
        assert!(message.contains("where outcrop keeps its own files; choose another path"), "{command}: {message}");
        assert_eq!((folder.names(), names_in(&folder.path("empty")).len()), (before.clone(), 0), "{command}");
    }
    for command in ["build edges.bin", "convert g.outcrop"] {
        let mut command = folder.command(&format!("{command} --checkpoint-dir kept"));
        let output = command.arg(std::ffi::OsStr::from_bytes(b"o\xff")).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("is not UTF-8, which checkpoints need"));
        assert_eq!(folder.names(), before);
    }
}

#[test]
fn checkpoints_and_results_may_lie_behind_a_link() {
    let folder = folder_with_store();
    std::fs::create_dir(folder.path("real")).unwrap();
    std::os::unix::fs::symlink("real", folder.path("kept")).unwrap();
    for command in SAVING.into_iter().chain([SAVING[0]]) {
        folder.ok(command);
        if !command.contains("--incremental") {
            assert_eq!(names_in(&folder.path("real")), [""; 0], "{command}");
        }
        _ = std::fs::remove_dir_all(folder.path("h.outcrop"));
        if command == SAVING[0] {
            assert_eq!(names_in(&folder.path("real")).len(), 2);
            names_in(&folder.path("real"))
                .iter()
                .for_each(|name| std::fs::remove_file(folder.path("real").join(name)).unwrap());
        }
    }
}

#[test]
fn a_series_removes_only_files_of_its_graph_and_algorithm() {
    let folder = Folder::new();
    folder.write("times.csv", (0..60).map(|edge| format!("{edge},{},{edge}\n", edge % 7)).collect::<String>());
    for store in ["g.outcrop", "h.outcrop"] {
        folder.ok(&format!("build times.csv {store} --timed"));
    }
    folder.ok("run wcc g.outcrop --window 20 -o out");
    let of_series = names_in(&folder.path("out"));
    std::fs::copy(folder.path("out").join(&of_series[1]), folder.path("out/best.parquet")).unwrap();
    let all = names_in(&folder.path("out"));
    for other in ["run wcc h.outcrop --window 30", "run kcore g.outcrop --window 30"] {
        folder.ok(&format!("{other} -o out --overwrite"));
        assert!(all.iter().all(|name| names_in(&folder.path("out")).contains(name)), "{other}");
    }
    // A series that has not succeeded removes nothing.
    folder.run("run pagerank g.outcrop --window 20 -o ranks");
    let ranks = names_in(&folder.path("ranks"));
    folder.fails("run pagerank g.outcrop --window 30 --max-iter 1 --tol 1e-12 -o ranks --overwrite", 6);
    assert!(ranks.iter().all(|name| names_in(&folder.path("ranks")).contains(name)));
    let ran = folder.ok("run pagerank g.outcrop --window 30 -o ranks --overwrite");
    assert!(ran.stderr.contains("removed"), "{}", ran.stderr);
    assert_eq!(names_in(&folder.path("ranks")).len(), 2);
    let locked = std::fs::File::open(folder.path("ranks")).unwrap();
    locked.lock().unwrap();
    let before = contents(&folder.path("ranks"));
    assert!(folder.fails("run wcc h.outcrop --window 30 -o ranks --overwrite", 9).contains("in use"));
    assert_eq!(contents(&folder.path("ranks")), before);
}

/// Starts a command that does not end, and kills it once it has made a temporary folder with something in it.
fn kill_with_temporary_folder(folder: &Folder, command: &str) {
    let mut child = folder.command(command).spawn().unwrap();
    let has_store = |name: &String| name.starts_with("outcrop-tmp-") && names_in(&folder.path(name)).len() > 1;
    while !folder.names().iter().any(has_store) {
        assert!(child.try_wait().unwrap().is_none(), "{command} has ended");
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn the_store_of_a_window_that_a_killed_run_left_goes_with_the_next() {
    let folder = Folder::new();
    folder.write("times.csv", (0..500).map(|edge| format!("{edge},{},{edge}\n", edge % 37)).collect::<String>());
    folder.ok("build times.csv g.outcrop --timed");
    let names = folder.names();
    let run = "run pagerank g.outcrop --between 0 400 --iterations";
    kill_with_temporary_folder(&folder, &format!("{run} 4000000000"));
    let left = folder.names().into_iter().find(|name| !names.contains(name)).unwrap();
    let mine = "outcrop-tmp-0123456789ab";
    std::fs::create_dir(folder.path(mine)).unwrap();
    folder.write(&format!("{mine}/thesis.txt"), "mine");
    folder.ok(&format!("{run} 2"));
    assert!(!folder.path(&left).exists() && Path::new(&folder.path(mine)).join("thesis.txt").exists());
    std::fs::remove_dir_all(folder.path(mine)).unwrap();
    assert_eq!(folder.names(), names);
}
