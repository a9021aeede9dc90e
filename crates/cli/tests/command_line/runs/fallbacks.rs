//! Where the system refuses something, the run goes on in another way, says so, and gives the same answer.
#![cfg(target_os = "linux")]

use crate::driver::{Folder, RUNS, Ran};
use std::collections::BTreeSet;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

fn folder_with_store() -> Folder {
    let folder = Folder::new();
    folder.ok("generate kronecker --scale 10 --edge-factor 8 --weights 1..255 -o edges.bin");
    folder.ok("build edges.bin g.outcrop --weighted --ids dense");
    folder
}

const fn instruction(code: u32, jump_if: u8, jump_else: u8, k: u32) -> libc::sock_filter {
    libc::sock_filter { code: code as u16, jt: jump_if, jf: jump_else, k }
}

/// Makes io_uring fail with `errno` in the calling process, for ever.
fn refuse_io_uring(errno: i32) -> io::Result<()> {
    let refuse = libc::SECCOMP_RET_ERRNO | errno.unsigned_abs();
    let filter = [
        instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
        instruction(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, 1, libc::SYS_io_uring_setup as u32),
        instruction(libc::BPF_RET | libc::BPF_K, 0, 0, refuse),
        instruction(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW),
    ];
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_ptr().cast_mut() };
    // SAFETY: the program and its instructions live until the calls return; the kernel copies them.
    let failed = unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
            || libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) != 0
    };
    if failed { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Runs `outcrop` where io_uring fails with `errno`.
fn run_without_io_uring(folder: &Folder, arguments: &str, errno: i32) -> Ran {
    run_after(folder.command(arguments), move || refuse_io_uring(errno))
}

/// Keeps every descriptor but the standard ones from the program that the calling process becomes.
fn hand_no_descriptors_down() -> io::Result<()> {
    // By its number, as older C libraries have no function for it.
    // SAFETY: descriptors are marked, and none is closed before the process becomes another program.
    let failed = unsafe { libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC) } != 0;
    if failed { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Runs a command after `prepare`, with none of the descriptors that this process has open or was handed itself.
fn run_after(mut command: Command, mut prepare: impl FnMut() -> io::Result<()> + Send + Sync + 'static) -> Ran {
    let prepare = move || hand_no_descriptors_down().and_then(|()| prepare());
    // SAFETY: what is prepared makes system calls and nothing else, as must be between fork and exec.
    unsafe { command.pre_exec(prepare) };
    Ran::of(command.output().unwrap())
}

#[test]
fn refused_io_uring_falls_back_says_so_once_and_gives_the_same_answer() {
    let folder = folder_with_store();
    for errno in [libc::EPERM, libc::ENOSYS] {
        for (algorithm, parameters) in RUNS {
            let run = format!("{algorithm} g.outcrop {parameters}");
            let ran = run_without_io_uring(&folder, &format!("run {run} --json -o rows.csv --overwrite"), errno);
            assert_eq!(ran.code, Some(0), "{ran:?}");
            let record = ran.json();
            // The folder's file system may refuse direct reads, and then io_uring is not even tried.
            let direct = folder.ok(&format!("run {run} --io pread --json")).json()["io"] == "pread";
            assert_eq!(record["io"], if direct { "pread" } else { "buffered" }, "{record}");
            let weights = format!("outcrop: note: `{algorithm}` ignores the edge weights of the store");
            let lines = || ran.stderr.lines().filter(|line| !line.starts_with(&weights));
            let notes: BTreeSet<_> = lines().collect();
            assert!(notes.iter().all(|note| note.starts_with("outcrop: note: g.outcrop/")), "{}", ran.stderr);
            assert!(notes.iter().any(|note| !direct || note.contains("io_uring is not available (")), "{notes:?}");
            assert_eq!(notes.len(), lines().count(), "each note once: {}", ran.stderr);
            let found: Vec<String> = folder.read("rows.csv").lines().skip(1).map(str::to_owned).collect();
            let expected = folder.rows(&format!("{run} --io buffered"));
            assert!(found == expected || algorithm == "pagerank", "{algorithm}");
        }
    }
}

#[test]
fn io_uring_by_name_is_refused_with_what_to_do() {
    let folder = folder_with_store();
    for errno in [libc::EPERM, libc::ENOSYS] {
        for command in ["run wcc g.outcrop --io uring", "check g.outcrop --io uring"] {
            let ran = run_without_io_uring(&folder, command, errno);
            assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{ran:?}");
            assert!(ran.stderr.contains("io_uring is not available ("), "{}", ran.stderr);
            assert!(ran.stderr.ends_with("; use --io auto or pread\n"), "{}", ran.stderr);
        }
    }
}

#[test]
fn builds_and_checks_need_no_io_uring() {
    let folder = folder_with_store();
    let ran = run_without_io_uring(&folder, "build edges.bin h.outcrop --weighted --ids dense", libc::EPERM);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let ran = run_without_io_uring(&folder, "check h.outcrop", libc::EPERM);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(folder.rows("wcc h.outcrop"), folder.rows("wcc g.outcrop"));
}

/// Lowers a limit of the calling process.
fn limit(resource: libc::__rlimit_resource_t, most: u64) -> io::Result<()> {
    let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
    // SAFETY: the limits live until the call returns.
    if unsafe { libc::setrlimit(resource, &raw const limit) } == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

#[test]
fn without_locked_memory_the_answer_is_the_same() {
    let folder = folder_with_store();
    for (algorithm, parameters) in RUNS {
        let run = format!("{algorithm} g.outcrop {parameters}");
        let command = folder.command(&format!("run {run} -o rows.csv --overwrite"));
        let ran = run_after(command, || limit(libc::RLIMIT_MEMLOCK, 0));
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let found: Vec<String> = folder.read("rows.csv").lines().skip(1).map(str::to_owned).collect();
        assert!(found == folder.rows(&format!("{run} --io buffered")) || algorithm == "pagerank", "{algorithm}");
    }
}

#[test]
fn too_few_descriptors_are_an_error_and_no_wrong_answer() {
    let folder = folder_with_store();
    let expected = folder.rows("wcc g.outcrop");
    for most in [4, 6, 8, 10, 12, 16, 20, 24, 32] {
        let command = folder.command("run wcc g.outcrop -o rows.csv --overwrite --threads 2");
        let ran = run_after(command, move || limit(libc::RLIMIT_NOFILE, most));
        if ran.code == Some(0) {
            assert!(folder.read("rows.csv").lines().skip(1).eq(&expected), "{most} descriptors");
        } else {
            assert!(matches!(ran.code, Some(2 | 9)), "{most} descriptors: {ran:?}");
        }
    }
}
