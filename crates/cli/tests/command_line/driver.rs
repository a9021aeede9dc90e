//! Runs the `outcrop` command in a folder of its own.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// What no command of these tests takes, on any machine.
#[cfg(unix)]
const LONGEST_SECONDS: u32 = 600;

/// A folder with inputs and stores, in which commands run; it is gone with the test.
pub(crate) struct Folder(TempDir);

/// How a command ended and what it said.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    pub(crate) fn of(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("what is printed is UTF-8");
        Self { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// The one JSON object on stdout.
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.stdout.lines().count(), 1, "{self:?}");
        let value: Value = serde_json::from_str(&self.stdout).expect(&self.stdout);
        assert!(value.is_object(), "{value}");
        value
    }

    pub(crate) fn figure(&self, name: &str) -> u64 {
        self.json()[name].as_u64().unwrap_or_else(|| panic!("no {name} in {}", self.stdout))
    }
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self::inside(&std::env::temp_dir())
    }

    pub(crate) fn inside(parent: &Path) -> Self {
        Self(TempDir::new_in(parent).unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// What is in the folder, hidden things too.
    pub(crate) fn names(&self) -> Vec<String> {
        names_in(self.0.path())
    }

    /// A command that is yet to run; its arguments are the words of `arguments`. One that hangs is ended, so that its
    /// test fails and says which it was, where all tests together would wait for it until somebody ends them.
    pub(crate) fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_outcrop"));
        // SAFETY: between fork and exec only an alarm is set, which allocates nothing and takes no lock; it stays over
        // exec.
        #[cfg(unix)]
        unsafe {
            std::os::unix::process::CommandExt::pre_exec(&mut command, || {
                libc::alarm(LONGEST_SECONDS);
                Ok(())
            });
        }
        // What was measured of this machine's disks stays out of it.
        command.current_dir(self.0.path()).env("XDG_CACHE_HOME", self.path("no-cache"));
        command.args(arguments.split_whitespace()).stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, arguments: &str) -> Ran {
        Ran::of(self.command(arguments).output().unwrap())
    }

    /// Runs a command that must succeed.
    pub(crate) fn ok(&self, arguments: &str) -> Ran {
        let ran = self.run(arguments);
        assert_eq!(ran.code, Some(0), "outcrop {arguments}: {}", ran.stderr);
        ran
    }

    /// Runs a command that must fail with `code` and print nothing on stdout; the message.
    pub(crate) fn fails(&self, arguments: &str, code: i32) -> String {
        let ran = self.run(arguments);
        assert_eq!(ran.code, Some(code), "outcrop {arguments}: {ran:?}");
        assert_eq!(ran.stdout, "", "outcrop {arguments}");
        ran.stderr
    }

    /// Asserts that no checkpoint is left. The folder `kept` may be, if a process was killed just after it created it.
    pub(crate) fn assert_cleared(&self) {
        let kept = self.path("kept");
        assert!(!kept.exists() || std::fs::remove_dir(&kept).is_ok(), "{:?}", names_in(&kept));
    }

    /// Returns true if the folder `kept` has a checkpoint.
    pub(crate) fn has_checkpoint(&self) -> bool {
        let kept = self.path("kept");
        kept.exists() && names_in(&kept).iter().any(|name| name.starts_with("checkpoint-"))
    }

    /// Starts a command and kills it after `delay`; whether it was still running.
    pub(crate) fn kill(&self, arguments: &str, delay: Duration) -> bool {
        let mut command = self.command(arguments);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(delay);
        child.kill().unwrap();
        child.wait().unwrap().code().is_none()
    }

    /// [`Folder::kill`] at a moment within `whole`, the time that the command takes: where it had ended, that was too
    /// long.
    pub(crate) fn kill_within(&self, arguments: &str, whole: &mut Duration, dice: &mut Dice) -> bool {
        let delay = whole.mul_f64(dice.below(1000) as f64 / 1000.0);
        let killed = self.kill(arguments, delay);
        if !killed {
            *whole = delay;
        }
        killed
    }

    pub(crate) fn run_with_stdin(&self, arguments: &str, input: &[u8]) -> Ran {
        let mut command = self.command(arguments);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut pipe = child.stdin.take().unwrap();
        // A command that fails early closes its end, which is for the caller to judge by the outcome.
        _ = pipe.write_all(input);
        drop(pipe);
        Ran::of(child.wait_with_output().unwrap())
    }

    /// The value of an algorithm for every vertex: the lines of its CSV without the header.
    pub(crate) fn rows(&self, run: &str) -> Vec<String> {
        self.ok(&format!("run {run} -o rows.csv --overwrite"));
        let text = self.read("rows.csv");
        fs::remove_file(self.path("rows.csv")).unwrap();
        text.lines().skip(1).map(str::to_owned).collect()
    }

    /// [`Folder::rows`] without what depends on the order of the store: predecessors in breadth-first searches, of
    /// which there may be several.
    pub(crate) fn rows_in_any_order(&self, run: &str) -> Vec<String> {
        let mut rows = self.rows(run);
        if run.starts_with("bfs ") && run.contains("--columns all") {
            rows.iter_mut().for_each(|row| row.truncate(row.rfind(',').unwrap()));
        }
        rows
    }
}

/// Sends what Ctrl-C sends.
pub(crate) fn interrupt(child: &Child) {
    let id = i32::try_from(child.id()).unwrap();
    // SAFETY: sends a signal to a process that was started here and not yet waited for.
    assert_eq!(unsafe { libc::kill(id, libc::SIGINT) }, 0);
}

/// How long `work` takes here.
#[expect(clippy::disallowed_methods, reason = "kills are spread over the time that work takes; no time is asserted")]
pub(crate) fn time_of(work: impl FnOnce()) -> Duration {
    let watch = Instant::now();
    work();
    watch.elapsed()
}

/// Says on the terminal, past what collects the output of tests, that something cannot be tested here.
pub(crate) fn not_tested(reason: &str) {
    let mut terminal = std::io::stderr().lock();
    writeln!(terminal, "NOT TESTED: {reason}").unwrap();
}

pub(crate) fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Every file of a store with its bytes, but for the history of runs.
pub(crate) fn contents(store: &Path) -> BTreeMap<String, Vec<u8>> {
    names_in(store)
        .into_iter()
        .filter(|name| name != "runs")
        .map(|name| (name.clone(), fs::read(store.join(name)).unwrap()))
        .collect()
}

/// The algorithms and the parameters without which they do not run, from vertex 0.
pub(crate) const RUNS: [(&str, &str); 8] = [
    ("bfs", "--source 0 --columns all"),
    ("sssp", "--source 0 --columns all"),
    ("wcc", ""),
    ("pagerank", ""),
    ("kcore", ""),
    ("triangles", ""),
    ("lcc", ""),
    ("scc", ""),
];

/// The seed in `OUTCROP_SEED`.
pub(crate) fn seed() -> Option<u64> {
    std::env::var("OUTCROP_SEED").ok().map(|seed| seed.parse().unwrap())
}

/// Numbers that look random and are the same for the same seed.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// From the seed in `OUTCROP_SEED`, or else from `usual`; it is printed, so that a failure can be had again.
    pub(crate) fn seeded(usual: u64) -> Self {
        let seed = seed().unwrap_or(usual);
        println!("OUTCROP_SEED={seed}");
        Self(seed)
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) % bound
    }
}
