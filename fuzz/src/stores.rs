//! Stores and what belongs to them: lists, updates, selections, checkpoints, incremental results, run histories.

use crate::edits::{Choices, Files, edit, files_of, write};
use crate::{expect_ordinary, new_folder, scratch};
use outcrop::{
    Arg, BuildRequest, BuildResources, CacheSize, Cancellation, CheckpointOptions, Codec, CompactSettings, CsrSettings,
    EdgeInput, EdgeListOptions, ExportRequest, Graph, InputOptions, IterationRecord, Layout, LayoutKind, MemorySize,
    MergeRule, Observer, OpenOptions, Publishing, Result, Rounds, RunRequest, SelectionRequest, Selector, Silent,
    SlidingSettings, StoreForm, UpdateRequest, build, run_entry, runs, update,
};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

const MEMORY: MemorySize = MemorySize::Bytes(64 << 20);
pub(crate) const STORE: &str = "g.outcrop";
/// Folder of checkpoints or of an incremental result.
const KEPT: &str = "kept";

/// Files, and the answers of [`ask`] or [`resume`] for them.
struct Subject {
    files: Files,
    answers: Vec<Vec<u8>>,
}

/// Results of a question: the bytes of an answer.
type Answers = Vec<Result<Vec<u8>>>;

/// Edits a store of one of the layouts, and asks it.
pub(crate) fn stores(data: &[u8]) {
    static SUBJECTS: OnceLock<Vec<Subject>> = OnceLock::new();
    let subjects =
        SUBJECTS.get_or_init(|| layouts().into_iter().map(|layout| subject(&build_store(layout), ask)).collect());
    attempt(&subjects[usize::from(choice(data)) % subjects.len()], data, |_| true, ask);
}

/// Edits a checkpoint, an incremental result or a run history, and continues with it.
pub(crate) fn states(data: &[u8]) {
    static SUBJECTS: OnceLock<[Subject; 3]> = OnceLock::new();
    let subjects = SUBJECTS.get_or_init(|| [checkpoint(), incremental(), history()]);
    let kind = usize::from(choice(data)) % subjects.len();
    let folders = [KEPT, KEPT, "g.outcrop/runs"];
    let resume = [resume_checkpoint, resume_incremental, read_history][kind];
    attempt(&subjects[kind], data, |name| name.starts_with(folders[kind]), resume);
}

fn choice(data: &[u8]) -> u8 {
    data.first().copied().unwrap_or(0)
}

fn attempt(subject: &Subject, data: &[u8], wanted: impl Fn(&Path) -> bool, ask: impl Fn(&Path) -> Answers) {
    let (mut files, folder) = (subject.files.clone(), scratch());
    let resealed = edit(&mut files, wanted, &mut Choices(data.get(1..).unwrap_or(&[])));
    write(&files, &folder);
    for (place, (found, right)) in ask(&folder).iter().zip(&subject.answers).enumerate() {
        match found {
            Ok(found) => assert!(found == right || resealed && files != subject.files, "answer {place} is wrong"),
            Err(error) => {
                expect_ordinary(error);
                assert!(files != subject.files, "{error}");
            }
        }
    }
}

fn text() -> EdgeListOptions {
    EdgeListOptions { weighted: true, timed: true, ..EdgeListOptions::default() }
}

fn lines(count: u64, step: u64) -> String {
    (0..count).map(|edge| format!("{},{},{},{edge}\n", edge % 61, edge * step % 67, edge % 9 + 1)).collect()
}

/// Builds a store with pending updates and selected lists in a new folder.
pub(crate) fn build_store(layout: Layout) -> tempfile::TempDir {
    let (folder, kind) = (new_folder(), layout.kind());
    let path = |name: &str| folder.path().join(name);
    for (name, lines) in [("edges.csv", lines(500, 13)), ("new.csv", lines(60, 7))] {
        std::fs::write(path(name), lines).unwrap();
    }
    let request = BuildRequest {
        input: InputOptions { text: text(), ..InputOptions::default() },
        form: StoreForm { layout, ..StoreForm::default() },
        resources: BuildResources { memory: MEMORY, threads: Some(1), temp_folder: None },
        publishing: Publishing::default(),
        ..BuildRequest::new(vec![EdgeInput::from(path("edges.csv"))], path(STORE))
    };
    build(&request, &Cancellation::new(), &Silent).unwrap();
    add(&path("new.csv"), &path(STORE));
    if kind != LayoutKind::Sliding {
        let selector = Selector::Gvs(Rounds::OneByOne);
        let request = SelectionRequest { size: CacheSize::Percent(50.0), selector, keep: true };
        open(folder.path(), false).unwrap().select(&request).unwrap();
    }
    for name in ["edges.csv", "new.csv"] {
        std::fs::remove_file(path(name)).unwrap();
    }
    folder
}

fn add(edges: &Path, store: &Path) {
    let add = vec![EdgeInput::from(edges.to_owned())];
    let request = UpdateRequest {
        add,
        text: text(),
        merge: MergeRule::Never,
        memory: MEMORY,
        threads: Some(1),
        ..UpdateRequest::new(store)
    };
    update(&request, &Cancellation::new(), &Silent).unwrap();
}

pub(crate) fn open(folder: &Path, history: bool) -> Result<Graph> {
    Graph::open(
        &folder.join(STORE),
        OpenOptions { memory: MEMORY, threads: Some(1), history, ..OpenOptions::default() },
    )
}

/// Returns every layout, and every codec.
pub(crate) fn layouts() -> [Layout; 6] {
    let compact = |codec| Layout::Compact(CompactSettings { codec });
    let sliding = Layout::Sliding(SlidingSettings::default());
    [Layout::default(), compact(Codec::Packed), compact(Codec::Alternating), compact(Codec::Runs), csr(), sliding]
}

fn csr() -> Layout {
    Layout::Csr(CsrSettings::default())
}

fn subject(folder: &tempfile::TempDir, ask: impl Fn(&Path) -> Answers) -> Subject {
    let files = files_of(folder.path());
    let place = scratch();
    write(&files, &place);
    let answers = ask(&place).into_iter().map(|answer| answer.unwrap_or_else(|error| panic!("{error}"))).collect();
    Subject { files, answers }
}

/// Runs, exports, salvages and checks a store.
fn ask(folder: &Path) -> Answers {
    let source = || Arg::Ids(vec!["1".to_owned()]);
    let requests = [
        RunRequest::new("bfs").and_then(|run| run.with("source", source())),
        RunRequest::new("sssp").and_then(|run| run.with("source", source())),
        RunRequest::new("pagerank").and_then(|run| run.with("iterations", Arg::Count(2))),
        RunRequest::new("wcc").and_then(|run| run.with("model", Arg::Text("interval".to_owned()))),
        RunRequest::new("triangles"),
    ];
    let mut answers: Answers =
        requests.into_iter().map(|request| rows(&open(folder, false)?, &request.unwrap(), folder)).collect();
    let file = |name: &str| ExportRequest { overwrite: true, ..ExportRequest::new(folder.join(name)) };
    answers.push(
        open(folder, false)
            .and_then(|graph| graph.export(&file("edges.csv")))
            .map(|_| sorted(&folder.join("edges.csv"))),
    );
    answers.push(open(folder, false).and_then(|graph| graph.check()).map(|()| Vec::new()));
    if let Err(error) = open(folder, false).and_then(|graph| graph.salvage(&file("salvaged.csv"))) {
        expect_ordinary(&error);
    }
    answers
}

fn rows(graph: &Graph, request: &RunRequest<'_>, folder: &Path) -> Result<Vec<u8>> {
    let path = folder.join("rows.csv");
    let result = graph.run(request)?;
    result.table().write(&path, true)?;
    result.remove_checkpoint()?;
    Ok(std::fs::read(path).unwrap())
}

fn sorted(path: &Path) -> Vec<u8> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines: Vec<_> = text.lines().collect();
    lines.sort_unstable();
    lines.join("\n").into_bytes()
}

fn ranks(folder: &Path, checkpoints: bool) -> RunRequest<'static> {
    let run = RunRequest::new("pagerank").and_then(|run| run.with("iterations", Arg::Count(6))).unwrap();
    let every = Duration::ZERO;
    let options = CheckpointOptions { every, resume: true, ..CheckpointOptions::new(folder.join(KEPT)) };
    if checkpoints { run.with_checkpoints(options) } else { run }
}

/// Observer that stops a run after three iterations.
struct Stop(Cancellation);

impl Observer for Stop {
    fn iteration(&self, record: &IterationRecord) {
        if record.iteration >= 3 {
            self.0.cancel();
        }
    }
}

fn checkpoint() -> Subject {
    let folder = build_store(csr());
    let cancellation = Cancellation::new();
    let observer = Arc::new(Stop(cancellation.clone()));
    let options = OpenOptions {
        memory: MEMORY,
        threads: Some(1),
        history: false,
        cancellation,
        observer,
        ..OpenOptions::default()
    };
    let graph = Graph::open(&folder.path().join(STORE), options).unwrap();
    assert!(graph.run(&ranks(folder.path(), true)).is_err());
    drop(graph);
    assert!(files_of(folder.path()).keys().any(|name| name.starts_with(KEPT)));
    subject(&folder, resume_checkpoint)
}

fn resume_checkpoint(folder: &Path) -> Answers {
    vec![open(folder, false).and_then(|graph| rows(&graph, &ranks(folder, true), folder))]
}

fn distances(folder: &Path) -> RunRequest<'static> {
    let run = RunRequest::new("sssp").and_then(|run| run.with("source", Arg::Ids(vec!["1".to_owned()]))).unwrap();
    run.with_incremental(folder.join(KEPT))
}

fn incremental() -> Subject {
    let folder = build_store(csr());
    rows(&open(folder.path(), false).unwrap(), &distances(folder.path()), folder.path()).unwrap();
    let new = folder.path().join("more.csv");
    std::fs::write(&new, lines(30, 11)).unwrap();
    add(&new, &folder.path().join(STORE));
    subject(&folder, resume_incremental)
}

fn resume_incremental(folder: &Path) -> Answers {
    vec![open(folder, false).and_then(|graph| rows(&graph, &distances(folder), folder))]
}

fn history() -> Subject {
    let folder = build_store(csr());
    let graph = open(folder.path(), true).unwrap();
    rows(&graph, &ranks(folder.path(), false), folder.path()).unwrap();
    drop(graph);
    subject(&folder, read_history)
}

/// Reads the history, which has no checksums: only that it is read or refused counts.
fn read_history(folder: &Path) -> Answers {
    let store: PathBuf = folder.join(STORE);
    for entry in runs(&store).unwrap_or_default() {
        if let Err(error) = run_entry(&store, &entry.id) {
            expect_ordinary(&error);
        }
    }
    Vec::new()
}

/// Returns each layout without edits, and with one of each kind.
pub(crate) fn store_seeds() -> Vec<Vec<u8>> {
    let edits = |layout: u8| {
        (0..8).flat_map(move |kind| [0, 1].map(|seal| vec![layout, seal, 37 * (kind % 6), kind, 3, 7, 9, 2, 5]))
    };
    (0..6).flat_map(|layout| std::iter::once(vec![layout]).chain(edits(layout))).collect()
}

/// Returns each kind of state without edits, and with one of each kind.
pub(crate) fn state_seeds() -> Vec<Vec<u8>> {
    store_seeds().into_iter().filter(|seed| seed[0] < 3).collect()
}
