//! Files of results, reports and edges: refused before the work where they cannot be written, whole or not there after
//! it.

use crate::driver::{Folder, Ran, contents, names_in};
use std::io::{BufRead, BufReader};
use std::process::Stdio;

fn folder_with_store() -> Folder {
    let folder = Folder::new();
    folder.write("edges.txt", "0 1\n1 2\n2 0\n2 3\n");
    folder.ok("build edges.txt g.outcrop");
    folder
}

/// A run that would go on for hours.
const ENDLESS: &str = "run pagerank g.outcrop --iterations 4000000000";

/// Before, each of them was refused when the run was over, which here is never.
#[test]
fn an_output_that_cannot_be_written_is_refused_before_the_run() {
    let folder = folder_with_store();
    let generate = "generate kronecker --scale 31 --edge-factor 64";
    folder.write("file", "");
    std::fs::create_dir(folder.path("folder.csv")).unwrap();
    for (arguments, code, part) in [
        (format!("{ENDLESS} -o missing/x.csv"), 9, "missing does not exist; create the folder first"),
        (format!("{ENDLESS} --report missing/x.html"), 9, "missing does not exist; create the folder first"),
        (format!("{generate} -o missing/x.bin"), 9, "missing does not exist; create the folder first"),
        (format!("{ENDLESS} -o file/x.csv"), 9, "file/x.csv"),
        (format!("{ENDLESS} -o folder.csv --overwrite"), 2, "folder.csv is not a file and cannot be overwritten"),
        (format!("{ENDLESS} -o /proc/x.csv"), 9, "/proc"),
    ] {
        let message = folder.fails(&arguments, code);
        assert!(message.contains(part), "outcrop {arguments}: {message}");
    }
    assert_eq!(folder.names(), ["edges.txt", "file", "folder.csv", "g.outcrop"]);
}

#[test]
fn nothing_is_written_into_a_store() {
    let folder = folder_with_store();
    std::fs::create_dir(folder.path("g.outcrop/more")).unwrap();
    std::os::unix::fs::symlink("g.outcrop", folder.path("link")).unwrap();
    folder.ok("run wcc g.outcrop --json --report page.html");
    folder.write("times.csv", "0,1,2\n1,2,3\n");
    folder.ok("build times.csv t.outcrop --timed");
    folder.write("record.json", folder.ok("run wcc g.outcrop --json").stdout);
    let before = names_in(&folder.path("g.outcrop"));
    // Also where the link leads to nothing yet.
    std::os::unix::fs::symlink("g.outcrop/absent", folder.path("dangling")).unwrap();
    for place in ["g.outcrop/x", "g.outcrop/more/x", "link/x", "g.outcrop/more/../x", "dangling/x"] {
        for arguments in [
            format!("{ENDLESS} -o {place}.csv"),
            format!("{ENDLESS} --report {place}.html"),
            format!("generate kronecker --scale 31 --edge-factor 64 -o {place}.bin"),
            format!("report record.json -o {place}.html"),
            format!("build edges.txt h.outcrop --report {place}.html"),
            format!("build edges.txt h.outcrop --tmp-dir {place}"),
            format!("build edges.txt h.outcrop --checkpoint-dir {place}"),
            format!("build edges.txt {place}.outcrop"),
            format!("build edges.txt {place}.outcrop --verify --order pagerank"),
            format!("convert g.outcrop {place}.outcrop --layout csr"),
            format!("convert g.outcrop h.outcrop --layout csr --tmp-dir {place}"),
            format!("convert g.outcrop h.outcrop --layout csr --checkpoint-dir {place}"),
            format!("export g.outcrop {place}.csv"),
            format!("neighbors g.outcrop 1 -o {place}.csv"),
            format!("subgraph g.outcrop 1 -o {place}.csv"),
            format!("update t.outcrop --add edges.txt --tmp-dir {place}"),
            format!("{ENDLESS} --tmp-dir {place}"),
            format!("{ENDLESS} --checkpoint-dir {place}"),
            format!("run wcc g.outcrop --incremental {place}"),
            format!("run wcc t.outcrop --between 0 9 --tmp-dir {place}"),
            format!("run wcc t.outcrop --window 5 -o {place}"),
            format!("man {place}"),
            format!("calibrate {place}"),
        ] {
            let message = folder.fails(&arguments, 2);
            assert!(message.contains("is inside the store"), "outcrop {arguments}: {message}");
        }
    }
    let inside = folder.command("run wcc ../g.outcrop -o x.csv").current_dir(folder.path("g.outcrop/more")).output();
    assert_eq!(Ran::of(inside.unwrap()).code, Some(2));
    assert_eq!(names_in(&folder.path("g.outcrop")), before);
    std::fs::remove_dir(folder.path("g.outcrop/more")).unwrap();
    folder.ok("check g.outcrop");
    // A manifest of something else makes no store.
    std::fs::create_dir(folder.path("site")).unwrap();
    folder.write("site/manifest.json", "{ \"name\": \"a web application\" }");
    folder.ok("run wcc g.outcrop -o site/x.csv");
}

#[test]
#[cfg(target_os = "linux")]
fn a_run_that_is_killed_leaves_no_output() {
    let folder = folder_with_store();
    folder.write("old.csv", "old");
    let names = folder.names();
    for output in ["-o x.csv --report x.html", "-o old.csv --overwrite"] {
        let mut command = folder.command(&format!("{ENDLESS} --progress json {output}"));
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        while !lines.next().expect("the run goes on").unwrap().contains("\"iteration\"") {}
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!((folder.names(), folder.read("old.csv").as_str()), (names.clone(), "old"));
    }
}

/// Runs a command that may write files of so many bytes.
#[cfg(target_os = "linux")]
fn with_file_limit(folder: &Folder, bytes: u64, arguments: &str) -> Ran {
    use std::os::unix::process::CommandExt;
    let limit = libc::rlimit { rlim_cur: bytes, rlim_max: bytes };
    let mut command = folder.command(arguments);
    // SAFETY: between fork and exec only a limit is set, which allocates nothing and takes no lock.
    unsafe {
        command.pre_exec(move || {
            libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit);
            Ok(())
        })
    };
    Ran::of(command.output().unwrap())
}

#[test]
#[cfg(target_os = "linux")]
fn a_file_beyond_the_limit_of_the_process_is_an_error() {
    let folder = Folder::new();
    folder.ok("generate uniform --vertices 20000 --edges 100000 -o edges.bin");
    folder.ok("build edges.bin g.outcrop --ids dense");
    let (names, store) = (folder.names(), contents(&folder.path("g.outcrop")));
    for arguments in [
        "run pagerank g.outcrop --iterations 2 -o ranks.csv",
        "run pagerank g.outcrop --iterations 2 -o ranks.parquet",
        "run cdlp g.outcrop --values disk --max-iter 2",
        "generate uniform --vertices 20000 --edges 100000 -o more.bin",
        "build edges.bin h.outcrop",
        "build edges.bin g.outcrop --overwrite",
    ] {
        let ran = with_file_limit(&folder, 64 << 10, arguments);
        assert_eq!(ran.code, Some(9), "outcrop {arguments}: {ran:?}");
        assert!(
            ran.stderr.contains("; raise the file size limit (ulimit -f), or use a file system with larger files"),
            "{}",
            ran.stderr
        );
        assert_eq!(folder.names(), names, "outcrop {arguments}");
    }
    assert!(contents(&folder.path("g.outcrop")) == store);
}

/// Texts of 40 KiB each, of which no budget of 20 MiB holds a thousand. Before, 173 MiB were resident.
#[test]
fn long_texts_are_held_within_the_budget() {
    let folder = Folder::new();
    let name = |number: u32| format!("{number:04}{}", "x".repeat(40 << 10));
    let edges: String = (0..500).map(|number| format!("{} {}\n", name(2 * number), name(2 * number + 1))).collect();
    folder.write("edges.txt", edges);
    folder.ok("build edges.txt g.outcrop --ids string --memory 256MiB");
    let budget = 20 << 20;
    for arguments in ["run wcc g.outcrop --json -o x.csv", "run pagerank g.outcrop --json --top 1 -o x.csv"] {
        let ran = folder.ok(&format!("{arguments} --overwrite --memory {budget} --page-cache 1MiB --threads 1"));
        let record: serde_json::Value = serde_json::from_str(ran.stdout.lines().last().unwrap()).unwrap();
        let resident = record["peak_rss"].as_u64().unwrap();
        assert!(resident <= budget + (64 << 20), "outcrop {arguments}: {resident} bytes");
        assert_eq!(folder.read("x.csv").lines().count(), 1001);
    }
    let rows = folder.read("x.csv");
    let ran = folder.ok(&format!("run pagerank g.outcrop --top 1000 --memory {budget} --page-cache 1MiB --threads 1"));
    assert_eq!(ran.stdout.lines().count(), 1001);
    let names: std::collections::HashSet<_> = rows.lines().skip(1).map(|row| row.split(',').next().unwrap()).collect();
    assert!(ran.stdout.lines().skip(1).all(|line| names.contains(line.split('\t').next().unwrap())));
    let resident = ran.stderr.rsplit("at most ").next().unwrap().to_owned();
    assert!(
        !resident.contains("GiB") && resident.split(' ').next().unwrap().parse::<f64>().unwrap() < 84.0,
        "{resident}"
    );
}
