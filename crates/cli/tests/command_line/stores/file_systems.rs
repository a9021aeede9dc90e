//! Tests that need a file system of their own: a full disk, one that may only be read, one in memory.
#![cfg(target_os = "linux")]

use crate::driver::{Folder, RUNS, contents, names_in, not_tested};
use std::ffi::CString;
use std::fs::Metadata;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A file system in memory at `disk` in a folder, mounted until it is dropped.
struct SmallDisk {
    place: CString,
    folder: Folder,
}

impl SmallDisk {
    /// `None`, and says so, where mounting is not allowed.
    fn mount(kib: u64) -> Option<Self> {
        let folder = Folder::new();
        std::fs::create_dir(folder.path("disk")).unwrap();
        let place = CString::new(folder.path("disk").as_os_str().as_bytes()).unwrap();
        let options = CString::new(format!("size={kib}k")).unwrap();
        let kind = c"tmpfs".as_ptr();
        // SAFETY: all texts end in NUL and live until the call returns.
        let failed = unsafe { libc::mount(kind, place.as_ptr(), kind, 0, options.as_ptr().cast()) } != 0;
        if failed {
            not_tested(&format!("no file system can be mounted here ({})", std::io::Error::last_os_error()));
            return None;
        }
        Some(Self { place, folder })
    }

    fn make_read_only(&self) {
        let flags = libc::MS_REMOUNT | libc::MS_RDONLY;
        let none = std::ptr::null();
        // SAFETY: as above; no source, kind or options are needed to mount again.
        let outcome = unsafe { libc::mount(none, self.place.as_ptr(), none, flags, none.cast()) };
        assert_eq!(outcome, 0, "{}", std::io::Error::last_os_error());
    }

    fn names(&self) -> Vec<String> {
        names_in(&self.folder.path("disk"))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // SAFETY: the text ends in NUL.
        unsafe { libc::umount2(self.place.as_ptr(), libc::MNT_DETACH) };
    }
}

/// Builds on disks of all sizes, `step_kib` apart, up to one that suffices.
fn build_on_full_disks(step_kib: usize) {
    let Some(large) = SmallDisk::mount(64 << 10) else { return };
    large.folder.ok("generate uniform --vertices 20000 --edges 100000 -o edges.bin");
    large.folder.ok("generate uniform --vertices 20000 --edges 100000 -o edges.txt");
    let mut refused = 0;
    for kib in (16..2400).step_by(step_kib) {
        let disk = SmallDisk::mount(kib).unwrap();
        for name in ["edges.bin", "edges.txt"] {
            std::fs::copy(large.folder.path(name), disk.folder.path(name)).unwrap();
            for more in ["", "--order degree --memory 16MiB --layout csr"] {
                let ran = disk.folder.run(&format!("build {name} disk/g.outcrop {more}"));
                if ran.code == Some(0) {
                    disk.folder.ok("check disk/g.outcrop");
                    std::fs::remove_dir_all(disk.folder.path("disk/g.outcrop")).unwrap();
                    continue;
                }
                refused += 1;
                assert_eq!((ran.code, ran.stdout.as_str()), (Some(5), ""), "{kib} KiB {name} {more}: {ran:?}");
                assert!(ran.stderr.starts_with("outcrop: no space left for disk"), "{}", ran.stderr);
                assert_eq!(disk.names(), [""; 0], "{kib} KiB {name} {more}");
            }
        }
    }
    assert!(refused > 10);
}

#[test]
fn a_build_on_a_full_disk_is_5_and_leaves_nothing() {
    build_on_full_disks(148);
}

#[test]
#[ignore = "takes several minutes"]
fn builds_on_full_disks_of_every_size_are_5_and_leave_nothing() {
    build_on_full_disks(4);
}

#[test]
fn a_disk_that_fills_up_where_the_estimate_fitted_is_5_too() {
    // Standard input has no length, so that nothing is refused in advance.
    let input: Vec<u8> = (0..60_000_u32).flat_map(|i| format!("{} {}\n", i * 7, i * 13 % 4099).into_bytes()).collect();
    let mut refused = 0;
    for kib in (16..1600).step_by(176) {
        let Some(disk) = SmallDisk::mount(kib) else { return };
        let ran =
            disk.folder.run_with_stdin("build - disk/g.outcrop --order degree --memory 16MiB --layout csr", &input);
        if ran.code == Some(0) {
            disk.folder.ok("check disk/g.outcrop");
            continue;
        }
        refused += 1;
        assert_eq!(ran.code, Some(5), "{kib} KiB: {ran:?}");
        assert_eq!(disk.names(), [""; 0], "{kib} KiB");
    }
    assert!(refused > 3);
}

#[test]
fn temporary_files_on_a_full_disk_are_5_too() {
    let Some(disk) = SmallDisk::mount(256) else { return };
    let input: Vec<u8> = (0..900_000_u32).flat_map(|i| format!("{} {}\n", i * 7, i).into_bytes()).collect();
    let build = "build - g.outcrop --tmp-dir disk --memory 16MiB --layout csr";
    let ran = disk.folder.run_with_stdin(build, &input);
    assert_eq!(ran.code, Some(5), "{ran:?}");
    assert_eq!((disk.folder.names(), disk.names()), (vec!["disk".to_owned()], Vec::new()));
}

#[test]
fn replacing_a_store_on_a_full_disk_leaves_the_old_one_as_it_was() {
    let Some(disk) = SmallDisk::mount(600) else { return };
    disk.folder.write("old.txt", "1 2\n2 3\n");
    disk.folder.ok("build old.txt disk/g.outcrop");
    let store = contents(&disk.folder.path("disk/g.outcrop"));
    disk.folder.ok("generate uniform --vertices 20000 --edges 100000 -o edges.bin");
    let input: Vec<u8> = (0..60_000_u32).flat_map(|i| format!("{} {i}\n", i * 7).into_bytes()).collect();
    disk.folder.fails("build edges.bin disk/g.outcrop --overwrite", 5);
    let ran = disk.folder.run_with_stdin("build - disk/g.outcrop --overwrite", &input);
    assert_eq!(ran.code, Some(5), "{ran:?}");
    assert_eq!(disk.names(), ["g.outcrop"]);
    assert_eq!(contents(&disk.folder.path("disk/g.outcrop")), store);
}

#[test]
fn results_and_generated_edges_on_a_full_disk_are_5_and_leave_nothing() {
    let Some(disk) = SmallDisk::mount(64) else { return };
    disk.folder.ok("generate uniform --vertices 60000 --edges 70000 -o edges.bin");
    disk.folder.ok("build edges.bin g.outcrop");
    for format in ["csv", "tsv", "jsonl", "parquet", "npy"] {
        disk.folder.fails(&format!("run pagerank g.outcrop --iterations 3 -o disk/ranks.{format}"), 5);
        assert_eq!(disk.names(), [""; 0], "{format}");
    }
    for format in ["bin", "txt", "csv.gz", "txt.zst"] {
        disk.folder.fails(&format!("generate uniform --vertices 60000 --edges 70000 -o disk/edges.{format}"), 5);
        assert_eq!(disk.names(), [""; 0], "{format}");
    }
}

#[test]
fn messages_on_a_full_disk_are_5_and_leave_nothing() {
    let Some(disk) = SmallDisk::mount(256) else { return };
    disk.folder.ok("generate uniform --vertices 60000 --edges 600000 -o edges.bin");
    disk.folder.ok("build edges.bin g.outcrop --ids dense");
    let minimum = disk.folder.ok("estimate cdlp g.outcrop --model messages --threads 1 --json").figure("minimum");
    // How many messages memory does not hold shows during the run.
    disk.folder.fails(&format!("run cdlp g.outcrop --model messages --threads 1 --memory {minimum} --tmp-dir disk"), 5);
    assert_eq!(disk.names(), [""; 0]);
    // The room for values is known before.
    let message = disk.folder.fails("run coloring g.outcrop --values disk --tmp-dir disk", 5);
    assert!(message.contains("937.5 KiB needed, 256.0 KiB free"), "{message}");
    assert_eq!(disk.names(), [""; 0]);
    disk.folder.ok("run cdlp g.outcrop --model messages --tmp-dir disk --max-iter 2");
}

#[test]
fn values_of_edges_on_a_full_disk_are_5_and_leave_nothing() {
    let Some(disk) = SmallDisk::mount(256) else { return };
    disk.folder.ok("generate uniform --vertices 20000 --edges 200000 -o edges.bin");
    for (store, layout) in [("g.outcrop", "chunked"), ("h.outcrop", "sliding")] {
        disk.folder.ok(&format!("build edges.bin {store} --ids dense --undirected --layout {layout}"));
        let before = contents(&disk.folder.path(store));
        let minimum = disk.folder.ok(&format!("estimate wcc {store} --model gas --threads 1 --json")).figure("minimum");
        let memory = minimum + (256 << 10);
        for kind in ["static", "ads", "ods", "edge-list"] {
            let run = format!("run wcc {store} --model gas --shards {kind} --threads 1 --memory {memory}");
            let message = disk.folder.fails(&format!("{run} --tmp-dir disk"), 5);
            assert!(message.starts_with("outcrop: no space left for disk"), "{message}");
            assert_eq!(disk.names(), [""; 0], "{kind}");
            disk.folder.ok(&run);
        }
        assert!(contents(&disk.folder.path(store)) == before);
    }
}

#[test]
fn a_store_in_memory_gives_the_same_answers() {
    let Some(disk) = SmallDisk::mount(16 << 10) else { return };
    disk.folder.ok("generate kronecker --scale 10 --weights 1..255 -o edges.bin");
    disk.folder.ok("build edges.bin disk/g.outcrop --weighted --ids dense");
    disk.folder.ok("build edges.bin g.outcrop --weighted --ids dense");
    disk.folder.ok("check disk/g.outcrop");
    for (algorithm, parameters) in RUNS {
        let rows = |store: &str| disk.folder.rows(&format!("{algorithm} {store} {parameters} --threads 1"));
        assert_eq!(rows("disk/g.outcrop"), rows("g.outcrop"), "{algorithm}");
    }
}

/// Everything that a reader could change of a store: bytes, lengths, times, owners, names.
fn fingerprint(store: &Path) -> Vec<(String, Vec<u8>, [i64; 4], u32)> {
    let times = |found: &Metadata| [found.mtime(), found.mtime_nsec(), found.ctime(), found.ctime_nsec()];
    let look = |path: &PathBuf| std::fs::metadata(path).map(|found| (times(&found), found.mode())).unwrap();
    let folder = (String::new(), Vec::new(), look(&store.to_owned()).0, look(&store.to_owned()).1);
    let files = contents(store).into_iter().map(|(name, bytes)| {
        let (times, mode) = look(&store.join(&name));
        (name, bytes, times, mode)
    });
    std::iter::once(folder).chain(files).collect()
}

/// Every command that reads a store.
fn readers(store: &str) -> Vec<String> {
    let mut commands = vec![format!("info {store}"), format!("info {store} --json"), format!("check {store}")];
    for (algorithm, parameters) in RUNS {
        commands.push(format!("estimate {algorithm} {store} {parameters}"));
        for io in ["auto", "pread", "buffered", "mmap"] {
            commands.push(format!("run {algorithm} {store} {parameters} --io {io}"));
        }
    }
    commands
}

#[test]
fn readers_change_nothing() {
    let folder = Folder::new();
    folder.write("edges.txt", "0 10 1\n10 20 2\n20 0 3\n30 30 1\n");
    folder.ok("build edges.txt g.outcrop --weighted --order degree");
    let before = fingerprint(&folder.path("g.outcrop"));
    for command in readers("g.outcrop") {
        let ran = folder.command(&command).env("OUTCROP_NO_HISTORY", "1").output().unwrap();
        assert!(ran.status.success(), "{command}");
        assert_eq!(fingerprint(&folder.path("g.outcrop")), before, "{command}");
    }
    // The history is beside the files, so that only the times of the folder change.
    for command in readers("g.outcrop") {
        folder.ok(&command);
        assert_eq!(fingerprint(&folder.path("g.outcrop"))[1..], before[1..], "{command}");
    }
    assert_eq!(folder.names(), ["edges.txt", "g.outcrop"]);
}

#[test]
fn readers_need_no_right_to_write() {
    let Some(disk) = SmallDisk::mount(1 << 10) else { return };
    disk.folder.write("edges.txt", "0 10 1\n10 20 2\n20 0 3\n30 30 1\n");
    disk.folder.ok("build edges.txt disk/g.outcrop --weighted --order degree");
    disk.make_read_only();
    for command in readers("disk/g.outcrop") {
        disk.folder.ok(&command);
    }
    let message = disk.folder.fails("build edges.txt disk/h.outcrop", 9);
    assert!(message.contains("Read-only file system"), "{message}");
    let message = disk.folder.fails("build edges.txt disk/g.outcrop --overwrite", 9);
    assert!(message.contains("Read-only file system"), "{message}");
    disk.folder.ok("check disk/g.outcrop");
}

#[test]
fn queries_and_runs_in_memory_need_no_folder_for_temporary_files() {
    let Some(disk) = SmallDisk::mount(16 << 10) else { return };
    disk.folder.ok("generate kronecker --scale 14 --edge-factor 16 -o edges.csv");
    disk.folder.ok("build edges.csv disk/g.outcrop");
    let source = disk.folder.read("edges.csv").lines().find_map(|line| line.split(',').next()?.parse::<u32>().ok());
    let source = source.unwrap();
    disk.folder.write("later.csv", format!("{source},{source}\n"));
    let commands = [
        format!("neighbors disk/g.outcrop {source}"),
        format!("subgraph disk/g.outcrop {source}"),
        format!("sample disk/g.outcrop {source} --fanouts 3,2"),
        format!("run walks disk/g.outcrop --source {source}"),
        format!("run bfs disk/g.outcrop --source {source} --model messages"),
        format!("run bfs disk/g.outcrop --source {source} --model gas"),
        format!("run bfs disk/g.outcrop --source {source} --model gas --shards static"),
        format!("run bfs disk/g.outcrop --source {source} --model gas --arrivals later.csv"),
        "run wcc disk/g.outcrop --model gas --shards edge-list".to_owned(),
        "run cdlp disk/g.outcrop --model messages --iterations 3".to_owned(),
        "export disk/g.outcrop edges.el --overwrite".to_owned(),
    ];
    let answer = |command: &String| disk.folder.ok(&format!("{command} --memory 256MiB")).stdout;
    let expected: Vec<_> = commands.iter().map(answer).collect();
    disk.make_read_only();
    for (command, expected) in commands.iter().zip(&expected) {
        assert!(answer(command) == *expected, "{command}");
    }
    for command in [
        format!("run bfs disk/g.outcrop --source {source} --model messages --values disk"),
        format!("run bfs disk/g.outcrop --source {source} --model gas --values disk"),
    ] {
        let message = disk.folder.fails(&command, 9);
        assert!(message.contains("--tmp-dir"), "{command}: {message}");
        disk.folder.ok(&format!("{command} --tmp-dir ."));
    }
}
