//! Files that are read again, with random damage: the right answer or a clean error, never a wrong answer, a panic, a
//! signal, a hang or memory without bound.

use crate::driver::{Dice, Folder, Ran, interrupt, seed};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_ipc::reader::FileReader;
use outcrop_fuzz::{Seal, UNIT};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::sync::Arc;

/// Memory that every command gets, and what its process may have in memory: 64 MiB besides. What is asked of the system
/// may be more, for stacks of threads that are never touched.
const MEMORY: &str = "--memory 64MiB --threads 2";
const RESIDENT_LIMIT: u64 = 128 << 20;
const DATA_LIMIT: u64 = 320 << 20;
/// Seconds after which a command counts as hanging, on any machine.
const LONGEST_SECONDS: u32 = 120;
/// Findings after which a campaign ends.
const MOST_FINDINGS: usize = 20;

/// Damage that is done to files, and what then is to come of a command.
struct Subject {
    folder: Folder,
    /// Files that are damaged, and what stands in them.
    files: Vec<(PathBuf, Vec<u8>)>,
    /// A folder that is as it was before each command.
    kept: Option<(PathBuf, BTreeMap<String, Vec<u8>>)>,
    commands: Vec<String>,
    right: Right,
}

/// The rows that are right.
enum Right {
    /// Those of the undamaged files.
    These(String),
    /// Those that another reader finds in the damaged file, where it finds any: the file has no checksums.
    Read(fn(&Path) -> Option<Vec<Row>>),
    /// Any: damage that is not found may change them.
    Any,
}

/// Source, target and weight.
type Row = (i64, i64, f64);

impl Subject {
    fn new(folder: Folder, files: &[String], commands: &[&str]) -> Self {
        let read = |name: &String| (folder.path(name), fs::read(folder.path(name)).unwrap());
        let files: Vec<_> = files.iter().map(read).filter(|(_, bytes)| !bytes.is_empty()).collect();
        assert!(!files.is_empty());
        let commands = commands.iter().map(|command| (*command).to_owned()).collect();
        Self { folder, files, kept: None, commands, right: Right::Any }
    }

    /// With a folder that commands change.
    fn keeping(mut self, name: &str) -> Self {
        let path = self.folder.path(name);
        let names = crate::driver::names_in(&path).into_iter();
        let files = names.map(|file| (file.clone(), fs::read(path.join(file)).unwrap())).collect();
        self.kept = Some((path, files));
        self
    }

    /// With the rows of the undamaged files as those that are right.
    fn strict(mut self) -> Self {
        self.assert_answers();
        self.right = Right::These(self.folder.read("rows.csv"));
        self
    }

    /// True if the rows that were written, after commands of which some or all succeeded, are not those that are right.
    fn is_other(&self, place: usize, resealed: bool, ended: &[Ran]) -> bool {
        let succeeded = |ran: &Ran| ran.code == Some(0);
        let Ok(written) = fs::read_to_string(self.folder.path("rows.csv")) else { return false };
        match &self.right {
            // What has right checksums is another graph, unless it is refused.
            Right::These(rows) => !resealed && ended.iter().any(succeeded) && written != *rows,
            Right::Read(read) if ended.iter().all(succeeded) => {
                read(&self.files[place].0).is_some_and(|rows| rows != rows_in(&written))
            }
            Right::Read(_) | Right::Any => false,
        }
    }

    /// Puts everything back that commands and damage have changed.
    fn restore(&self) {
        if let Some((path, files)) = &self.kept {
            _ = fs::remove_dir_all(path);
            fs::create_dir(path).unwrap();
            files.iter().for_each(|(name, bytes)| fs::write(path.join(name), bytes).unwrap());
        }
        for (path, bytes) in &self.files {
            fs::write(path, bytes).unwrap();
        }
        _ = fs::remove_file(self.folder.path("rows.csv"));
        _ = fs::remove_dir_all(self.folder.path("out.outcrop"));
    }

    /// Runs the commands on the undamaged files.
    fn assert_answers(&self) {
        self.restore();
        let ended: Vec<_> = self.commands.iter().map(|command| self.run(command).0).collect();
        assert!(ended.iter().all(|ran| ran.code == Some(0)), "{ended:?}");
    }

    /// Runs a command; how it ended, and the most bytes that it had in memory.
    #[expect(clippy::zombie_processes, reason = "it is waited for by the call that tells of its memory")]
    fn run(&self, command: &str) -> (Ran, u64) {
        let memory = if command.starts_with("runs ") { "" } else { MEMORY };
        let mut command = self.folder.command(&format!("{command} {memory}"));
        let said = ["stdout", "stderr"].map(|name| self.folder.path(name));
        command.stdout(fs::File::create(&said[0]).unwrap()).stderr(fs::File::create(&said[1]).unwrap());
        // SAFETY: between fork and exec only limits are set, which allocates nothing and takes no lock.
        unsafe {
            command.pre_exec(|| {
                let limit = libc::rlimit { rlim_cur: DATA_LIMIT, rlim_max: DATA_LIMIT };
                libc::setrlimit(libc::RLIMIT_DATA, &raw const limit);
                libc::alarm(LONGEST_SECONDS);
                Ok(())
            });
        }
        let child = command.spawn().unwrap();
        let (mut status, id) = (0, i32::try_from(child.id()).unwrap());
        // SAFETY: zeros are a valid `rusage`, which the call fills for a process that was started here and not yet
        // waited for.
        let usage = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            assert_eq!(libc::wait4(id, &raw mut status, 0, &raw mut usage), id);
            usage
        };
        let [stdout, stderr] = said.map(|path| fs::read(path).unwrap());
        let status = std::process::ExitStatus::from_raw(status);
        (Ran::of(Output { status, stdout, stderr }), u64::try_from(usage.ru_maxrss).unwrap() << 10)
    }

    /// Runs the commands on `count` mutants of the files; what was found, and how many were refused and gave the right
    /// answer.
    fn campaign(&self, name: &str, count: u64) {
        let first = seed().unwrap_or(1);
        let (mut refused, mut right, mut most, mut findings) = (0_u64, 0_u64, 0, Vec::new());
        for number in 0..count {
            let mut dice = Dice(first.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number);
            self.restore();
            let place = dice.below(self.files.len() as u64) as usize;
            let resealed = self.damage(place, &mut dice);
            let (ended, resident): (Vec<_>, Vec<_>) = self.commands.iter().map(|command| self.run(command)).unzip();
            most = resident.into_iter().fold(most, u64::max);
            let wrong = ended.iter().find(|ran| !matches!(ran.code, Some(0 | 2..=9)));
            let other = self.is_other(place, resealed, &ended);
            if wrong.is_some() || other || most > RESIDENT_LIMIT {
                let said = wrong.or_else(|| ended.first());
                findings.push(format!(
                    "{name}: mutant {number} of seed {first}, resealed {resealed}, {} MiB: {said:?}",
                    most >> 20
                ));
            }
            let failed = ended.iter().any(|ran| ran.code != Some(0));
            (refused, right) = (refused + u64::from(failed), right + u64::from(!failed));
            if findings.len() == MOST_FINDINGS {
                break;
            }
        }
        println!("OUTCROP_SEED={first}");
        let (found, most) = (findings.len(), most >> 20);
        println!("{name}: {refused} mutants refused, {right} answered, {found} findings, at most {most} MiB in memory");
        assert!(findings.is_empty(), "{}", findings.join("\n"));
    }

    /// Damages one of the files; true if it has right checksums afterwards.
    fn damage(&self, place: usize, dice: &mut Dice) -> bool {
        let (path, bytes) = &self.files[place];
        let other = &self.files[dice.below(self.files.len() as u64) as usize].1;
        let mut mutant = bytes.clone();
        for _ in 0..=dice.below(3) {
            mutate(&mut mutant, other, dice);
        }
        let seal = seal_of(path, bytes).filter(|_| dice.below(3) > 0);
        if let Some(seal) = seal {
            seal.renew(&mut mutant);
        }
        fs::write(path, &mutant).unwrap();
        seal.is_some()
    }
}

/// Changes something.
fn mutate(bytes: &mut Vec<u8>, other: &[u8], dice: &mut Dice) {
    let Some(length) = Some(bytes.len()).filter(|length| *length > 0) else { return bytes.push(1) };
    let mut below = |bound: usize| dice.below(bound.max(1) as u64) as usize;
    let place = below(length);
    match below(10) {
        0 | 1 => bytes[place] ^= 1 << below(8),
        2 => bytes[place] = below(256) as u8,
        // Numbers that are often lengths, counts or places.
        3 | 4 => {
            let number =
                [0, 1, 0x7f, 0xff, 0xffff, 1 << 31, u64::from(u32::MAX), 1 << 40, 1 << 63, u64::MAX][below(10)];
            let width = [1, 2, 4, 8][below(4)];
            let place = place / width * width;
            let end = length.min(place + width);
            bytes[place..end].copy_from_slice(&number.to_le_bytes()[..end - place]);
        }
        5 => bytes.truncate(place),
        6 => bytes.extend((0..=below(UNIT)).map(|_| 0)),
        7 => {
            let from = below(other.len());
            let count = below(64.min(other.len() - from) + 1).min(length - place);
            bytes[place..place + count].copy_from_slice(&other[from..from + count]);
        }
        // Whole units, which are as they were in another place.
        8 => {
            let (one, two) = (place / UNIT * UNIT, below(length) / UNIT * UNIT);
            let count = UNIT.min(length - one.max(two));
            let unit = bytes[two..two + count].to_vec();
            bytes[one..one + count].copy_from_slice(&unit);
        }
        _ => {
            let end = length.min(place + 1 + below(UNIT));
            bytes.drain(place..end);
        }
    }
}

/// How a file gets its checksums; `None` if it has none.
fn seal_of(path: &Path, bytes: &[u8]) -> Option<Seal> {
    let manifest = fs::read(path.with_file_name("manifest.json")).ok();
    Seal::of(path, bytes, manifest.as_deref())
}

/// A folder with the store `g.outcrop` of edges with weights and times, and two updates beside its lists.
fn folder_with_store() -> Folder {
    let folder = Folder::new();
    let mut dice = Dice(3);
    let mut lines = |count: u64| {
        (0..count).fold(String::new(), |mut text, edge| {
            writeln!(text, "{},{},{},{edge}", dice.below(150), dice.below(150) * 7, dice.below(9) + 1).unwrap();
            text
        })
    };
    folder.write("edges.csv", lines(900));
    folder.write("first.csv", lines(40));
    folder.write("second.csv", lines(40));
    folder.write("gone.csv", "1,7\n2,14\n3,21\n");
    folder.ok("build edges.csv g.outcrop --weighted --timed --layout csr");
    folder.ok("update g.outcrop --add first.csv --merge-above never");
    folder.ok("update g.outcrop --add second.csv --remove gone.csv --merge-above never");
    folder
}

fn names(folder: &Folder, within: &str, wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let names = crate::driver::names_in(&folder.path(within)).into_iter();
    names.filter(|name| wanted(name)).map(|name| format!("{within}/{name}")).collect()
}

fn journal() -> Subject {
    let folder = folder_with_store();
    let files = names(&folder, "g.outcrop", |name| name.starts_with("journal"));
    Subject::new(folder, &files, &["run wcc g.outcrop --between 20 800 --no-history -o rows.csv"]).strict()
}

fn updates() -> Subject {
    let folder = folder_with_store();
    let files = names(&folder, "g.outcrop", |name| name.contains("updates"));
    Subject::new(folder, &files, &["run sssp g.outcrop --source 1 --no-history -o rows.csv"]).strict()
}

fn checkpoint_of_a_run() -> Subject {
    let folder = folder_with_store();
    let run = "run pagerank g.outcrop --iterations 300 --no-history --checkpoint-dir kept --resume";
    let mut command = folder.command(&format!("{run} --checkpoint-every 0s --progress json -o rows.csv {MEMORY}"));
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    while !lines.next().expect("the run goes on").unwrap().contains("\"iteration\"") {}
    interrupt(&child);
    lines.for_each(drop);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let files = names(&folder, "kept", |name| name.starts_with("checkpoint-"));
    Subject::new(folder, &files, &[&format!("{run} -o rows.csv")]).keeping("kept").strict()
}

fn checkpoint_of_a_build() -> Subject {
    let folder = folder_with_store();
    let build = "build edges.csv out.outcrop --weighted --checkpoint-dir kept";
    let is_checkpoint = |name: &str| name.starts_with("checkpoint-");
    // A build that ends before it is killed is made again.
    while !folder.path("kept").exists() || names(&folder, "kept", is_checkpoint).is_empty() {
        _ = fs::remove_dir_all(folder.path("kept"));
        _ = fs::remove_dir_all(folder.path("out.outcrop"));
        let mut command = folder.command(&format!("{build} --checkpoint-every 0s --progress json {MEMORY}"));
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        while lines.next().is_some_and(|line| !line.unwrap().contains("writing lists")) {}
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let files = names(&folder, "kept", |name| !name.ends_with("lock"));
    let commands = [format!("{build} --resume"), "run sssp out.outcrop --source 1 --no-history -o rows.csv".to_owned()];
    Subject::new(folder, &files, &commands.each_ref().map(String::as_str)).keeping("kept").strict()
}

fn incremental_result() -> Subject {
    let folder = folder_with_store();
    let run = "run sssp g.outcrop --source 1 --no-history --incremental kept -o rows.csv";
    folder.ok(&format!("{run} {MEMORY}"));
    folder.ok("update g.outcrop --add edges.csv --merge-above never");
    let files = names(&folder, "kept", |name| name.starts_with("result-"));
    Subject::new(folder, &files, &[run]).keeping("kept").strict()
}

fn history() -> Subject {
    let folder = folder_with_store();
    folder.ok("run wcc g.outcrop");
    folder.ok("run bfs g.outcrop --source 1");
    let files = names(&folder, "g.outcrop/runs", |_| true);
    let run = files[1].trim_start_matches("g.outcrop/runs/").trim_end_matches(".json");
    let subject = Subject::new(folder, &files, &["runs g.outcrop", &format!("runs g.outcrop {run} --json")]);
    subject.assert_answers();
    subject
}

fn selection() -> Subject {
    let folder = folder_with_store();
    folder.ok("cache g.outcrop --size 60% --select gvs --keep");
    let files = names(&folder, "g.outcrop", |name| name.starts_with("static."));
    let run = "run sssp g.outcrop --source 1 --no-history --static-cache 100% --page-cache 64KiB -o rows.csv";
    Subject::new(folder, &files, &[run]).strict()
}

fn edges() -> RecordBatch {
    let numbers = |factor: i64| Int64Array::from_iter_values((0..400).map(move |row| row * factor % 77));
    let texts = |count: i64| StringArray::from_iter_values((0..400).map(|row| format!("vertex {}", row % count)));
    let weights = Float64Array::from_iter_values((0..400).map(f64::from));
    let columns: [(&str, ArrayRef); 5] = [
        ("source", Arc::new(numbers(5))),
        ("target", Arc::new(numbers(3))),
        ("name", Arc::new(texts(31))),
        ("friend", Arc::new(texts(29))),
        ("weight", Arc::new(weights)),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

/// Rows of `source,target,weight`.
fn rows_in(text: &str) -> Vec<Row> {
    let row = |line: &str| {
        let mut fields = line.split(',');
        let mut field = || fields.next().unwrap();
        (field().parse().unwrap(), field().parse().unwrap(), field().parse().unwrap())
    };
    ascending(text.lines().map(row).collect())
}

fn ascending(mut rows: Vec<Row>) -> Vec<Row> {
    rows.sort_by(|one, other| (one.0, one.1).cmp(&(other.0, other.1)).then(one.2.total_cmp(&other.2)));
    rows
}

/// What a reader without bounds finds in a file that was read.
fn read(batches: impl FnOnce() -> Option<Vec<RecordBatch>>) -> Option<Vec<Row>> {
    let batches = std::panic::catch_unwind(std::panic::AssertUnwindSafe(batches)).ok()??;
    let rows = batches.iter().map(|batch| {
        let numbers = |name| batch.column_by_name(name)?.as_primitive_opt::<Int64Type>();
        let (sources, targets) = (numbers("source")?, numbers("target")?);
        let weights = batch.column_by_name("weight")?.as_primitive_opt::<Float64Type>()?;
        let row = |row| (sources.value(row), targets.value(row), weights.value(row));
        Some((0..batch.num_rows()).map(row).collect::<Vec<_>>())
    });
    Some(ascending(rows.collect::<Option<Vec<_>>>()?.concat()))
}

fn rows_of_parquet(path: &Path) -> Option<Vec<Row>> {
    read(|| {
        let reader = ParquetRecordBatchReaderBuilder::try_new(fs::File::open(path).ok()?).ok()?;
        reader.build().ok()?.collect::<Result<_, _>>().ok()
    })
}

fn rows_of_arrow(path: &Path) -> Option<Vec<Row>> {
    read(|| FileReader::try_new(fs::File::open(path).ok()?, None).ok()?.collect::<Result<_, _>>().ok())
}

/// Inputs have no checksums of everything: what is damaged may be another graph.
fn table(name: &str, rows: fn(&Path) -> Option<Vec<Row>>) -> Subject {
    let folder = Folder::new();
    let (batch, file) = (edges(), fs::File::create(folder.path(name)).unwrap());
    if name.ends_with(".parquet") {
        let mut writer = parquet::arrow::ArrowWriter::try_new(file, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
    } else {
        let mut writer = arrow_ipc::writer::FileWriter::try_new(file, &batch.schema()).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
    }
    let texts = format!("build {name} out.outcrop --source-column name --target-column friend --ids string");
    let numbers = format!("build {name} out.outcrop --weight weight --ids integer --overwrite");
    let export = "export out.outcrop rows.csv --overwrite";
    let mut subject = Subject::new(folder, &[name.to_owned()], &[&texts, &numbers, export]);
    subject.assert_answers();
    subject.right = Right::Read(rows);
    assert!(!subject.is_other(0, false, &[]));
    subject
}

/// Makes a subject.
type Make = fn() -> Subject;

const SUBJECTS: [(&str, Make); 9] = [
    ("journal", journal),
    ("updates", updates),
    ("checkpoint of a run", checkpoint_of_a_run),
    ("checkpoint of a build", checkpoint_of_a_build),
    ("incremental result", incremental_result),
    ("history", history),
    ("selection", selection),
    ("Parquet", || table("edges.parquet", rows_of_parquet)),
    ("Arrow", || table("edges.arrow", rows_of_arrow)),
];

#[test]
fn some_mutants_of_every_file_are_refused_or_answered_right() {
    for (name, subject) in SUBJECTS {
        subject().campaign(name, 12);
    }
}

/// The campaign of one kind of file: `OUTCROP_MUTANTS` of them.
fn long(kind: usize) {
    let count = std::env::var("OUTCROP_MUTANTS").map_or(20_000, |count| count.parse().unwrap());
    let (name, subject) = SUBJECTS[kind];
    subject().campaign(name, count);
}

macro_rules! campaigns {
    ($($name:ident $kind:literal)*) => {$(
        #[test]
        #[ignore = "takes several minutes"]
        fn $name() {
            long($kind);
        }
    )*};
}

campaigns! {
    mutants_of_journals 0
    mutants_of_updates 1
    mutants_of_checkpoints_of_runs 2
    mutants_of_checkpoints_of_builds 3
    mutants_of_incremental_results 4
    mutants_of_histories 5
    mutants_of_selections 6
    mutants_of_parquet 7
    mutants_of_arrow 8
}

#[test]
fn checksums_of_mutants_are_made_as_they_were() {
    for subject in
        [journal(), updates(), checkpoint_of_a_run(), checkpoint_of_a_build(), incremental_result(), selection()]
    {
        let sealed = subject.files.iter().filter(|(path, bytes)| seal_of(path, bytes).is_some()).count();
        assert!(sealed > 0, "{:?}", subject.commands);
    }
}
