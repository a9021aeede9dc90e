//! Runs with caches of given sizes, and their figures.

use super::arguments::BascArguments;
use crate::harness::{Caches, Harness};
use crate::opened::Opened;
use crate::output::{bytes, remark};
use crate::placement::Ranking;
use crate::table::{Grid, Table};
use outcrop::{
    CacheSize, Cancellation, Graph, OpenOptions, Result, RunRecord, RunRequest, SelectionRequest, Selector, Utilization,
};
use outcrop_types::Stopwatch;
use std::path::Path;

/// Page cache of runs with a static cache, in percent of the lists.
pub(super) const PAGE: f64 = 5.0;

/// Runs the algorithms as in the paper.
pub(super) struct Basc<'b> {
    pub(super) harness: Harness<'b>,
    pub(super) arguments: &'b BascArguments,
}

impl<'b> Basc<'b> {
    pub(super) const fn new(arguments: &'b BascArguments, cancellation: &'b Cancellation) -> Self {
        Self { harness: Harness::new(&arguments.setup, cancellation), arguments }
    }

    /// Returns the user's store.
    pub(super) fn store(&self) -> &Path {
        &self.arguments.setup.store
    }

    /// Adds a row of all algorithms, with caches of `page` and `fixed` (the static cache) percent of the lists.
    pub(super) fn row(&self, grid: &mut Grid, label: &str, store: &Path, page: f64, fixed: f64) -> Result<()> {
        remark(&format!("{label}, page cache {page:.0}%, static {fixed:.0}%"));
        let run = |name: &String| self.run(name, store, page, fixed);
        grid.row(label, self.arguments.algorithms.iter().map(run).collect::<Result<_>>()?);
        Ok(())
    }

    /// Runs an algorithm with caches of the given percentages.
    pub(super) fn run(&self, name: &str, store: &Path, page: f64, fixed: f64) -> Result<RunRecord> {
        let request = self.request(name)?;
        let options = self.harness.with_caches(store, &request, Caches { page, fixed })?;
        self.harness.run(store, &OpenOptions { utilization: Utilization::Tracked, ..options }, &request)
    }

    /// Returns the request for an algorithm as in the paper (section 5).
    fn request(&self, name: &str) -> Result<RunRequest<'static>> {
        let request = self.harness.request(name)?;
        match name {
            "bc" => request.with("samples", self.arguments.samples),
            "apsp" => request.with("samples", self.arguments.sources),
            "wcc" => request.with("method", "label-propagation"),
            _ => Ok(request),
        }
    }

    /// Ranks the lists of `store` by `ranking` and selects `percent` percent of them; returns the seconds for ranking
    /// and selecting.
    pub(super) fn select_ranked(&self, store: &Path, ranking: Ranking, percent: f64) -> Result<f64> {
        let watch = Stopwatch::start();
        let selector = ranking.select(&Opened::open(store, &self.harness.options())?)?;
        let ranked = watch.seconds();
        Ok(ranked + self.select(store, selector, percent)?)
    }

    /// Selects `percent` percent of the lists; returns the seconds for selecting.
    pub(super) fn select(&self, store: &Path, selector: Selector, percent: f64) -> Result<f64> {
        let graph = Graph::open(store, self.harness.options())?;
        let record = graph.select(&SelectionRequest { size: CacheSize::Percent(percent), selector, keep: true })?;
        Ok(record.selections.iter().fold(0.0, |sum, selection| sum + selection.seconds_selecting))
    }
}

pub(super) const fn seconds(run: &RunRecord) -> f64 {
    run.time.seconds
}

/// Returns the bytes read, without loading the static cache.
pub(super) const fn bytes_read(run: &RunRecord) -> f64 {
    run.traffic.bytes_read.saturating_sub(run.pinned.static_cache_bytes) as f64
}

pub(super) fn ratio(ratio: Option<f64>) -> String {
    ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{:.1}%", 100.0 * ratio))
}

/// Returns tables of seconds and of bytes read.
pub(super) fn costs(grid: &Grid) -> Vec<Table> {
    vec![
        grid.relative("Seconds", seconds, |seconds| format!("{seconds:.2}")),
        grid.relative("Bytes read", bytes_read, |read| bytes(read as u64)),
    ]
}

pub(super) fn hit_ratio(grid: &Grid) -> Table {
    grid.table("Hit ratio of the page cache", |run| ratio(run.cache.cache_hit_ratio))
}

pub(super) fn utilization(grid: &Grid) -> Table {
    grid.table("Part of a page's 64-byte units that was used", |run| ratio(run.cache.page_utilization))
}

/// Formats the harmonic means, over all runs, of the speedup of `others` over `bases` and of the bytes saved.
pub(super) fn faster<'r>(
    bases: impl Iterator<Item = &'r RunRecord>,
    others: impl Iterator<Item = &'r RunRecord>,
) -> String {
    let ratio = |base: f64, other: f64| other / base.max(f64::MIN_POSITIVE);
    let (count, time, read) = bases.zip(others).fold((0.0, 0.0, 0.0), |(count, time, read), (base, other)| {
        (count + 1.0, time + ratio(seconds(base), seconds(other)), read + ratio(bytes_read(base), bytes_read(other)))
    });
    format!("{:.2} times as fast, with {:.2} times fewer bytes (harmonic means)", count / time, count / read)
}
