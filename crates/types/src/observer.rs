//! Observers of a build or a run: progress bars, run records and reports.

use crate::progress::{Phase, Progress};
use serde::{Deserialize, Serialize};

/// Direction of the value flow in an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EdgeDirection {
    /// Along the out-edges of active vertices.
    Push,
    /// Along the in-edges of all vertices that request values.
    Pull,
}

/// Access to the adjacency lists in an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AccessMode {
    /// Only the needed lists.
    Select,
    /// Every list, in disk order.
    Sweep,
}

/// Record of one iteration.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct IterationRecord {
    /// Number of the iteration, starting at 1.
    pub iteration: u32,
    /// Number of vertices in the frontier.
    pub active_vertices: u64,
    /// Number of edges that leave the frontier, independent of the direction of traversal.
    pub active_edges: u64,
    /// Estimated bytes for reading only the lists of the frontier, before any I/O.
    pub select_bytes: u64,
    /// Estimated bytes for a sweep; 0 if there was no choice.
    #[serde(default)]
    pub sweep_bytes: u64,
    /// Estimated seconds for a select; 0 if there was no choice.
    #[serde(default)]
    pub select_seconds: f64,
    /// Estimated seconds for a sweep; 0 if there was no choice.
    #[serde(default)]
    pub sweep_seconds: f64,
    /// Seconds spent on estimates and the choice.
    #[serde(default)]
    pub seconds_scheduling: f64,
    /// Push or pull.
    pub direction: EdgeDirection,
    /// Select or sweep.
    pub access: AccessMode,
    /// Change that determines convergence, if the algorithm has one.
    pub change: Option<f64>,
    /// Bytes read from the store.
    pub bytes_read: u64,
    /// Bytes read of vertex values on disk.
    #[serde(default)]
    pub value_bytes_read: u64,
    /// Bytes written of vertex values on disk.
    #[serde(default)]
    pub bytes_written: u64,
    /// Number of read requests, after merging.
    pub requests: u64,
    /// Number of pages found in the page cache.
    pub cache_hits: u64,
    /// Number of pages read.
    pub cache_misses: u64,
    /// Number of lists found in the static cache.
    #[serde(default)]
    pub static_hits: u64,
    /// Number of lists read from pages although there is a static cache.
    #[serde(default)]
    pub static_misses: u64,
    /// Seconds spent waiting for reads, summed over workers.
    pub seconds_waiting: f64,
    /// Seconds from start to end.
    pub seconds: f64,
}

/// Observer of the progress of a build or run. By default, all methods do nothing; implementations must be fast.
pub trait Observer: Send + Sync {
    /// Reports the start of a phase and the end of the previous one, if any.
    fn phase(&self, phase: &Phase) {
        _ = phase;
    }

    /// Reports progress of the current phase: `done` units since its start.
    fn progress(&self, done: u64) {
        _ = done;
    }

    /// Returns true if [`Observer::run`] should be called a few times per second.
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

    /// Reports a note for the user, such as the use of a fallback.
    fn note(&self, message: &str) {
        _ = message;
    }
}

/// Observer that ignores everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {}
