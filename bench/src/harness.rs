//! Builds stores and runs algorithms for measurements.

use crate::output::{remark, say, say_json};
use crate::table::Section;
use clap::Args;
use outcrop::{
    BuildOrder, CacheSize, Cancellation, ConvertRequest, Error, GivenOrder, Graph, Layout, MemorySize, Observer,
    OpenOptions, Result, RunRecord, RunRequest, StaticShare, convert,
};
use serde::Serialize;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Graph, and conditions of the runs.
#[derive(Debug, Args)]
pub(crate) struct Setup {
    /// Store to measure
    pub(crate) store: PathBuf,
    /// Source vertices of searches; all experiments except `dynamic-shards` use one
    #[arg(long, value_name = "IDS", value_delimiter = ',', required = true)]
    pub(crate) source: Vec<String>,
    /// Folder for temporary stores and files [default: the folder of the store]
    #[arg(long, value_name = "DIR")]
    pub(crate) work: Option<PathBuf>,
    /// Number of repetitions; the run of median length counts
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=99))]
    pub(crate) repeat: u32,
    /// Print as JSON, with the records of all runs
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) resources: Resources,
}

/// Memory and threads.
#[derive(Debug, Args)]
pub(crate) struct Resources {
    /// Memory per run: 4GiB, 500MB, 50% of the machine's, or auto (half of it)
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory: Option<MemorySize>,
    /// Number of threads [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
}

impl Resources {
    /// Returns options for opening a graph with these resources, and defaults otherwise.
    pub(crate) fn options(&self, cancellation: &Cancellation) -> OpenOptions {
        OpenOptions {
            memory: self.memory.unwrap_or(MemorySize::Auto),
            threads: self.threads.map(usize::from),
            cancellation: cancellation.clone(),
            observer: Arc::new(Notes),
            ..OpenOptions::default()
        }
    }
}

/// Observer that prints notes.
struct Notes;

impl Observer for Notes {
    fn note(&self, message: &str) {
        remark(&format!("note: {message}"));
    }
}

/// Store that is removed on drop.
pub(crate) struct MadeStore {
    pub(crate) path: PathBuf,
    /// Seconds for creating it.
    pub(crate) seconds: f64,
    /// Seconds of these for computing its order.
    pub(crate) ordering: f64,
}

impl Drop for MadeStore {
    fn drop(&mut self) {
        // A store that cannot be removed stays in the user's work folder.
        _ = std::fs::remove_dir_all(&self.path);
    }
}

/// Caches, in percent of the lists that a run opens.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Caches {
    pub(crate) page: f64,
    /// Static cache.
    pub(crate) fixed: f64,
}

/// Creates stores, runs algorithms and collects the records.
pub(crate) struct Harness<'h> {
    pub(crate) setup: &'h Setup,
    cancellation: &'h Cancellation,
    records: RefCell<Vec<RunRecord>>,
}

impl<'h> Harness<'h> {
    pub(crate) const fn new(setup: &'h Setup, cancellation: &'h Cancellation) -> Self {
        Self { setup, cancellation, records: RefCell::new(Vec::new()) }
    }

    pub(crate) const fn cancellation(&self) -> &Cancellation {
        self.cancellation
    }

    /// Returns the folder for temporary stores.
    pub(crate) fn work(&self) -> PathBuf {
        let beside = || self.setup.store.parent().map_or_else(PathBuf::new, Path::to_path_buf);
        self.setup.work.clone().unwrap_or_else(beside)
    }

    pub(crate) fn options(&self) -> OpenOptions {
        // Without pinned lists, lists are not decoded in memory either: tables compare layouts and caches.
        let static_cache = StaticShare::Percent(0.0);
        let options = self.setup.resources.options(self.cancellation);
        OpenOptions { temp_folder: self.setup.work.clone(), static_cache, ..options }
    }

    /// Converts the user's store to another layout, and optionally to another order.
    pub(crate) fn convert(&self, name: &str, layout: Layout, order: Option<BuildOrder>) -> Result<MadeStore> {
        self.convert_by(name, ConvertRequest { order, ..ConvertRequest::new(&self.setup.store, "", layout) })
    }

    /// Reorders `source` by an order of the laboratory.
    pub(crate) fn reorder(&self, source: &Path, name: &str, order: GivenOrder) -> Result<MadeStore> {
        let (layout, given_order) = (self.layout()?, Some(order));
        self.convert_by(name, ConvertRequest { given_order, ..ConvertRequest::new(source, "", layout) })
    }

    fn convert_by(&self, name: &str, request: ConvertRequest) -> Result<MadeStore> {
        let path = self.target(name);
        let OpenOptions { memory, threads, observer, .. } = self.options();
        let request = ConvertRequest { memory, threads, store: path.clone(), ..request };
        let record = convert(&request, self.cancellation, &*observer)?;
        let ordering = record.phases.iter().filter(|phase| phase.name.starts_with("ordering"));
        let ordering = ordering.fold(0.0, |sum, phase| sum + phase.seconds);
        Ok(MadeStore { path, seconds: record.cost.seconds, ordering })
    }

    /// Copies the user's store, which stays unchanged: its files are hard-linked if possible.
    pub(crate) fn copy(&self, name: &str) -> Result<MadeStore> {
        let (from, path) = (&self.setup.store, self.target(name));
        let failed = |error| Error::io("copy", from, error);
        std::fs::create_dir(&path).map_err(|error| Error::io("make", &path, error))?;
        let made = MadeStore { path, seconds: 0.0, ordering: 0.0 };
        for file in std::fs::read_dir(from).map_err(failed)? {
            let file = file.map_err(failed)?;
            let target = made.path.join(file.file_name());
            std::fs::hard_link(file.path(), &target)
                .or_else(|_| std::fs::copy(file.path(), &target).map(|_| ()))
                .map_err(failed)?;
        }
        Ok(made)
    }

    fn target(&self, name: &str) -> PathBuf {
        self.work().join(format!("outcrop-bench-{name}.outcrop"))
    }

    /// Returns the layout of the user's store.
    pub(crate) fn layout(&self) -> Result<Layout> {
        Ok(self.open()?.layout_settings())
    }

    /// Returns a request for a run from the source, without weights if the papers use none.
    pub(crate) fn request(&self, algorithm: &str) -> Result<RunRequest<'static>> {
        let request = RunRequest::new(algorithm)?;
        match algorithm {
            "bfs" | "sssp" => request.with("source", self.setup.source.clone()),
            "ppr" => request.with("source", self.setup.source.clone())?.with("unweighted", true),
            "pagerank" => request.with("unweighted", true),
            _ => Ok(request),
        }
    }

    /// Returns options for a run with caches of the given percentages of the lists.
    pub(crate) fn with_caches(&self, store: &Path, request: &RunRequest<'_>, caches: Caches) -> Result<OpenOptions> {
        let estimate = Graph::open(store, self.options())?.estimate(request)?;
        let lists = estimate.all_in_memory.saturating_sub(estimate.minimum) as f64;
        let together = caches.page + caches.fixed;
        Ok(OpenOptions {
            page_cache: CacheSize::Bytes((lists * together / 100.0) as u64),
            static_cache: StaticShare::Percent(100.0 * caches.fixed / together),
            ..self.options()
        })
    }

    /// Opens the user's store.
    pub(crate) fn open(&self) -> Result<Graph> {
        Graph::open(&self.setup.store, self.options())
    }

    /// Returns the maximum of the minimum memory over all runs, plus a quarter of the additional memory for keeping
    /// everything in memory.
    pub(crate) fn quarter(&self, runs: &[(&Path, &RunRequest<'_>)]) -> Result<u64> {
        let estimate = |(store, request): &(&Path, &RunRequest<'_>)| {
            Graph::open(store, self.options()).and_then(|graph| graph.estimate(request))
        };
        let estimates: Vec<_> = runs.iter().map(estimate).collect::<Result<_>>()?;
        let least = estimates.iter().map(|estimate| estimate.minimum).max().unwrap_or(0);
        let whole = estimates.iter().map(|estimate| estimate.all_in_memory).max().unwrap_or(0);
        Ok(least + whole.saturating_sub(least) / 4)
    }

    /// Runs an algorithm once.
    pub(crate) fn run_once(&self, store: &Path, options: &OpenOptions, request: &RunRequest<'_>) -> Result<RunRecord> {
        Ok(Graph::open(store, options.clone())?.run(request)?.record())
    }

    /// Runs an algorithm the requested number of times; returns the record of the run of median length.
    pub(crate) fn run(&self, store: &Path, options: &OpenOptions, request: &RunRequest<'_>) -> Result<RunRecord> {
        let graph = Graph::open(store, options.clone())?;
        let once = |_| graph.run(request).map(|result| result.record());
        let mut records: Vec<RunRecord> = (0..self.setup.repeat).map(once).collect::<Result<_>>()?;
        records.sort_by(|one, other| one.time.seconds.total_cmp(&other.time.seconds));
        let median = records.len() / 2;
        let record =
            records.into_iter().nth(median).ok_or_else(|| Error::internal("an algorithm was run zero times"))?;
        self.records.borrow_mut().push(record.clone());
        Ok(record)
    }

    /// Makes each of `tables` and prints its sections as soon as they are made; as JSON after the last one, or after
    /// those before one that fails.
    pub(crate) fn print_each<T>(&self, tables: &[T], make: impl Fn(&T) -> Result<Vec<Section>>) -> Result<()> {
        let mut sections = Vec::new();
        let made = tables.iter().try_for_each(|table| {
            let made = make(table)?;
            if !self.setup.json {
                self.print(&made)?;
            }
            sections.extend(made);
            Ok(())
        });
        if self.setup.json && (made.is_ok() || !sections.is_empty()) {
            self.print(&sections)?;
        }
        made
    }

    /// Prints the sections of a paper.
    pub(crate) fn print(&self, sections: &[Section]) -> Result<()> {
        if self.setup.json {
            return say_json(&Printed { sections, runs: &self.records.borrow() });
        }
        say(sections.iter().map(Section::text).collect::<String>().trim_start())
    }
}

/// Returns the median of `values`; `None` if there are none.
pub(crate) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let (low, high) = (values.get(values.len().checked_sub(1)? / 2)?, values.get(values.len() / 2)?);
    Some(f64::midpoint(*low, *high))
}

/// Sections, and the runs they are based on.
#[derive(Serialize)]
struct Printed<'p> {
    sections: &'p [Section],
    runs: &'p [RunRecord],
}
