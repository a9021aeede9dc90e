//! Processes whose address space is limited (`ulimit -v`): an answer, or an error that says so.
#![cfg(target_os = "linux")]

use crate::driver::{Folder, Ran};
use std::os::unix::process::CommandExt;

/// Messages of the C library and of the standard library, which end a process in which a new thread lacks memory before
/// it runs anything of ours.
const STARTS_OF_THREADS: [&str; 2] =
    ["glibc error: failed to register TLS destructor", "failed to allocate an alternative stack"];

/// Runs a command that may have so many bytes of address space.
fn limited(folder: &Folder, bytes: u64, arguments: &str) -> Ran {
    let limit = libc::rlimit { rlim_cur: bytes, rlim_max: bytes };
    let mut command = folder.command(arguments);
    // SAFETY: between fork and exec only a limit is set, which allocates nothing and takes no lock.
    let command = unsafe {
        command.pre_exec(move || {
            libc::setrlimit(libc::RLIMIT_AS, &raw const limit);
            Ok(())
        })
    };
    Ran::of(command.output().unwrap())
}

/// Before, most of the refusals aborted the process: "memory allocation of 8388608 bytes failed".
#[test]
fn memory_that_the_system_refuses_is_an_error() {
    let folder = Folder::new();
    folder.ok("generate uniform --vertices 200000 --edges 400000 --weights 1..9 -o edges.bin");
    folder.ok("generate uniform --vertices 30000 --edges 60000 -o edges.txt");
    folder.ok("build edges.bin g.outcrop --ids dense --weighted");
    folder.ok("build edges.txt t.outcrop --ids string --order degree");
    let names = folder.names();
    let commands = [
        "build edges.bin new.outcrop --weighted --memory 2GiB",
        "build edges.txt new.outcrop --ids string --memory 2GiB --layout csr",
        "check g.outcrop --memory 2GiB",
        "run bfs g.outcrop --source 0 --memory 2GiB",
        "run pagerank g.outcrop --iterations 2 --memory 2GiB -o new.csv",
        "run pagerank g.outcrop --iterations 2 --model gas --unweighted --memory 2GiB",
        "run pagerank g.outcrop --iterations 2 --model interval --memory 2GiB",
        "run sssp g.outcrop --source 0 --memory 2GiB",
        "run wcc t.outcrop --memory 2GiB --json",
        "run lcc g.outcrop --memory 2GiB",
        "run cdlp g.outcrop --max-iter 2 --memory 2GiB",
    ];
    // With less the program cannot even be loaded.
    let least = (16..).step_by(4).find(|mib| limited(&folder, mib << 20, "--version").code == Some(0)).unwrap();
    let (mut refused, mut done) = (0, 0);
    for arguments in commands {
        for more in [0, 16, 36, 44, 60, 90, 140, 2200] {
            let mib = least + more;
            let ran = limited(&folder, mib << 20, &format!("{arguments} --threads 2"));
            match ran.code {
                Some(0) => done += 1,
                Some(4) => {
                    refused += 1;
                    assert!(ran.stderr.contains("the system refused "), "{mib} MiB: {arguments}: {ran:?}");
                }
                // Threads, and the rings of io_uring, are no memory that is asked for in bytes.
                Some(9) => refused += 1,
                None if STARTS_OF_THREADS.iter().any(|message| ran.stderr.contains(message)) => refused += 1,
                _ => panic!("{mib} MiB: outcrop {arguments}: {ran:?}"),
            }
            for name in folder.names().into_iter().filter(|name| !names.contains(name)) {
                assert!(ran.code == Some(0), "{mib} MiB: outcrop {arguments} left {name}");
                let path = folder.path(&name);
                if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) }.unwrap();
            }
        }
    }
    println!("{done} runs gave an answer, {refused} were refused memory");
    assert!(refused > 20 && done > 20, "{done} answers, {refused} refusals");
}
