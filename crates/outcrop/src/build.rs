//! Builds a store from files of edges.

use crate::graph::threads_or_cores;
use crate::memory_size::{MemorySize, note_above_limit};
use crate::order::{BuildOrder, Made, StepStore, Steps, seeded};
use crate::update::{UpdateRecord, Updated, UpdatesInfo};
use outcrop_formats::edges::{EdgeInput, EdgeListOptions, IdRule, open_edges};
use outcrop_formats::vertices::open_vertices;
use outcrop_io::{Disk, IoChoice, ProcessUsage};
use outcrop_placement::order::{by_degree, random};
use outcrop_report::{BuildRecord, FileRecord, Recorder};
use outcrop_store::build::{BuildInput, BuildOptions, BuildReport, EdgeSource, Numbering, VertexOrder};
use outcrop_store::layout::Layout;
use outcrop_store::{Dedup, Order, OrderParameters, SelfLoops};
use outcrop_types::{
    Cancellation, Error, MAX_VERTICES, MemoryBudget, Observer, Result, Stopwatch, WeightChoice, WeightRounding,
};
use std::path::{Path, PathBuf};

/// Kind of the ids of the input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IdMode {
    /// Whole numbers or texts, as the first edge shows; the vertices are those that occur.
    #[default]
    Auto,
    /// The vertices are `0..n`.
    Dense,
    /// Texts.
    Text,
}

/// Request for a build: what to build, and how.
#[derive(Clone, Debug)]
pub struct BuildRequest {
    /// Files of edges, one after the other.
    pub edges: Vec<EdgeInput>,
    /// The store to make.
    pub store: PathBuf,
    /// Further vertices.
    pub vertices: Option<EdgeInput>,
    /// Options for reading texts; its ids are set from `ids`, its type of weights from `weights`.
    pub text: EdgeListOptions,
    /// Kind of the ids.
    pub ids: IdMode,
    /// With dense ids: exactly so many vertices.
    pub num_vertices: Option<u64>,
    /// True if edges have a direction; `None` for what the files state, else that they have.
    pub directed: Option<bool>,
    /// Treatment of repeated edges.
    pub dedup: Dedup,
    /// Treatment of loops.
    pub self_loops: SelfLoops,
    /// Layout of the lists.
    pub layout: Layout,
    /// Order of the vertices.
    pub order: BuildOrder,
    /// Memory of the build.
    pub memory: MemorySize,
    /// Threads that parse; `None` for one a core.
    pub threads: Option<usize>,
    /// The type of weights on disk, where edges have weights.
    pub weights: WeightChoice,
    /// Folder of temporary files; `None` for beside the store.
    pub temp_folder: Option<PathBuf>,
    /// Replace a store that stands there.
    pub overwrite: bool,
    /// Check the whole store before it appears.
    pub verify: bool,
}

impl BuildRequest {
    /// Builds `store` from `edges`, everything else at its default.
    pub fn new(edges: Vec<EdgeInput>, store: impl Into<PathBuf>) -> Self {
        Self {
            edges,
            store: store.into(),
            vertices: None,
            text: EdgeListOptions::default(),
            ids: IdMode::Auto,
            num_vertices: None,
            directed: None,
            dedup: Dedup::Keep,
            self_loops: SelfLoops::Keep,
            layout: Layout::default(),
            order: BuildOrder::Original,
            weights: WeightChoice::Auto,
            memory: MemorySize::Auto,
            threads: None,
            temp_folder: None,
            overwrite: false,
            verify: false,
        }
    }

    fn text_options(&self) -> Result<EdgeListOptions> {
        let ids = match (self.ids, self.num_vertices) {
            (IdMode::Auto, None) => IdRule::Auto,
            (IdMode::Text, None) => IdRule::Text,
            (IdMode::Dense, None) => IdRule::Integer { largest: Some(MAX_VERTICES - 1) },
            (IdMode::Dense, Some(0)) => return Err(Error::Usage("--num-vertices must be at least 1".to_owned())),
            (IdMode::Dense, Some(vertices)) => IdRule::Integer { largest: Some(vertices.min(MAX_VERTICES) - 1) },
            (_, Some(_)) => return Err(Error::Usage("--num-vertices goes with --ids dense".to_owned())),
        };
        let weight_type = self.weights.asked();
        Ok(EdgeListOptions { ids, directed: self.directed, weight_type, ..self.text.clone() })
    }
}

/// Builds a store.
///
/// # Errors
/// Bad input with its place; a budget or disk that is too small; an existing target; failures of reading and writing; interruption.
/// In all cases nothing is left behind, and a store that was to be replaced is as it was.
pub fn build(request: &BuildRequest, cancellation: &Cancellation, observer: &dyn Observer) -> Result<BuildRecord> {
    let log = BuildLog::begin(request.memory, observer);
    let threads = threads_or_cores(request.threads);
    let text = request.text_options()?;
    let opened = open_edges(&request.edges, &text, &log.budget, threads)?;
    let stated = opened.vertices.iter().find(|ids| request.ids == IdMode::Dense && *ids.start() > 0);
    if let Some(ids) = stated {
        let (first, last) = (ids.start(), ids.end());
        return Err(Error::Usage(format!(
            "the input states that its ids are {first} to {last}, and with --ids dense 0 would be a vertex, too; leave it out"
        )));
    }
    let beside = opened.vertex_files.iter().map(|path| format!("the vertices were read from {}, too", path.display()));
    let passed = opened.passed_over.iter().map(|name| format!("{name} was passed over"));
    let notes: Vec<_> = beside.chain(passed).collect();
    let (directed, direction) = direction(request.directed, opened.directed.as_ref());
    let vertices = opened.further_vertices(request.vertices.as_ref(), &text, &log.budget)?;
    let input = BuildInput { edges: opened.source, vertices };
    let mut made =
        build_within(input, &BuildRequest { directed: Some(directed), ..request.clone() }, &log, cancellation)?;
    (made.report.input.direction, made.report.input.notes) = (direction, notes);
    Ok(log.end(&request.store, made))
}

/// True if edges have a direction, and the reason.
fn direction(asked: Option<bool>, stated: Option<&(bool, String)>) -> (bool, String) {
    match (asked, stated) {
        (Some(asked), Some((stated, file))) if asked != *stated => {
            let (asked_for, states) = if asked { ("directed", "undirected") } else { ("undirected", "directed") };
            let what = if asked { "each edge in both directions" } else { "each arc as an edge" };
            (asked, format!("{asked_for} as asked for, {what}; {file} states that it is {states}"))
        }
        (Some(asked), _) => (asked, format!("{} as asked for", if asked { "directed" } else { "undirected" })),
        (None, Some((stated, file))) => {
            (*stated, format!("{}, as {file} states", if *stated { "directed" } else { "undirected" }))
        }
        (None, None) => (true, "directed by default; --undirected reads edges without direction".to_owned()),
    }
}

/// Builds a store from edges that are in no file; `request.edges` is left aside.
///
/// # Errors
/// As for [`build`].
pub fn build_from(
    edges: Box<dyn EdgeSource>,
    request: &BuildRequest,
    cancellation: &Cancellation,
    observer: &dyn Observer,
) -> Result<BuildRecord> {
    let log = BuildLog::begin(request.memory, observer);
    let text = request.text_options()?;
    let vertices = request.vertices.as_ref().map(|input| open_vertices(input, &text, &log.budget)).transpose()?;
    let mut made = build_within(BuildInput { edges, vertices }, request, &log, cancellation)?;
    made.report.input.direction = direction(request.directed, None).1;
    Ok(log.end(&request.store, made))
}

/// Follows a build from its begin to its end.
pub(crate) struct BuildLog<'o> {
    watch: Stopwatch,
    before: ProcessUsage,
    pub(crate) budget: MemoryBudget,
    pub(crate) recorder: Recorder<'o>,
}

impl<'o> BuildLog<'o> {
    pub(crate) fn begin(memory: MemorySize, observer: &'o dyn Observer) -> Self {
        let (memory, recorder) = (memory.bytes(), Recorder::new(observer));
        note_above_limit(memory).iter().for_each(|note| recorder.note(note));
        let budget = MemoryBudget::new(memory);
        Self { watch: Stopwatch::start(), before: ProcessUsage::now(), budget, recorder }
    }

    /// Notes that weights were rounded, where they were.
    pub(crate) fn tell_rounding(&self, rounding: &WeightRounding) {
        if !rounding.is_none() {
            self.recorder.note(&rounding.to_string());
        }
    }

    pub(crate) fn end_update(self, path: &Path, done: Updated) -> UpdateRecord {
        let manifest = &done.manifest;
        UpdateRecord {
            store: path.display().to_string(),
            vertices: manifest.vertices,
            edges: manifest.edges,
            counts: done.counts,
            new_vertices: done.new_vertices,
            skipped_lines: done.skipped_lines,
            weight_rounding: done.rounding,
            merged: done.merged,
            updates: UpdatesInfo::of(manifest),
            bytes: manifest.bytes(),
            seconds: self.watch.seconds(),
            peak_rss: ProcessUsage::now().peak_rss_bytes,
            memory_budget: self.budget.limit(),
            memory: self.budget.peak_by_purpose(),
        }
    }

    pub(crate) fn end(self, store: &Path, made: Made) -> BuildRecord {
        let Made { report, order_reason } = made;
        let mut rounding = report.input.rounding();
        rounding.add(report.rounding);
        self.tell_rounding(&rounding);
        let Self { watch, before, budget, recorder } = self;
        let phases = recorder.take_phases();
        let (seconds, usage) = (watch.seconds(), ProcessUsage::now());
        let since = |now: Option<u64>, then: Option<u64>| Some(now?.saturating_sub(then?));
        let manifest = report.manifest;
        BuildRecord {
            store: store.display().to_string(),
            vertices: manifest.vertices,
            edges: manifest.edges,
            directed: manifest.directed,
            weighted: manifest.weighted,
            weight_type: manifest.weights(),
            order: manifest.order.name().into(),
            order_reason,
            bytes: manifest.bytes(),
            seconds,
            user_seconds: usage.user_seconds - before.user_seconds,
            system_seconds: usage.system_seconds - before.system_seconds,
            bytes_read: since(usage.read_bytes, before.read_bytes),
            bytes_written: since(usage.write_bytes, before.write_bytes),
            peak_rss: usage.peak_rss_bytes,
            memory_budget: budget.limit(),
            memory_peak: budget.peak(),
            memory: budget.peak_by_purpose(),
            skipped_lines: report.skipped_lines,
            loops_dropped: report.loops_dropped,
            input: report.input,
            phases,
            files: manifest.files.into_iter().map(|file| FileRecord { name: file.name, bytes: file.bytes }).collect(),
        }
    }
}

/// Builds the store at once where nothing needs its lists first; else one in original order, and from it the one that is asked for.
fn build_within(
    input: BuildInput,
    request: &BuildRequest,
    log: &BuildLog<'_>,
    cancellation: &Cancellation,
) -> Result<Made> {
    request.order.validate()?;
    let steps = Steps {
        target: &request.store,
        overwrite: request.overwrite,
        layout: &request.layout,
        threads: request.threads,
        io: IoChoice::Auto,
        temp_folder: request.temp_folder.as_deref(),
        weights: None,
        budget: &log.budget,
        cancellation,
        observer: &log.recorder,
    };
    match request.verify {
        true => steps.verified(|steps| build_through(input, request, steps)),
        false => build_through(input, request, &steps),
    }
}

fn build_through(input: BuildInput, request: &BuildRequest, steps: &Steps<'_>) -> Result<Made> {
    if !request.order.needs_lists() && steps.ascending() == request.layout {
        let report = build_at(steps.target, steps.overwrite, input, request, steps)?;
        return Ok(Made { report, order_reason: None });
    }
    steps.require_target()?;
    let first = StepStore::beside(steps.target)?;
    let built = build_at(&first.path, false, input, request, steps)?;
    steps.finish(first, built, Some(request.order).filter(|order| order.needs_lists()))
}

/// Builds a store with lists in the order of the vertices, and these in the order that is asked for where it needs no lists.
fn build_at(
    target: &Path,
    overwrite: bool,
    input: BuildInput,
    request: &BuildRequest,
    steps: &Steps<'_>,
) -> Result<BuildReport> {
    let seed = if let BuildOrder::Random { seed } = request.order { seed } else { BuildOrder::DEFAULT_SEED };
    let drawn = |ranks| random(ranks, seed);
    let order = |name, parameters, numbering| Some(VertexOrder { name, parameters, numbering });
    let options = BuildOptions {
        target: target.to_owned(),
        overwrite,
        layout: steps.ascending(),
        undirected: request.directed == Some(false),
        dense_ids: request.ids == IdMode::Dense,
        num_vertices: request.num_vertices,
        dedup: request.dedup,
        self_loops: request.self_loops,
        order: match request.order {
            BuildOrder::Degree => order(Order::Degree, OrderParameters::default(), Numbering::FromDegrees(&by_degree)),
            BuildOrder::Random { .. } => order(Order::Random, seeded(seed), Numbering::FromCount(&drawn)),
            _ => None,
        },
        weights: request.weights,
        temp_folder: request.temp_folder.clone(),
    };
    outcrop_store::build::build(&Disk, input, &options, steps.budget, steps.cancellation, steps.observer)
}
