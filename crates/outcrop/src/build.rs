//! Builds a store from files of edges.

use crate::convert::{ConvertRequest, convert_within};
use crate::graph::threads_or_cores;
use crate::memory_size::MemorySize;
use outcrop_formats::edges::{EdgeInput, EdgeListOptions, IdRule, open_edges};
use outcrop_formats::vertices::open_vertices;
use outcrop_io::{Disk, ProcessUsage, Storage};
use outcrop_placement::order::by_degree;
use outcrop_report::{BuildRecord, FileRecord, Recorder};
use outcrop_store::StoreId;
use outcrop_store::build::{BuildInput, BuildOptions, BuildReport, EdgeSource, VertexOrder};
use outcrop_store::layout::Layout;
use outcrop_store::layout::chunked::Placement;
use outcrop_store::{Dedup, Order, SelfLoops};
use outcrop_types::{Cancellation, Error, MAX_VERTICES, MemoryBudget, Observer, Result, Stopwatch};
use std::path::{Path, PathBuf};

/// What the ids of the input are.
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

/// Who lies beside whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BuildOrder {
    /// Ascending original id.
    #[default]
    Original,
    /// Descending degree.
    Degree,
}

/// What to build, and how.
#[derive(Clone, Debug)]
pub struct BuildRequest {
    /// Files of edges, one after the other.
    pub edges: Vec<EdgeInput>,
    /// The store to make.
    pub store: PathBuf,
    /// Further vertices.
    pub vertices: Option<EdgeInput>,
    /// How texts are read; its ids are set from `ids`.
    pub text: EdgeListOptions,
    /// What the ids are.
    pub ids: IdMode,
    /// With dense ids: exactly so many vertices.
    pub num_vertices: Option<u64>,
    /// Edges have no direction.
    pub undirected: bool,
    /// What becomes of repeated edges.
    pub dedup: Dedup,
    /// What becomes of loops.
    pub self_loops: SelfLoops,
    /// How the lists are laid out.
    pub layout: Layout,
    /// Who lies beside whom.
    pub order: BuildOrder,
    /// Memory of the build.
    pub memory: MemorySize,
    /// Threads that parse; `None` for one a core.
    pub threads: Option<usize>,
    /// Where temporary files go; `None` for beside the store.
    pub temp_folder: Option<PathBuf>,
    /// Replace a store that stands there.
    pub overwrite: bool,
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
            undirected: false,
            dedup: Dedup::Keep,
            self_loops: SelfLoops::Keep,
            layout: Layout::default(),
            order: BuildOrder::Original,
            memory: MemorySize::Auto,
            threads: None,
            temp_folder: None,
            overwrite: false,
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
        Ok(EdgeListOptions { ids, ..self.text.clone() })
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
    let edges = open_edges(&request.edges, &request.text_options()?, &log.budget, threads)?;
    let report = build_within(edges, request, &log.budget, cancellation, &log.recorder)?;
    Ok(log.end(&request.store, report))
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
    let report = build_within(edges, request, &log.budget, cancellation, &log.recorder)?;
    Ok(log.end(&request.store, report))
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
        Self {
            watch: Stopwatch::start(),
            before: ProcessUsage::now(),
            budget: MemoryBudget::new(memory.bytes()),
            recorder: Recorder::new(observer),
        }
    }

    pub(crate) fn end(self, store: &Path, report: BuildReport) -> BuildRecord {
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
            phases,
            files: manifest.files.into_iter().map(|file| FileRecord { name: file.name, bytes: file.bytes }).collect(),
        }
    }
}

fn build_within(
    edges: Box<dyn EdgeSource>,
    request: &BuildRequest,
    budget: &MemoryBudget,
    cancellation: &Cancellation,
    observer: &dyn Observer,
) -> Result<BuildReport> {
    let text = request.text_options()?;
    let vertices = request.vertices.as_ref().map(|input| open_vertices(input, &text, budget)).transpose()?;
    let by_degree = VertexOrder { name: Order::Degree, from_degrees: &by_degree };
    let options = BuildOptions {
        target: request.store.clone(),
        overwrite: request.overwrite,
        layout: request.layout.clone(),
        undirected: request.undirected,
        dense_ids: request.ids == IdMode::Dense,
        num_vertices: request.num_vertices,
        dedup: request.dedup,
        self_loops: request.self_loops,
        order: (request.order == BuildOrder::Degree).then_some(by_degree),
        temp_folder: request.temp_folder.clone(),
    };
    let input = BuildInput { edges, vertices };
    match &request.layout {
        Layout::Chunked(settings) if settings.placement == Placement::Reordered => {
            build_reordered(input, &options, request, budget, cancellation, observer)
        }
        _ => outcrop_store::build::build(&Disk, input, &options, budget, cancellation, observer),
    }
}

/// Builds a store with lists in the order of the vertices, and from it the one with lists in their own order.
fn build_reordered(
    input: BuildInput,
    options: &BuildOptions<'_>,
    request: &BuildRequest,
    budget: &MemoryBudget,
    cancellation: &Cancellation,
    observer: &dyn Observer,
) -> Result<BuildReport> {
    if !request.overwrite && std::fs::symlink_metadata(&request.store).is_ok() {
        return Err(Error::AlreadyExists { path: request.store.clone() });
    }
    // What a killed build leaves there is removed by the next one, as the folders of other builds are.
    let mut name = request.store.file_name().unwrap_or_default().to_owned();
    name.push(format!(".tmp-{}", &StoreId::random()?.to_hex()[..16]));
    let ascending = request.store.with_file_name(name);
    let first = BuildOptions { target: ascending.clone(), overwrite: false, ..options.clone() };
    let built = outcrop_store::build::build(&Disk, input, &first, budget, cancellation, observer);
    let reordered = built.and_then(|built| {
        let conversion = ConvertRequest {
            threads: request.threads,
            temp_folder: request.temp_folder.clone(),
            overwrite: request.overwrite,
            ..ConvertRequest::new(&ascending, &request.store, request.layout.clone())
        };
        let report = convert_within(&conversion, budget, cancellation, observer)?;
        Ok(BuildReport { skipped_lines: built.skipped_lines, loops_dropped: built.loops_dropped, ..report })
    });
    let removed = if ascending.exists() { Disk.remove_folder(&ascending) } else { Ok(()) };
    let report = reordered?;
    removed.map(|()| report)
}
