//! Observers of a build or a run: progress bars, run records and reports.

use crate::progress::{Phase, Progress};
use serde::{Deserialize, Serialize};

/// Way that the values flowed in an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EdgeDirection {
    /// Along the out-edges of active vertices.
    Push,
    /// Along the in-edges of all vertices that want them.
    Pull,
}

/// Way that the adjacency was reached in an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AccessMode {
    /// Only the lists that are needed.
    Select,
    /// Everything, in the order of the disk.
    Sweep,
}

/// Record of one iteration.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct IterationRecord {
    /// 1-based.
    pub iteration: u32,
    /// Vertices of the frontier.
    pub active_vertices: u64,
    /// Edges that leave the frontier, whichever way they were gone through.
    pub active_edges: u64,
    /// Bytes that reading only the lists of the frontier was estimated to take, before any I/O.
    pub select_bytes: u64,
    /// Bytes that sweeping was estimated to take; 0 if there was nothing to decide.
    #[serde(default)]
    pub sweep_bytes: u64,
    /// Seconds that selecting was estimated to take; 0 if there was nothing to decide.
    #[serde(default)]
    pub select_seconds: f64,
    /// Seconds that sweeping was estimated to take; 0 if there was nothing to decide.
    #[serde(default)]
    pub sweep_seconds: f64,
    /// Seconds that estimating and deciding took.
    #[serde(default)]
    pub seconds_scheduling: f64,
    /// Push or pull.
    pub direction: EdgeDirection,
    /// Select or sweep.
    pub access: AccessMode,
    /// The change that determines convergence, if the algorithm has one.
    pub change: Option<f64>,
    /// Bytes read from the store.
    pub bytes_read: u64,
    /// Bytes read of vertex values that lie on disk.
    #[serde(default)]
    pub value_bytes_read: u64,
    /// Bytes written: vertex values that lie on disk.
    #[serde(default)]
    pub bytes_written: u64,
    /// Read requests, after merging.
    pub requests: u64,
    /// Pages found in the page cache.
    pub cache_hits: u64,
    /// Pages that were read.
    pub cache_misses: u64,
    /// Lists that came from the static cache.
    #[serde(default)]
    pub static_hits: u64,
    /// Lists that came from pages although there is a static cache.
    #[serde(default)]
    pub static_misses: u64,
    /// Seconds that workers waited for reads, summed over workers.
    pub seconds_waiting: f64,
    /// Seconds from start to end.
    pub seconds: f64,
}

/// Observer of the progress of a build or run. By default, all methods do nothing; they must be quick.
pub trait Observer: Send + Sync {
    /// Reports the start of a phase and the end of the previous one, if any.
    fn phase(&self, phase: &Phase) {
        _ = phase;
    }

    /// Reports progress of the current phase: `done` units since its start.
    fn progress(&self, done: u64) {
        _ = done;
    }

    /// True if [`Observer::run`] should be called a few times per second.
    fn watches_runs(&self) -> bool {
        false
    }

    /// Reports the state of a run in progress. Called by a separate thread, a few times per second and at the end, if
    /// the observer watches runs.
    fn run(&self, progress: &Progress) {
        _ = progress;
    }

    /// Reports the end of an iteration.
    fn iteration(&self, record: &IterationRecord) {
        _ = record;
    }

    /// Reports a note for the user, such as a fallback that was taken.
    fn note(&self, message: &str) {
        _ = message;
    }
}

/// An observer that keeps everything to itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {}
