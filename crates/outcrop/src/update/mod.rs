//! Insertion and deletion of edges (MultiLogVC, section V.E), as pending updates or merged into the lists.

pub(crate) mod edges;
mod size;

use crate::build::BuildLog;
use crate::graph::{Graph, OpenOptions, threads_or_cores};
use crate::info::UpdatesInfo;
use crate::memory_size::MemorySize;
use crate::order::{StepStore, Steps};
use edges::{NamedEdges, Origin, ResolvedEdges};
use outcrop_formats::edges::{EdgeInput, EdgeListOptions, IdRule, open_edges};
use outcrop_io::{Disk, IoChoice, ProcessUsage};
use outcrop_store::access::Workers;
use outcrop_store::layout::Layout;
use outcrop_store::updates::UpdateCounts;
use outcrop_store::writing::EdgeSource;
use outcrop_store::{Manifest, OriginalIds, Store, require_own_place};
use outcrop_types::{
    Cancellation, Direction, Error, FileSummary, MAX_VERTICES, MemoryBudget, MemoryPlan, Observer, Phase, ProgressUnit,
    Result, TimeKind, TimeRule, WeightRounding, counted, parse_fraction,
};
use serde::Serialize;
use size::UpdateSize;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

/// Maximum length of an update's name, in bytes.
const LONGEST_NAME: usize = 200;

/// Condition for merging pending updates into the lists.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MergeRule {
    /// Always.
    Now,
    /// If more than this share of the list entries or of the vertices is pending.
    Above(f64),
    /// Never in this update.
    Never,
}

impl Default for MergeRule {
    /// Returns the default: above 1%.
    fn default() -> Self {
        Self::Above(0.01)
    }
}

impl FromStr for MergeRule {
    type Err = Error;

    /// Parses a fraction of the list entries, such as `1%` or `0.01`, or `never`.
    fn from_str(text: &str) -> Result<Self> {
        if text == "never" {
            return Ok(Self::Never);
        }
        let expected = || format!("invalid fraction {text:?}; expected a fraction such as 1% or 0.01, or never");
        parse_fraction(text).map(Self::Above).ok_or_else(|| Error::Usage(expected()))
    }
}

/// Request for an update of a store.
#[derive(Clone, Debug)]
pub struct UpdateRequest {
    /// Path of the store.
    pub store: PathBuf,
    /// Files of edges to remove, with all their duplicates, before any is added.
    pub remove: Vec<EdgeInput>,
    /// Files of edges to add, with weights if the store has weights.
    pub add: Vec<EdgeInput>,
    /// Options for reading texts; IDs and weights are set from the store.
    pub text: EdgeListOptions,
    /// Idempotency key: the update is skipped if one with this name was applied.
    pub name: Option<String>,
    /// Generation that the graph must have for the update to proceed.
    pub if_generation: Option<u64>,
    /// Time to wait until the store is no longer in use.
    pub wait: Duration,
    /// Rule for merging pending updates into the lists.
    pub merge: MergeRule,
    /// Memory budget.
    pub memory: MemorySize,
    /// Number of threads; `None` for one per core.
    pub threads: Option<usize>,
    /// I/O backend for reading.
    pub io: IoChoice,
    /// Folder for temporary files of a merge; `None` for a folder next to the store.
    pub temp_folder: Option<PathBuf>,
}

impl UpdateRequest {
    /// Creates a request without changes of `store`, with defaults for everything else.
    pub fn new(store: impl Into<PathBuf>) -> Self {
        Self {
            store: store.into(),
            remove: Vec::new(),
            add: Vec::new(),
            text: EdgeListOptions::default(),
            name: None,
            if_generation: None,
            wait: Duration::ZERO,
            merge: MergeRule::default(),
            memory: MemorySize::Auto,
            threads: None,
            io: IoChoice::Auto,
            temp_folder: None,
        }
    }
}

/// Record of the results and costs of an update.
#[derive(Clone, Debug, Serialize)]
pub struct UpdateRecord {
    /// Path of the store, as given by the user.
    pub store: String,
    /// Number of vertices after the update.
    pub vertices: u32,
    /// Number of edges after the update; an undirected edge counts once.
    pub edges: u64,
    /// Number of updates of the graph, including this one.
    pub generation: u64,
    /// Generation produced by an earlier update with this name; then nothing was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made_before: Option<u64>,
    /// Counts of added and removed edges.
    #[serde(flatten)]
    pub counts: UpdateCounts,
    /// Number of vertices created by added edges.
    pub new_vertices: u32,
    /// Number of malformed input lines that were skipped.
    pub skipped_lines: u64,
    /// Summary of each file of edges to remove.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed_from: Vec<FileSummary>,
    /// Summary of each file of edges to add.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub added_from: Vec<FileSummary>,
    /// Rounded weights of added edges.
    #[serde(skip_serializing_if = "WeightRounding::is_none")]
    pub weight_rounding: WeightRounding,
    /// True if the lists were rewritten.
    pub merged: bool,
    /// Pending updates after this one.
    pub updates: Option<UpdatesInfo>,
    /// Bytes of the store's files.
    pub bytes: u64,
    /// Seconds from opening the store to the end.
    pub seconds: f64,
    /// Peak resident memory of the process.
    pub peak_rss: u64,
    /// Memory budget.
    pub memory_budget: u64,
    /// Peak reservation per purpose.
    pub memory: MemoryPlan,
}

/// Removes and adds the edges of `request`. Processes that have the store open keep the graph as it was; they must not
/// have it open for a merge.
///
/// The changes and new vertices are stored separately from the lists; every run, check and conversion then merges them
/// on the fly. They are merged into the lists, by building a replacement store, if the request asks for it or if they
/// exceed the limit of the request.
///
/// # Errors
///
/// Returns an error with its location if the input is invalid, if the store is in use or damaged, if the budget or disk
/// is too small, if writing fails, or if the update is interrupted. The store is then unchanged. If only the merge
/// fails, the update is applied and pending, and a note reports the failure.
pub fn update(request: &UpdateRequest, cancellation: &Cancellation, observer: &dyn Observer) -> Result<UpdateRecord> {
    update_from((None, None), request, cancellation, observer)
}

/// Edges that are not in files: those to remove, and those to add.
pub type UpdateSources = (Option<Box<dyn EdgeSource>>, Option<Box<dyn EdgeSource>>);

/// Same as [`update`] with the given edges instead of the files of the request.
///
/// # Errors
///
/// Returns an error under the same conditions as [`update`].
pub fn update_from(
    sources: UpdateSources,
    request: &UpdateRequest,
    cancellation: &Cancellation,
    observer: &dyn Observer,
) -> Result<UpdateRecord> {
    if let MergeRule::Above(share) = request.merge
        && (share.is_nan() || share < 0.0)
    {
        return Err(Error::Usage("the fraction must be at least 0".to_owned()));
    }
    request.temp_folder.as_deref().map_or(Ok(()), require_own_place)?;
    let log = BuildLog::begin(request.memory, observer);
    let merges = request.merge == MergeRule::Now;
    let (_turn, store) = Store::open_for_update(&request.store, merges, request.wait, cancellation)?;
    let place = store.place().to_owned();
    outcrop_store::writing::remove_left_over(&Disk, &place);
    let work = UpdateRun { request, log: &log, cancellation };
    if let Some(made) = work.made_before(&store)? {
        let done = Updated::nothing(store.manifest().clone());
        return Ok(UpdateRecord { made_before: Some(made), ..done.record(&request.store, &log) });
    }
    let updated = work.apply(store, sources)?;
    if updated.merged {
        outcrop_store::writing::remove_left_over(&Disk, &place);
    }
    Ok(updated.record(&request.store, &log))
}

/// Outcome of an update.
pub(crate) struct Updated {
    pub(crate) manifest: Manifest,
    pub(crate) counts: UpdateCounts,
    pub(crate) new_vertices: u32,
    pub(crate) skipped_lines: u64,
    pub(crate) files: [Vec<FileSummary>; 2],
    pub(crate) rounding: WeightRounding,
    pub(crate) merged: bool,
}

impl Updated {
    /// Returns the outcome of an update that changes nothing.
    fn nothing(manifest: Manifest) -> Self {
        let (counts, rounding) = (UpdateCounts::default(), WeightRounding::default());
        Self {
            manifest,
            counts,
            new_vertices: 0,
            skipped_lines: 0,
            files: [Vec::new(), Vec::new()],
            rounding,
            merged: false,
        }
    }

    /// Returns the record of the update of the store at `path`, tracked by `log`.
    fn record(self, path: &Path, log: &BuildLog<'_>) -> UpdateRecord {
        let done = self;
        let ([removed_from, added_from], manifest) = (done.files, &done.manifest);
        UpdateRecord {
            store: path.display().to_string(),
            vertices: manifest.graph.vertices,
            edges: manifest.graph.edges,
            generation: manifest.generation(),
            made_before: None,
            counts: done.counts,
            new_vertices: done.new_vertices,
            skipped_lines: done.skipped_lines,
            removed_from,
            added_from,
            weight_rounding: done.rounding,
            merged: done.merged,
            updates: UpdatesInfo::of(manifest),
            bytes: manifest.bytes(),
            seconds: log.watch.seconds(),
            peak_rss: ProcessUsage::now().peak_rss_bytes,
            memory_budget: log.budget.limit(),
            memory: log.budget.peak_by_purpose(),
        }
    }
}

struct UpdateRun<'w> {
    request: &'w UpdateRequest,
    log: &'w BuildLog<'w>,
    cancellation: &'w Cancellation,
}

impl UpdateRun<'_> {
    /// Returns the generation produced by an earlier update with this name.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Generation`] if the graph is not of the required generation, or an error if the name is
    /// invalid.
    fn made_before(&self, store: &Store) -> Result<Option<u64>> {
        let manifest = store.manifest();
        let name = self.request.name.as_deref();
        if name.is_some_and(|name| name.is_empty() || name.len() > LONGEST_NAME || name.contains(char::is_control)) {
            return Err(Error::Usage(format!(
                "the ID of an update must be a string of 1 to {LONGEST_NAME} bytes on one line"
            )));
        }
        let made = name.and_then(|name| manifest.changes.journal.as_ref()?.made_by(name));
        let (found, expected) = (manifest.generation(), self.request.if_generation);
        match expected.filter(|expected| made.is_none() && *expected != found) {
            Some(expected) => Err(Error::Generation { path: self.request.store.clone(), expected, found }),
            None => Ok(made),
        }
    }

    fn apply(&self, store: Store, sources: UpdateSources) -> Result<Updated> {
        let graph = self.graph(store)?;
        let mut size = UpdateSize::default();
        self.apply_to(&graph, sources, &mut size)
            .map_err(|error| error.at_least(|| Ok(self.most_memory(&graph, &size))))
    }

    /// Returns the maximum memory of the update of `graph` by edges of this `size`.
    fn most_memory(&self, graph: &Graph, size: &UpdateSize) -> MemoryPlan {
        let layout = graph.layout_settings();
        let steps = self.steps(&self.request.store, &layout, &graph.workers);
        size.most_memory(graph, &steps, self.request.merge == MergeRule::Now)
    }

    fn apply_to(&self, graph: &Graph, sources: UpdateSources, size: &mut UpdateSize) -> Result<Updated> {
        let mut found = self.find(&graph.store, sources, size)?;
        found.journal.name.clone_from(&self.request.name);
        let (new_vertices, skipped_lines) = (found.edges.vertices.count, found.skipped_lines);
        size.new_vertices = Some(new_vertices);
        self.note_implied_vertices(&graph.store, new_vertices, size);
        if size.added.edges + size.removed.edges > 0 {
            // Refuse a budget that is too small for any step before the first one.
            MemoryBudget::new(self.log.budget.limit()).require(&self.most_memory(graph, size))?;
        }
        let (rounding, files) = (found.edges.rounding.clone(), std::mem::take(&mut found.files));
        let (counts, manifest) = self.update(graph, &found)?;
        drop(found);
        graph.report_notes();
        let made = manifest.generation() > graph.store.manifest().generation();
        let merged = if self.merges(&manifest, &graph.store) { Some(self.merge(&graph.store)) } else { None };
        let (merged, manifest) = match merged {
            None => (false, manifest),
            Some(Ok(manifest)) => (true, manifest),
            // An error would suggest that the update was not applied, and repeating it would apply it twice.
            Some(Err(error)) if made => {
                let note = "the update is applied and pending; the merge failed and the next update tries it again";
                self.log.recorder.note(&format!("{note}: {error}"));
                (false, manifest)
            }
            Some(Err(error)) => return Err(error),
        };
        Ok(Updated { manifest, counts, new_vertices, skipped_lines, files, rounding, merged })
    }

    /// Adds a note if a dense ID adds more vertices than the store and the update have.
    fn note_implied_vertices(&self, store: &Store, new: u32, size: &UpdateSize) {
        let (ids, vertices) = (store.manifest().numbering.ids, u64::from(store.manifest().graph.vertices));
        if ids == OriginalIds::Dense && u64::from(new) > vertices.max(2 * size.added.edges) {
            let (last, all) = (vertices + u64::from(new) - 1, counted(vertices + u64::from(new), "vertex"));
            self.log.recorder.note(&format!("the ID {last} implies {all}, because the store has dense IDs"));
        }
    }

    /// Reads the edges and looks up their vertices.
    fn find(&self, store: &Store, (removed, added): UpdateSources, size: &mut UpdateSize) -> Result<ResolvedEdges> {
        let (budget, recorder) = (&self.log.budget, &self.log.recorder);
        recorder.phase(&Phase { name: "reading edges", unit: ProgressUnit::Bytes, total: None });
        let given =
            removed.is_some() || added.is_some() || !self.request.add.is_empty() || !self.request.remove.is_empty();
        let removed = self.read(removed, store, false)?;
        let added = self.read(added, store, true)?;
        (size.removed, size.added) = (removed.size, added.size);
        if given && size.removed.edges + size.added.edges == 0 {
            recorder.note("the update has no edges; the graph is unchanged");
        }
        let (removed, added) = (removed.accepted()?, added.accepted()?);
        recorder.phase(&Phase { name: "looking up vertices", unit: ProgressUnit::Vertices, total: None });
        let found = ResolvedEdges::find(removed, added, store, self.request.io, budget, self.cancellation)?;
        self.log.report_rounding(&found.edges.rounding);
        Ok(found)
    }

    /// Reads the edges that are `added` or removed.
    fn read(&self, given: Option<Box<dyn EdgeSource>>, store: &Store, added: bool) -> Result<NamedEdges> {
        let require = |source: &dyn EdgeSource| if added { self.require(source, store) } else { Ok(()) };
        let inputs = if added { &self.request.add } else { &self.request.remove };
        let text = as_in(store, added, self.request.text.clone());
        let open = |budget: &_, threads| {
            let opened = open_edges(inputs, &text, budget, threads)?;
            require(&*opened.source)?;
            Ok(opened)
        };
        let origin = match given {
            Some(source) => {
                require(&*source)?;
                Origin::Given(source)
            }
            None if inputs.is_empty() => Origin::None,
            None => Origin::Files(inputs, &open),
        };
        let threads = threads_or_cores(self.request.threads);
        let named = NamedEdges::read(origin, store, threads, &self.log.budget, self.cancellation)?;
        named.notes.iter().for_each(|note| self.log.recorder.note(note));
        Ok(named)
    }

    /// # Errors
    ///
    /// Returns an error if the edges to add have weights or times while those of the store have none, or vice versa.
    fn require(&self, added: &dyn EdgeSource, store: &Store) -> Result<()> {
        let times = store.manifest().times();
        let timed = times.is_some();
        let kinds = [times, added.times()].map(|rule| rule.map(|rule| rule.kind));
        let wrong = if store.manifest().graph.weighted && !added.weighted() {
            "the store has weights, but the inserted edges have none"
        } else if timed && added.times().is_none() {
            "the store has timestamps, but the inserted edges have none"
        } else if self.request.text.wants_times() && !timed {
            "the inserted edges have timestamps, but the store has none"
        } else if kinds == [Some(TimeKind::Number), Some(TimeKind::Instant)] {
            "the store has integer timestamps, but those of the inserted edges are dates; convert them to integers"
        } else if kinds == [Some(TimeKind::Instant), Some(TimeKind::Number)] {
            "the store has dates as timestamps, but those of the inserted edges are integers; state their unit with --time-unit"
        } else {
            return Ok(());
        };
        Err(Error::Usage(wrong.to_owned()))
    }

    fn graph(&self, store: Store) -> Result<Graph> {
        let options = OpenOptions {
            threads: self.request.threads,
            io: self.request.io,
            cancellation: self.cancellation.clone(),
            ..OpenOptions::default()
        };
        Graph::over(Arc::new(store), options)
    }

    /// Writes the changes as pending updates; returns the resulting manifest.
    fn update(&self, graph: &Graph, found: &ResolvedEdges) -> Result<(UpdateCounts, Manifest)> {
        let nothing = found.edges.removed.is_empty() && found.edges.added.is_empty();
        if nothing && found.journal.name.is_none() {
            let counts = UpdateCounts { absent: found.unknown, ..UpdateCounts::default() };
            return Ok((counts, graph.store.manifest().clone()));
        }
        let work = graph.work(&self.log.budget, &self.log.recorder);
        let report = outcrop_store::updates::update(&graph.store, &found.edges, &found.journal, work)?;
        Ok((UpdateCounts { absent: report.counts.absent + found.unknown, ..report.counts }, report.manifest))
    }

    /// Returns true if pending updates are to be merged into the lists of `store`.
    fn merges(&self, manifest: &Manifest, store: &Store) -> bool {
        let Some(updates) = UpdatesInfo::of(manifest) else { return false };
        match self.request.merge {
            MergeRule::Now => true,
            MergeRule::Above(most) if updates.share(manifest) > most => {
                let alone = store.try_alone();
                if !alone {
                    let note = "the pending updates are not merged, because another process has the store open";
                    self.log.recorder.note(&format!("{note}; the next update tries it again"));
                }
                alone
            }
            MergeRule::Above(_) | MergeRule::Never => false,
        }
    }

    fn steps<'s>(&'s self, target: &'s Path, layout: &'s Layout, workers: &'s Workers) -> Steps<'s> {
        Steps {
            target,
            overwrite: false,
            wait: Duration::ZERO,
            in_place: true,
            given_order: None,
            layout,
            temp_folder: self.request.temp_folder.as_deref(),
            checkpoints: None,
            weights: None,
            work: self.log.work(self.request.io, workers),
        }
    }

    /// Replaces the store by one with pending updates merged into the lists.
    fn merge(&self, store: &Store) -> Result<Manifest> {
        let graph = self.graph(store.refreshed()?)?;
        self.tell_of_selections(&graph);
        let (store, layout, workers) = (Arc::clone(&graph.store), graph.layout_settings(), graph.workers.clone());
        let made = StepStore::temporary_sibling(store.place())?;
        let report = self.steps(&made.path, &layout, &workers).rewrite_all(graph)?;
        outcrop_store::writing::publish_over(&Disk, &made.path, &store)?;
        Ok(report.manifest)
    }

    /// Adds a note that the selections belong to the replaced lists.
    fn tell_of_selections(&self, graph: &Graph) {
        let kept = |direction| matches!(graph.store.selection(direction, self.request.io), Ok(Some(_)) | Err(_));
        if [Direction::Out, Direction::In].into_iter().any(kept) {
            let note = "the pinned lists are removed with the rewritten lists; choose new ones with `outcrop cache`";
            self.log.recorder.note(note);
        }
    }
}

/// Returns options for reading texts of edges with the ID kind of `store` and, if they are `added`, its weights and
/// times.
pub(crate) fn as_in(store: &Store, added: bool, text: EdgeListOptions) -> EdgeListOptions {
    let weighted = added && store.manifest().graph.weighted;
    let ids = match store.manifest().numbering.ids {
        OriginalIds::Text => IdRule::Text,
        OriginalIds::Dense => IdRule::Integer { largest: Some(MAX_VERTICES - 1) },
        OriginalIds::Integer => IdRule::Integer { largest: None },
    };
    let directed = Some(store.manifest().graph.directed);
    // Single precision rounds, with a note of the location; values that other types cannot represent are refused.
    let weight_type = store.manifest().weights();
    // Times are read if weights may be: for added edges.
    let times = store.manifest().times().filter(|_| added);
    let time_unit = text.time_unit.or(times.and_then(|times| times.unit));
    let timed = times.is_some();
    // A unit in the update sets how its numbers are read, not the rule of the store.
    let times = times.map(|rule| TimeRule { unit: time_unit.filter(|_| rule.kind == TimeKind::Instant), ..rule });
    let without_weights = Some(if added { "the store has no weights" } else { "deletions ignore weights" });
    let mut text =
        EdgeListOptions { ids, weighted, without_weights, weight_type, directed, timed, times, time_unit, ..text };
    text.columns.weight = text.columns.weight.filter(|_| weighted);
    text.columns.time = text.columns.time.filter(|_| timed);
    text
}
