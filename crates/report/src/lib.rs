//! The record of a run: what it did, what it cost, and what each iteration did. One JSON object.
#![forbid(unsafe_code)]

use outcrop_types::{IterationRecord, MemoryPlan, Observer, Phase};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// What a run did and cost. Times are in seconds, sizes in bytes.
#[derive(Clone, Debug, Serialize)]
pub struct RunRecord {
    /// The algorithm's name on the command line.
    pub algorithm: &'static str,
    /// How values flowed.
    pub model: &'static str,
    /// How adjacency lies on disk.
    pub layout: &'static str,
    /// The parameters as they were meant.
    pub parameters: BTreeMap<&'static str, serde_json::Value>,
    /// Vertices of the graph.
    pub vertices: u32,
    /// Edges of the graph.
    pub edges: u64,
    /// Iterations done.
    pub iterations: u32,
    /// Whether the tolerance was reached; `None` where none was asked for.
    pub converged: Option<bool>,
    /// The last change, where a tolerance was asked for.
    pub change: Option<f64>,
    /// The algorithm alone.
    pub seconds: f64,
    /// With opening the store and loading indexes.
    pub seconds_total: f64,
    /// Processor time of the process in the program, since the run began.
    pub user_seconds: f64,
    /// Processor time of the process in the system, since the run began.
    pub system_seconds: f64,
    /// Bytes of lists read from the device.
    pub bytes_read: u64,
    /// Bytes written by the run to disk.
    pub bytes_written: u64,
    /// Read requests, after merging.
    pub requests: u64,
    /// The most memory that the process ever had resident.
    pub peak_rss: u64,
    /// The budget.
    pub memory_budget: u64,
    /// The most that was reserved at once.
    pub memory_peak: u64,
    /// The most that was reserved, by purpose.
    pub memory: MemoryPlan,
    /// Units found in the page cache.
    pub cache_hits: u64,
    /// Units that were read.
    pub cache_misses: u64,
    /// Seconds that workers waited for reads, summed over workers.
    pub seconds_waiting: f64,
    /// Threads.
    pub threads: usize,
    /// How the store was read.
    pub io: String,
    /// What each iteration did.
    pub iterations_detail: Vec<IterationRecord>,
}

/// Keeps the records of iterations and passes everything on to another observer.
pub struct Recorder<'o> {
    next: &'o dyn Observer,
    iterations: Mutex<Vec<IterationRecord>>,
}

impl<'o> Recorder<'o> {
    /// The most iterations that are kept: runs on road networks have thousands, and records are kept in memory.
    pub const MOST: usize = 10_000;

    /// A recorder in front of `next`.
    pub fn new(next: &'o dyn Observer) -> Self {
        Self { next, iterations: Mutex::default() }
    }

    /// Takes out what was recorded: the first [`Recorder::MOST`] iterations.
    pub fn take_iterations(&self) -> Vec<IterationRecord> {
        std::mem::take(&mut *self.iterations.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Observer for Recorder<'_> {
    fn phase(&self, phase: &Phase) {
        self.next.phase(phase);
    }

    fn progress(&self, done: u64) {
        self.next.progress(done);
    }

    fn iteration(&self, record: &IterationRecord) {
        let mut kept = self.iterations.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < Self::MOST {
            kept.push(record.clone());
        }
        drop(kept);
        self.next.iteration(record);
    }

    fn note(&self, message: &str) {
        self.next.note(message);
    }
}
