//! Runs, and the stores that they need.

use super::super::trials::{make, median};
use super::LoscArguments;
use crate::output::bytes;
use outcrop::{
    CacheSize, Cancellation, CompactSettings, CsrSettings, Graph, Layout, MemorySize, Model, OpenOptions, Result,
    RunRecord, RunRequest, Schedule,
};
use std::path::{Path, PathBuf};

/// The paper's five algorithms (section 4.1).
pub(super) const ALGORITHMS: [&str; 5] = ["pagerank", "spmv", "bfs", "wcc", "sssp"];

/// How a run is made.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Setting {
    pub(super) model: Option<Model>,
    pub(super) schedule: Schedule,
    /// All memory of the run; `None` for what the user gave.
    pub(super) memory: Option<u64>,
    /// The page cache, in percent of the lists that are opened.
    pub(super) cache_percent: Option<f64>,
    pub(super) threads: Option<usize>,
}

/// Runs algorithms.
pub(super) struct Laboratory<'l> {
    pub(super) arguments: &'l LoscArguments,
    pub(super) cancellation: &'l Cancellation,
}

/// A store that is removed in the end.
pub(super) struct Made {
    pub(super) path: PathBuf,
    pub(super) seconds: f64,
}

impl Drop for Made {
    fn drop(&mut self) {
        // What cannot be removed is left where the user said that stores are made.
        _ = std::fs::remove_dir_all(&self.path);
    }
}

impl Laboratory<'_> {
    /// The store in another layout.
    pub(super) fn convert(&self, name: &str, layout: Layout) -> Result<Made> {
        let path = self.arguments.work.join(format!("losc-{name}.outcrop"));
        let stores = (&*self.arguments.store, &*path);
        let seconds = make(&self.arguments.options, self.cancellation, stores, layout, None)?.seconds;
        Ok(Made { path, seconds })
    }

    pub(super) fn csr(&self) -> Result<Made> {
        self.convert("csr", Layout::Csr(CsrSettings::default()))
    }

    pub(super) fn compact(&self) -> Result<Made> {
        self.convert("compact", Layout::Compact(CompactSettings::default()))
    }

    pub(super) fn open(&self, store: &Path, setting: Setting) -> Result<Graph> {
        let plain = self.arguments.options.open(self.cancellation);
        let memory = setting.memory.map_or(plain.memory, MemorySize::Bytes);
        Graph::open(store, OpenOptions { memory, threads: setting.threads.or(plain.threads), ..plain })
    }

    /// The algorithm as the paper runs it: five iterations of PageRank, all others to their ends.
    pub(super) fn request(&self, algorithm: &str, setting: Setting) -> Result<RunRequest<'static>> {
        let model = setting.model.map_or("auto", Model::name);
        let request = RunRequest::new(algorithm)?.with("model", model)?.with("schedule", setting.schedule.name())?;
        match algorithm {
            "pagerank" => request.with("iterations", 5_u32)?.with("unweighted", true),
            "bfs" | "sssp" => request.with("source", vec![self.arguments.source.clone()]),
            "wcc" if setting.model != Some(Model::Interval) => request.with("method", "label-propagation"),
            _ => Ok(request),
        }
    }

    /// The run of middle length.
    pub(super) fn run(&self, store: &Path, algorithm: &str, setting: Setting) -> Result<RunRecord> {
        let request = self.request(algorithm, setting)?;
        let mut graph = self.open(store, setting)?;
        if let Some(percent) = setting.cache_percent {
            let estimate = graph.estimate(&request)?;
            let whole = estimate.all_in_memory.saturating_sub(estimate.minimum) as f64;
            let page_cache = CacheSize::Bytes((whole * percent / 100.0) as u64);
            let plain = self.arguments.options.open(self.cancellation);
            graph = Graph::open(store, OpenOptions { page_cache, ..plain })?;
        }
        median(&graph, &request, self.arguments.repeat)
    }

    /// The bytes of a store's files that hold its edges: all but those of ids.
    pub(super) fn list_bytes(&self, store: &Path) -> Result<u64> {
        let info = Graph::open(store, OpenOptions::default())?.info();
        Ok(info.layouts.iter().map(|layout| layout.bytes).sum())
    }
}

/// Seconds and bytes of a run.
pub(super) fn cell(record: &RunRecord) -> String {
    let written =
        if record.bytes_written > 0 { format!(" + {} written", bytes(record.bytes_written)) } else { String::new() };
    format!("{:.2} s, {}{written}", record.seconds, bytes(record.bytes_read))
}
