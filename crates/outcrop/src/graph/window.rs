//! Windows: graphs of the edges in a time range.

use super::open::{Graph, OpenOptions};
use crate::build::{BuildRequest, BuildResources, GraphOptions, IdMode, InputOptions, build_with, refused_with};
use crate::info::TimesInfo;
use crate::memory_size::MemorySize;
use crate::request::RunRequest;
use crate::run::{Origin, RunResult};
use outcrop_io::TemporaryFolder;
use outcrop_report::{BuildRecord, WindowRecord};
use outcrop_store::journal::EdgesBetween;
use outcrop_store::writing::EdgeSource;
use outcrop_store::{OriginalIds, Store};
use outcrop_types::{Error, MemoryBudget, Result, Silent, TimeKind, WeightChoice};
use std::path::Path;
use std::sync::Arc;

/// Maximum number of windows in a series.
const MOST_WINDOWS: i64 = 1_000_000;

/// Time range, from `start` (inclusive) to `end` (exclusive).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Start, inclusive.
    pub start: i64,
    /// End, exclusive.
    pub end: i64,
}

impl Window {
    /// Parses a window from the user's start and end, for times of `kind`.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] if a time is invalid or the end is not after the start.
    pub fn parse(kind: TimeKind, start: &str, end: &str) -> Result<Self> {
        let time = |text: &str| {
            kind.parse(text).map_err(|expected| Error::Usage(format!("start and end of the time window: {expected}")))
        };
        let window = Self { start: time(start)?, end: time(end)? };
        if window.start >= window.end {
            return Err(Error::Usage(format!("the end {end} of the time window is not after its start {start}")));
        }
        Ok(window)
    }

    /// Returns windows of equal length, one step apart, that cover all times of `times`. The first starts at the start
    /// of the step's unit that contains the first time: steps of days at midnight, of weeks on Monday, of months on the
    /// first, in UTC; numeric times start at the first time.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] if a length is invalid or there are more than a million windows.
    pub fn series(times: &TimesInfo, length: &str, step: &str) -> Result<impl Iterator<Item = Self> + use<>> {
        let read = |name: &str, text: &str| {
            times.kind.parse_span(text).map_err(|expected| Error::Usage(format!("{name}: {expected}")))
        };
        let (length, every) = (read("window length", length)?, read("step between windows", step)?);
        let (first, last) = (every.unit_start(times.first), times.last);
        if every.after(first, MOST_WINDOWS).is_some_and(|start| start <= last) {
            let (first, last) = (times.kind.show(first), times.kind.show(last));
            return Err(Error::Usage(format!(
                "--step {step} gives more than {MOST_WINDOWS} windows from {first} to {last}; use a longer step"
            )));
        }
        let starts = (0..MOST_WINDOWS).map_while(move |place| every.after(first, place));
        let starts = starts.take_while(move |start| *start <= last);
        // Default: the end of all time.
        Ok(starts.map(move |start| Self { start, end: length.after(start, 1).unwrap_or(i64::MAX) }))
    }
}

/// Graph of a window: a separate store, deleted when this is dropped.
pub struct WindowGraph<'g> {
    /// Graph of all edges.
    whole: &'g Graph,
    graph: Graph,
    record: WindowRecord,
    _made: TemporaryFolder,
}

impl WindowGraph<'_> {
    /// Returns the first source of `request` that has no edge in the window although it is in the whole graph.
    ///
    /// # Errors
    /// Returns the errors of [`Graph::contains`].
    pub fn missing_source(&self, request: &RunRequest<'_>) -> Result<Option<String>> {
        match self.graph.missing_source(request)? {
            Some(_) if self.whole.missing_source(request)?.is_some() => Ok(None),
            missing => Ok(missing),
        }
    }

    /// Runs an algorithm on the graph of the window. The run is recorded in the history of the whole graph.
    ///
    /// # Errors
    /// Returns the errors of [`Graph::run`].
    pub fn run(&self, request: &RunRequest<'_>) -> Result<RunResult> {
        self.graph.run_as(request, &Origin::new(self.whole, Some(&self.record)))
    }
}

/// Builds the store `request` from the edges of `store` in `window`, ignoring the request's input. Builds nothing and
/// returns `None` if there are no such edges.
///
/// # Errors
/// Returns the errors of [`crate::build`], or [`Error::Usage`] if the edges of the store have no times.
pub fn build_window(
    store: &Path,
    window: Window,
    request: &BuildRequest,
    options: &OpenOptions,
) -> Result<Option<BuildRecord>> {
    build_of(&Arc::new(Store::open(store)?), window, request, options)
}

fn build_of(
    store: &Arc<Store>,
    window: Window,
    request: &BuildRequest,
    options: &OpenOptions,
) -> Result<Option<BuildRecord>> {
    times(store)?;
    let manifest = store.manifest();
    let request = BuildRequest {
        graph: GraphOptions {
            directed: Some(manifest.graph.directed),
            dedup: manifest.rules.dedup,
            self_loops: manifest.rules.self_loops,
            weights: manifest.weights().map_or(WeightChoice::Auto, WeightChoice::As),
            ..request.graph.clone()
        },
        input: InputOptions {
            ids: if manifest.numbering.ids == OriginalIds::Text { IdMode::Text } else { IdMode::Auto },
            ..request.input.clone()
        },
        ..request.clone()
    };
    let open = |budget: &MemoryBudget| {
        EdgesBetween::open(store, (window.start, window.end), options.io, budget, &options.cancellation)
    };
    let build = |request: &BuildRequest, observer| {
        let some = |edges: EdgesBetween| -> Option<Box<dyn EdgeSource>> {
            if edges.is_empty() { None } else { Some(Box::new(edges)) }
        };
        build_with(|budget| open(budget).map(some), request, &options.cancellation, observer)
    };
    build(&request, &*options.observer).map_err(|refusal| {
        // If reading the edges uses all memory, the refusal includes the additional memory of the build.
        refusal.at_least(|| {
            let ample = MemoryBudget::new(u64::MAX >> 1);
            drop(open(&ample)?);
            let short = request.within(MemorySize::Bytes(ample.peak()));
            refused_with(build(&short, &Silent).map(drop))
        })
    })
}

/// Returns the times of the edges of the store in `folder`.
///
/// # Errors
/// Returns the errors of [`Graph::open`], or [`Error::Usage`] if the edges have no times.
pub fn times_of(folder: &Path) -> Result<TimesInfo> {
    times(&Store::open(folder)?)
}

fn times(store: &Store) -> Result<TimesInfo> {
    TimesInfo::of(store.manifest()).ok_or_else(|| {
        let message = "the edges have no timestamps; choose their column when building, with --time COLUMN";
        Error::Usage(format!("{}: {message}", store.folder().display()))
    })
}

impl Graph {
    /// Returns the times of the edges.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] if the edges have no times.
    pub fn times(&self) -> Result<TimesInfo> {
        times(&self.store)
    }

    /// Returns the windows of the ascending `series` that have edges.
    ///
    /// # Errors
    /// Returns an error if the budget is too small, if the journal is damaged, or on interruption, and [`Error::Usage`]
    /// if the edges have no times.
    pub fn windows_with_edges(&self, series: &[Window]) -> Result<Vec<Window>> {
        self.times()?;
        let stretches: Vec<_> = series.iter().map(|window| (window.start, window.end)).collect();
        let found = EdgesBetween::of_windows(&self.store, &stretches, self.io, &self.budget(), self.cancellation())?;
        Ok(series.iter().zip(found).filter_map(|(window, found)| found.then_some(*window)).collect())
    }

    /// Returns the graph of the edges in `window`, built in the folder of temporary files; `None` if there are none.
    ///
    /// # Errors
    /// Returns the errors of [`crate::build`], or [`Error::Usage`] if the edges have no times.
    pub fn between(&self, window: Window, options: OpenOptions) -> Result<Option<WindowGraph<'_>>> {
        let times = self.times()?;
        let name =
            self.store.place().file_name().map(Path::new).ok_or_else(|| Error::internal("the store has no name"))?;
        let made = TemporaryFolder::create_in(&self.temp_folder)?;
        let place = made.path().join(name);
        let request = BuildRequest {
            resources: BuildResources {
                memory: MemorySize::Bytes(self.memory),
                threads: options.threads,
                ..BuildResources::default()
            },
            ..BuildRequest::new(Vec::new(), &place)
        };
        let Some(built) = build_of(&self.store, window, &request, &options)? else { return Ok(None) };
        let record = WindowRecord {
            start: times.kind.show(window.start),
            end: times.kind.show(window.end),
            seconds: built.cost.seconds,
            bytes_read: built.cost.bytes_read,
            bytes_written: built.cost.bytes_written,
            store_bytes: built.graph.bytes,
        };
        let options = OpenOptions { temp_folder: Some(self.temp_folder.clone()), ..options };
        Ok(Some(WindowGraph { whole: self, graph: Self::open(&place, options)?, record, _made: made }))
    }
}
