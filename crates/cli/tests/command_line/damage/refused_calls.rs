//! Every call of the system refused in turn, as SQLite tests its errors: the command does without it or ends with an
//! error, nothing half done is left, and the same command succeeds afterwards.
#![cfg(target_os = "linux")]

use crate::driver::{Folder, Ran, names_in, not_tested, seed};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Calls that are refused, with what error.
const REFUSALS: [(&str, &str, &str); 11] = [
    ("memory", "?mmap,?mremap,?brk", "ENOMEM"),
    ("thread", "?clone,?clone3", "EAGAIN"),
    ("open", "?open,?openat,?openat2", "EMFILE"),
    ("read", "?read,?pread64,?preadv,?readv", "EIO"),
    ("write", "?write,?pwrite64,?writev,?pwritev", "ENOSPC"),
    ("size", "?ftruncate,?fallocate,?lseek", "ENOSPC"),
    ("sync", "?fsync,?fdatasync,?sync_file_range,?syncfs", "EIO"),
    ("name", "?rename,?renameat,?renameat2,?link,?linkat,?mkdir,?mkdirat,?symlinkat", "EIO"),
    ("removal", "?unlink,?unlinkat,?rmdir", "EIO"),
    ("state", "?stat,?lstat,?fstat,?newfstatat,?statx,?getdents64,?statfs,?fstatfs", "EIO"),
    ("lock and ring", "?flock,?fcntl,?io_uring_setup,?io_uring_enter,?io_uring_register", "EAGAIN"),
];

/// Messages of the loader, the C library and the standard library, which end a process before it runs anything of ours.
const STARTS: [&str; 4] = [
    "error while loading shared libraries",
    "failed to register TLS destructor",
    "failed to allocate an alternative stack",
    "failed to initialize",
];

/// A command, and the file or store that it makes or changes.
struct Subject {
    command: &'static str,
    made: &'static str,
}

const SUBJECTS: [Subject; 9] = [
    Subject { command: "build new.csv made.outcrop --weighted --dedup first", made: "made.outcrop" },
    Subject { command: "build new.csv old.outcrop --weighted --overwrite --layout csr", made: "old.outcrop" },
    Subject { command: "convert old.outcrop made.outcrop --layout chunked", made: "made.outcrop" },
    Subject { command: "update old.outcrop --add new.csv --id one --merge-above never", made: "old.outcrop" },
    Subject { command: "update old.outcrop --add new.csv --id one --merge-above 0%", made: "old.outcrop" },
    Subject { command: "run sssp old.outcrop --source 1 --no-history -o made.csv", made: "made.csv" },
    Subject {
        command: "run pagerank old.outcrop --model gas --unweighted --iterations 3 --no-history --checkpoint-dir kept \
                  --checkpoint-every 0s --resume -o made.csv",
        made: "made.csv",
    },
    Subject { command: "run wcc old.outcrop --no-history --incremental kept -o made.csv", made: "made.csv" },
    Subject { command: "export old.outcrop made.csv", made: "made.csv" },
];

const SETTINGS: &str = "--memory 48MiB --threads 2";

/// Copies the files of a folder, and of folders in it.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for name in names_in(from) {
        let (from, to) = (from.join(&name), to.join(&name));
        if from.is_dir() { copy(&from, &to) } else { _ = fs::copy(from, to).unwrap() }
    }
}

/// A folder with a store and edges.
fn folder() -> Folder {
    let folder = Folder::new();
    let lines =
        |count: u64, step: u64| (0..count).map(move |edge| format!("{},{},{}\n", edge % 97, edge * step % 101, edge));
    folder.write("edges.csv", lines(700, 13).collect::<String>());
    folder.write("new.csv", lines(90, 7).collect::<String>());
    folder.ok("build edges.csv old.outcrop --weighted");
    fs::remove_file(folder.path("edges.csv")).unwrap();
    folder
}

impl Subject {
    /// What is there: the file, or the edges of the store, which must be intact; `None` if it is absent.
    fn state(&self, folder: &Folder) -> Option<String> {
        let path = folder.path(self.made);
        if path.is_dir() {
            folder.ok(&format!("check {}", self.made));
            folder.ok(&format!("export {} state.csv", self.made));
            let state = folder.read("state.csv");
            fs::remove_file(folder.path("state.csv")).unwrap();
            return Some(state);
        }
        path.exists().then(|| folder.read(self.made))
    }

    fn run(&self, folder: &Folder) -> Ran {
        folder.run(&format!("{} {SETTINGS}", self.command))
    }
}

/// Runs a command while the `number`-th of some calls is refused in each of its threads; `None` if there is no such
/// call.
fn refuse(folder: &Folder, command: &str, calls: &str, error: &str, number: u64) -> Option<Ran> {
    let trace = tempfile::NamedTempFile::new().unwrap();
    let words = folder.command(&format!("{command} {SETTINGS}"));
    let mut strace = Command::new("timeout");
    strace.args(["--signal=KILL", "120", "strace", "-f", "-qq", "--seccomp-bpf", "-o"]).arg(trace.path());
    strace.args(["-e", &format!("trace={calls}"), "-e", &format!("inject={calls}:error={error}:when={number}")]);
    strace.arg(words.get_program()).args(words.get_args()).current_dir(words.get_current_dir().unwrap());
    let output = strace.env("XDG_CACHE_HOME", "no-cache").output().unwrap();
    let injected = fs::read_to_string(trace.path()).unwrap().contains("(INJECTED)");
    injected.then(|| Ran::of(output))
}

/// Counts of refusals that commands survived, and of those that ended them.
#[derive(Default)]
struct Counts {
    survived: u64,
    ended: u64,
    /// Commands that failed after what they make was complete.
    made: u64,
}

/// Number of calls before the program runs anything of ours: at most as many as `--version` makes.
fn calls_of_a_start(folder: &Folder, calls: &str) -> u64 {
    let trace = tempfile::NamedTempFile::new().unwrap();
    let mut strace = Command::new("strace");
    strace.args(["-qq", "-e", &format!("trace={calls}"), "-o"]).arg(trace.path());
    let ran = strace.arg(folder.command("").get_program()).arg("--version").output().unwrap();
    assert!(ran.status.success(), "{ran:?}");
    fs::read_to_string(trace.path()).unwrap().lines().count() as u64
}

/// States before and after a command.
struct States {
    before: Option<String>,
    after: Option<String>,
    /// Names in the folder before.
    names: Vec<String>,
}

impl States {
    /// Runs the command without refusals.
    fn of(subject: &Subject, template: &Folder) -> Self {
        let good = Folder::new();
        copy(&template.path(""), &good.path(""));
        let (before, names) = (subject.state(&good), good.names());
        assert_eq!(subject.run(&good).code, Some(0), "{}", subject.command);
        Self { before, after: subject.state(&good), names }
    }
}

/// Kind of calls, with the number of those before the program runs anything of ours.
type Refusal = ((&'static str, &'static str, &'static str), u64);

/// Refuses every `step`-th call of one kind, from `first`.
fn campaign(
    template: &Folder,
    subject: &Subject,
    states: &States,
    refusal: Refusal,
    first: u64,
    step: usize,
) -> Counts {
    let ((kind, calls, error), start) = refusal;
    let States { before, after, names } = states;
    let mut counts = Counts::default();
    for number in (first..).step_by(step) {
        let folder = Folder::new();
        copy(&template.path(""), &folder.path(""));
        let Some(ran) = refuse(&folder, subject.command, calls, error, number) else { break };
        let what = format!("{kind} {number} ({error}) of {}: {ran:?}", subject.command);
        let early = number <= start && ran.stdout.is_empty() && ran.stderr.is_empty()
            || STARTS.iter().any(|start| ran.stderr.contains(start));
        assert!(early || matches!(ran.code, Some(0 | 2..=9)), "{what}");
        let found = subject.state(&folder);
        match ran.code {
            Some(0) => {
                assert!(found == *after, "{what}");
                counts.survived += 1;
            }
            _ => {
                assert!(found == *before || found == *after, "{what}");
                counts.made += u64::from(found != *before);
                counts.ended += 1;
            }
        }
        let left: Vec<_> =
            folder.names().into_iter().filter(|name| !names.contains(name) && name != subject.made).collect();
        // The next command removes the folder of a killed build, and an old store that could not be removed.
        let killed = early && ran.code.is_none();
        let removable = |name: &str| (killed || ran.code == Some(0)) && name.contains(".outcrop.tmp-");
        let own = |name: &String| name == "kept" || matches!(kind, "removal" | "state") || removable(name);
        assert!(left.iter().all(own), "{what}\nleft {left:?}");
        // A build of what is there already needs --overwrite.
        if found == *before {
            let again = subject.run(&folder);
            assert!(again.code == Some(0) && subject.state(&folder) == *after, "{what}\nrepeated: {again:?}");
        }
    }
    counts
}

/// Returns true if commands can be traced here.
fn can_refuse(folder: &Folder) -> bool {
    if Command::new("strace").arg("-V").output().is_err() {
        not_tested("there is no strace here, which refuses calls of the system");
        return false;
    }
    let traced = refuse(folder, "--version", "?write", "ENOSPC", 1).is_some();
    if !traced {
        not_tested("strace may not trace here");
    }
    traced
}

fn refuse_calls(step: usize) {
    let template = folder();
    if !can_refuse(&template) {
        return;
    }
    let seed = seed().unwrap_or(1);
    println!("OUTCROP_SEED={seed}");
    let refusals = REFUSALS.map(|refusal| (refusal, calls_of_a_start(&template, refusal.1)));
    let mut all = Counts::default();
    for (place, subject) in (0..).zip(&SUBJECTS) {
        let states = States::of(subject, &template);
        for (kind, refusal) in (0..).zip(refusals) {
            let first = 1 + (seed + place + kind) % step as u64;
            let counts = campaign(&template, subject, &states, refusal, first, step);
            if step == 1 {
                println!(
                    "{}, {}: survived {}, ended {} ({})",
                    subject.command, refusal.0.0, counts.survived, counts.ended, counts.made
                );
            }
            all.survived += counts.survived;
            all.ended += counts.ended;
            all.made += counts.made;
        }
    }
    println!(
        "{} refused calls survived, {} ended the command, {} of them after its result",
        all.survived, all.ended, all.made
    );
    assert!(all.survived > 0 && all.ended > 0);
}

#[test]
fn a_refused_call_is_survived_or_ends_the_command_cleanly() {
    refuse_calls(31);
}

#[test]
#[ignore = "takes minutes"]
fn every_refused_call_is_survived_or_ends_the_command_cleanly() {
    refuse_calls(1);
}
