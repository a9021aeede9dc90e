//! Runs of algorithms with caches of given sizes, and what they cost.

use super::BascArguments;
use crate::commands::bench::trials::{make, median};
use outcrop::{
    BuildOrder, CacheSize, Cancellation, Error, Graph, Layout, OpenOptions, Result, RunRecord, RunRequest,
    SelectionRequest, Selector, StaticShare, Utilisation,
};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Cache memory, in parts of the lists that a run opens.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Caches {
    /// The page cache, in percent.
    pub(super) page: f64,
    /// The static cache, in percent.
    pub(super) fixed: f64,
}

impl Caches {
    pub(super) const fn new(page: f64, fixed: f64) -> Self {
        Self { page, fixed }
    }
}

/// What an algorithm cost: the run of middle length of several.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Run {
    pub(super) algorithm: String,
    pub(super) seconds: f64,
    pub(super) cpu_seconds: f64,
    /// Besides loading the static cache.
    pub(super) bytes_read: u64,
    pub(super) requests: u64,
    pub(super) cache_hit_ratio: Option<f64>,
    pub(super) static_hit_ratio: Option<f64>,
    pub(super) page_utilisation: Option<f64>,
}

impl Run {
    fn of(record: &RunRecord) -> Self {
        Self {
            algorithm: record.algorithm.to_string(),
            seconds: record.seconds,
            cpu_seconds: record.user_seconds + record.system_seconds,
            bytes_read: record.bytes_read.saturating_sub(record.static_cache_bytes),
            requests: record.requests,
            cache_hit_ratio: record.cache_hit_ratio,
            static_hit_ratio: record.static_hit_ratio,
            page_utilisation: record.page_utilisation,
        }
    }
}

/// A version of the store with caches: one line of a table.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Row {
    pub(super) label: String,
    /// Seconds that the selection or order took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) making: Option<f64>,
    pub(super) runs: Vec<Run>,
}

/// Runs the algorithms.
pub(super) struct Laboratory<'l> {
    pub(super) arguments: &'l BascArguments,
    pub(super) cancellation: &'l Cancellation,
}

impl Laboratory<'_> {
    /// Opens a store with the machine's memory, but for caches.
    pub(super) fn open(&self, store: &Path, page: CacheSize, fixed: StaticShare) -> Result<Graph> {
        let options = OpenOptions {
            page_cache: page,
            static_cache: fixed,
            utilisation: Utilisation::Tracked,
            ..self.arguments.options.open(self.cancellation)
        };
        Graph::open(store, options)
    }

    /// Runs all algorithms.
    pub(super) fn row(&self, label: impl Into<String>, store: &Path, caches: Caches) -> Result<Row> {
        let label = label.into();
        crate::output::remark(&format!(
            "outcrop: {label}, page cache {:.0}%, static {:.0}%",
            caches.page, caches.fixed
        ));
        let run = |name: &String| self.median(name, store, caches);
        let runs = self.arguments.algorithms.iter().map(run).collect::<Result<_>>()?;
        Ok(Row { label, making: None, runs })
    }

    fn median(&self, name: &str, store: &Path, caches: Caches) -> Result<Run> {
        let request = self.request(name)?;
        let plain = self.open(store, CacheSize::Rest, StaticShare::Auto)?;
        let estimate = plain.estimate(&request)?;
        let whole = (estimate.all_in_memory - estimate.minimum) as f64;
        let together = caches.page + caches.fixed;
        let page = CacheSize::Bytes((whole * together / 100.0) as u64);
        let fixed = StaticShare::Percent(100.0 * caches.fixed / together);
        drop(plain);
        let graph = self.open(store, page, fixed)?;
        Ok(Run::of(&median(&graph, &request, self.arguments.repeat)?))
    }

    /// The algorithm as the paper runs it (section 5).
    fn request(&self, name: &str) -> Result<RunRequest<'static>> {
        let request = RunRequest::new(name)?;
        match name {
            "bfs" | "sssp" => request.with("source", vec![self.arguments.source.clone()]),
            "bc" => request.with("samples", self.arguments.samples),
            "apsp" => request.with("samples", self.arguments.sources),
            "wcc" => request.with("method", "label-propagation"),
            "pagerank" => request.with("unweighted", true),
            _ => Ok(request),
        }
    }

    /// The user's store under another name, so that nothing of the user's changes: its files are linked, not copied, where that works.
    pub(super) fn copy(&self, name: &str) -> Result<PathBuf> {
        let (from, to) = (&self.arguments.store, self.target(name));
        let failed = |error| Error::io("copy", from, error);
        std::fs::create_dir(&to).map_err(|error| Error::io("make", &to, error))?;
        for file in std::fs::read_dir(from).map_err(failed)? {
            let file = file.map_err(failed)?;
            let target = to.join(file.file_name());
            std::fs::hard_link(file.path(), &target)
                .or_else(|_| std::fs::copy(file.path(), &target).map(|_| ()))
                .map_err(failed)?;
        }
        Ok(to)
    }

    /// The same graph in another layout, and order if one is given, and the seconds that this took.
    pub(super) fn convert(&self, name: &str, layout: Layout, order: Option<BuildOrder>) -> Result<(PathBuf, f64)> {
        self.convert_from(&self.arguments.store, name, layout, order)
    }

    /// The same from a store that was made before.
    pub(super) fn convert_from(
        &self,
        store: &Path,
        name: &str,
        layout: Layout,
        order: Option<BuildOrder>,
    ) -> Result<(PathBuf, f64)> {
        let target = self.target(name);
        let record = make(&self.arguments.options, self.cancellation, (store, &target), layout, order)?;
        let ordering =
            record.phases.iter().filter(|phase| phase.name.starts_with("ordering")).map(|phase| phase.seconds);
        Ok((target, ordering.fold(0.0, |sum, seconds| sum + seconds)))
    }

    /// The layout of the user's store.
    pub(super) fn layout(&self) -> Result<Layout> {
        Ok(Graph::open(&self.arguments.store, OpenOptions::default())?.layout_settings())
    }

    fn target(&self, name: &str) -> PathBuf {
        self.arguments.work.join(format!("basc-{name}.outcrop"))
    }

    /// Selects so many percent of the lists; the seconds of the choosing.
    pub(super) fn select(&self, store: &Path, selector: Selector, percent: f64) -> Result<f64> {
        let graph = self.open(store, CacheSize::Rest, StaticShare::Auto)?;
        let record = graph.select(&SelectionRequest { size: CacheSize::Percent(percent), selector })?;
        Ok(record.selections.iter().map(|selection| selection.seconds_selecting).sum())
    }

    pub(super) fn remove(&self, store: &Path) -> Result<()> {
        std::fs::remove_dir_all(store).map_err(|error| Error::io("remove", store, error))
    }
}
