//! Every exit code, by the way that leads to it.

use crate::driver::{Folder, Ran, contents, interrupt};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Stdio};

fn folder_with_graph() -> Folder {
    let folder = Folder::new();
    folder.write("edges.txt", "0 1\n1 2\n2 0\n2 3\n3 3\n");
    folder.ok("build edges.txt g.outcrop");
    folder
}

#[test]
fn usage_is_2_and_says_what_is_wrong() {
    let folder = folder_with_graph();
    let cases = [
        ("nonsense", "unrecognized subcommand"),
        ("build edges.txt", "only one path given; usage: outcrop build EDGES... STORE"),
        ("build edges.txt g.outcrop", "g.outcrop already exists; choose another name, or use --overwrite"),
        ("build edges.txt edges.txt --overwrite", "edges.txt is not a store, so --overwrite does not replace it"),
        ("build edges.txt h.outcrop --num-vertices 5", "--num-vertices needs --ids dense"),
        ("build edges.txt h.outcrop --ids dense --num-vertices 0", "--num-vertices must be at least 1"),
        ("build edges.txt h.outcrop --separator x", "cannot separate fields"),
        ("build edges.txt h.outcrop --threads 0", "--threads"),
        ("run bfs g.outcrop", "`bfs` needs --source"),
        ("run bfs g.outcrop --source 77", "the graph has no vertex 77\n"),
        ("run bfs g.outcrop --source anna", "the graph has no vertex \"anna\""),
        (
            "run wcc g.outcrop --memory 12XB",
            "; expected 4GiB or 4G (1024^3 bytes each), 4GB (1000^3), 1073741824, 50% or auto",
        ),
        ("run wcc g.outcrop --io nonsense", "nonsense"),
        ("run wcc g.outcrop --static-cache 80", "; expected a fraction such as 80% or 0.8, or auto"),
        (
            "run bfs g.outcrop --source 0 --static-cache 80%",
            "has no pinned lists for this run; choose some with `outcrop cache`",
        ),
        ("run pagerank g.outcrop --alpha 1", "--alpha must be a number at least 0 and below 1, not \"1\""),
        ("run pagerank g.outcrop --tol 0", "--tol must be a number above 0, not \"0\""),
        ("run pagerank g.outcrop --iterations 3 --tol 0.1", "--tol cannot be combined with --iterations"),
        ("generate kronecker --scale 99 -o x.bin", "scale"),
        ("generate kronecker --scale 4 -o x.nonsense", "x.nonsense"),
    ];
    let names = folder.names();
    for (arguments, part) in cases {
        let message = folder.fails(arguments, 2);
        assert!(message.contains(part), "outcrop {arguments}: {message}");
    }
    assert_eq!(folder.names(), names);
}

#[test]
fn another_generation_than_an_update_expects_is_10() {
    let folder = folder_with_graph();
    folder.write("add.txt", "0 3\n");
    folder.ok("update g.outcrop --add add.txt --if-generation 0");
    let message = folder.fails("update g.outcrop --add add.txt --if-generation 0", 10);
    assert!(message.contains("has generation 1, but the update expects generation 0"), "{message}");
}

#[test]
fn a_budget_that_is_too_small_is_4_and_names_the_minimum() {
    let folder = folder_with_graph();
    let message = folder.fails("build edges.txt h.outcrop --memory 1MiB", 4);
    assert!(message.contains("1.0 MiB"), "{message}");
    let message = folder.fails("run wcc g.outcrop --memory 1000", 4);
    assert!(message.contains("at least --memory "), "{message}");
    assert!(folder.fails("check g.outcrop --memory 1000", 4).contains("at least --memory "));
    assert_eq!(folder.names(), ["edges.txt", "g.outcrop"]);
}

#[test]
fn no_convergence_is_6_and_the_values_are_there() {
    let folder = folder_with_graph();
    let ran = folder.run("run pagerank g.outcrop --max-iter 2 --tol 1e-15 --json -o ranks.csv");
    assert_eq!(ran.code, Some(6), "{ran:?}");
    assert!(ran.stderr.contains("`pagerank` did not converge (iterations: 2, "), "{}", ran.stderr);
    assert_eq!((ran.figure("iterations"), &ran.json()["converged"]), (2, &serde_json::json!(false)));
    assert_eq!(folder.read("ranks.csv").lines().count(), 5);
}

#[test]
fn a_damaged_store_is_7_and_names_the_file() {
    let folder = folder_with_graph();
    let minis = folder.path("g.outcrop/out.minis");
    let mut bytes = std::fs::read(&minis).unwrap();
    bytes[100] ^= 1;
    std::fs::write(&minis, bytes).unwrap();
    for command in ["check g.outcrop", "run wcc g.outcrop", "run wcc g.outcrop --json -o rows.csv"] {
        let message = folder.fails(command, 7);
        assert!(message.contains("g.outcrop/out.minis is damaged: unit 0"), "{message}");
    }
    assert_eq!(folder.names(), ["edges.txt", "g.outcrop"]);
}

/// Replaces a text in the manifest and seals it again.
fn change_manifest(store: &Path, from: &str, to: &str) {
    let path = store.join("manifest.json");
    let text = std::fs::read_to_string(&path).unwrap();
    let (_, body) = text.split_once('\n').unwrap();
    assert!(body.contains(from), "{body}");
    let body = body.replacen(from, to, 1);
    let checksum = xxhash_rust::xxh3::xxh3_64(body.as_bytes());
    std::fs::write(path, format!("{{ \"checksum\": \"{checksum:016x}-{}\",\n{body}", body.len())).unwrap();
}

#[test]
fn a_newer_format_is_8_and_says_what_to_do() {
    let folder = folder_with_graph();
    let store = folder.path("g.outcrop");
    change_manifest(&store, "\"format_version\": 13", "\"format_version\":  13");
    folder.ok("check g.outcrop");
    change_manifest(&store, "\"format_version\":  13", "\"format_version\": 99, \"news\": []");
    for command in ["info g.outcrop", "check g.outcrop", "estimate wcc g.outcrop", "run wcc g.outcrop"] {
        let expected = "g.outcrop has format version 99, but this version of outcrop reads up to 13; upgrade outcrop or rebuild the store";
        assert_eq!(folder.fails(command, 8), format!("outcrop: {expected}\n"));
    }
}

#[test]
fn what_is_not_there_or_cannot_be_read_is_9() {
    let folder = folder_with_graph();
    let cases = [
        ("build missing.txt h.outcrop", "missing.txt does not exist"),
        ("build edges.txt missing/h.outcrop", "missing"),
        ("build edges.txt h.outcrop --tmp-dir missing", "missing"),
        ("build edges.txt h.outcrop --vertices missing.txt", "missing.txt does not exist"),
        ("info missing.outcrop", "missing.outcrop does not exist; a store is a folder created by `outcrop build`"),
        ("run wcc edges.txt", "edges.txt"),
        ("run pagerank g.outcrop --personalization missing.csv", "missing.csv"),
        ("run wcc g.outcrop -o missing/rows.csv", "missing does not exist; create the folder first"),
        ("run wcc g.outcrop --report missing/page.html", "missing does not exist; create the folder first"),
        ("generate grid --rows 2 --columns 2 -o missing/edges.txt", "missing does not exist; create the folder first"),
    ];
    let names = folder.names();
    for (arguments, part) in cases {
        let message = folder.fails(arguments, 9);
        assert!(message.contains(part), "outcrop {arguments}: {message}");
    }
    assert_eq!(folder.names(), names);
}

#[test]
fn a_store_that_is_being_read_is_not_replaced() {
    let folder = folder_with_graph();
    let mut reader = endless_run(&folder);
    let message = folder.fails("build edges.txt g.outcrop --overwrite", 9);
    assert!(
        message.contains("is in use by ") && message.contains("process") && message.contains("; wait for it to end"),
        "{message}"
    );
    folder.ok("run wcc g.outcrop");
    interrupt(&reader);
    reader.wait().unwrap();
    folder.ok("build edges.txt g.outcrop --overwrite");
}

/// A run that ends only when it is told to, in the middle of its work.
fn endless_run(folder: &Folder) -> Child {
    let arguments = "run pagerank g.outcrop --iterations 4000000000 --progress json -o ranks.csv";
    let mut child = folder.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    while !lines.next().expect("the run goes on").unwrap().contains("\"iteration\"") {}
    // Somebody must go on reading, or the run would wait for room in the pipe.
    std::thread::spawn(move || lines.for_each(drop));
    child
}

#[test]
fn an_interrupted_run_is_130_and_leaves_nothing() {
    let folder = folder_with_graph();
    let store = contents(&folder.path("g.outcrop"));
    let child = endless_run(&folder);
    interrupt(&child);
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(130), ""));
    assert_eq!(folder.names(), ["edges.txt", "g.outcrop"]);
    assert_eq!(contents(&folder.path("g.outcrop")), store);
}

/// Iteration after which the note in some lines says that the run went on; and whether it was asked to stop.
fn resumed_at(lines: impl Iterator<Item = String>) -> (Option<u64>, bool) {
    let lines: Vec<String> = lines.collect();
    let after = |line: &String| {
        let (_, rest) = line.split_once("resumed from a checkpoint after iteration ")?;
        rest.split(|sign: char| !sign.is_ascii_digit()).next()?.parse().ok()
    };
    (
        lines.iter().find_map(after),
        lines.iter().any(|line| line.contains("stopped after writing a checkpoint; use --resume to continue")),
    )
}

#[test]
fn a_scheduler_that_ends_a_run_with_checkpoints_leaves_one_that_is_up_to_date() {
    let folder = folder_with_graph();
    let run = "run pagerank g.outcrop --iterations 4000000000 --progress json --checkpoint-dir kept --resume";
    let mut resumed = Vec::new();
    for _ in 0..3 {
        // The usual ten minutes between two checkpoints are not over.
        let mut child = folder.command(run).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
        let mut seen = Vec::new();
        while !seen.iter().any(|line: &String| line.contains("\"iteration\"")) {
            seen.push(lines.next().expect("the run goes on"));
        }
        let id = i32::try_from(child.id()).unwrap();
        // SAFETY: sends a signal to a process that was started here and not yet waited for.
        assert_eq!(unsafe { libc::kill(id, libc::SIGTERM) }, 0);
        let (after, stopped) = resumed_at(seen.into_iter().chain(lines));
        assert!(stopped);
        resumed.push(after);
        assert_eq!(child.wait().unwrap().code(), Some(130));
        assert!(folder.path("kept").read_dir().unwrap().count() == 2, "a lock and one checkpoint");
    }
    assert!(resumed[0].is_none() && resumed[1].is_some() && resumed[1] < resumed[2], "{resumed:?}");
}

#[test]
fn an_interrupted_build_is_130_and_leaves_what_was_there() {
    let folder = folder_with_graph();
    let (names, store) = (folder.names(), contents(&folder.path("g.outcrop")));
    let mut command = folder.command("build - g.outcrop --overwrite --memory 64MiB");
    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let feeder = std::thread::spawn(move || while pipe.write_all(&b"1 2\n3 4\n".repeat(1000)).is_ok() {});
    while folder.names() == names {
        assert_eq!(child.try_wait().unwrap(), None, "the build goes on");
        std::thread::yield_now();
    }
    interrupt(&child);
    let ran = Ran::of(child.wait_with_output().unwrap());
    feeder.join().unwrap();
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(130), "outcrop: interrupted\n"));
    assert_eq!(folder.names(), names);
    assert_eq!(contents(&folder.path("g.outcrop")), store);
}

/// Waits until a process handles interruptions, which would else end it in the way of all processes.
#[cfg(target_os = "linux")]
fn wait_for_handler(child: &mut Child) {
    let id = child.id();
    let caught = || {
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
        u64::from_str_radix(mask.trim(), 16).unwrap() & 1 << (libc::SIGINT - 1) != 0
    };
    while !caught() {
        assert_eq!(child.try_wait().unwrap(), None, "the process goes on");
        std::thread::yield_now();
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_build_that_waits_for_its_input_ends_when_it_is_interrupted_again() {
    let folder = Folder::new();
    let mut command = folder.command("build - h.outcrop");
    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(b"1 2\n").unwrap();
    wait_for_handler(&mut child);
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        interrupt(&child);
        std::thread::sleep(std::time::Duration::from_millis(10));
    };
    drop(pipe);
    assert_eq!(status.code(), Some(130));
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

#[test]
fn an_interrupted_generator_leaves_nothing() {
    let folder = Folder::new();
    let mut command = folder.command("generate kronecker --scale 30 -o edges.bin --progress json");
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    while !lines.next().expect("the generator goes on").unwrap().contains("\"progress\"") {}
    interrupt(&child);
    assert_eq!(lines.last().unwrap().unwrap(), "outcrop: interrupted");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

#[test]
fn a_store_is_no_folder_of_edges() {
    let folder = folder_with_graph();
    for command in ["build g.outcrop h.outcrop", "update g.outcrop --add g.outcrop"] {
        let message = folder.fails(command, 2);
        assert!(message.contains("g.outcrop is a store, not an edge file; use `outcrop convert`"), "{message}");
    }
}
