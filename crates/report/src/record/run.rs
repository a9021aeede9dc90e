//! Record of a run.

use super::memory::MemoryRecord;
use super::{CheckpointRecord, GasRecord, IncrementalRecord, MessageRecord};
use outcrop_types::IterationRecord;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Record of building the graph of a time window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WindowRecord {
    /// Start of the window.
    pub start: String,
    /// End of the window, exclusive.
    pub end: String,
    /// Seconds for reading the edges and building a store from them.
    pub seconds: f64,
    /// Bytes read from disk, if the system reports them.
    pub bytes_read: Option<u64>,
    /// Bytes written to disk.
    pub bytes_written: Option<u64>,
    /// Size of the store in bytes.
    pub store_bytes: u64,
}

/// Record of a run and its costs. Times are in seconds, sizes in bytes. In JSON, it is one object with the keys of all
/// parts in declaration order.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunRecord {
    /// Algorithm, store and parameters.
    #[serde(flatten)]
    pub task: TaskRecord,
    /// Result for the whole graph, and the first rows.
    #[serde(flatten)]
    pub answer: AnswerRecord,
    /// Command, date, machine and disk.
    #[serde(flatten)]
    pub environment: EnvironmentRecord,
    /// True if the run used the weights of the store.
    #[serde(default)]
    pub weighted: bool,
    /// Notes of the run, as shown to the user.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Size of the graph.
    #[serde(flatten)]
    pub graph: GraphRecord,
    /// Iterations and convergence.
    #[serde(flatten)]
    pub convergence: ConvergenceRecord,
    /// Times.
    #[serde(flatten)]
    pub time: TimeRecord,
    /// Bytes read and written.
    #[serde(flatten)]
    pub traffic: TrafficRecord,
    /// Records of models and options that only some runs use.
    #[serde(flatten)]
    pub optional: OptionalRecords,
    /// Files and requests.
    #[serde(flatten)]
    pub files: FilesRecord,
    /// Memory.
    #[serde(flatten)]
    pub memory: MemoryRecord,
    /// Page cache.
    #[serde(flatten)]
    pub cache: CacheRecord,
    /// Static cache.
    #[serde(flatten)]
    pub pinned: PinnedRecord,
    /// Visited lists.
    #[serde(flatten)]
    pub reading: ReadingRecord,
    /// Records of the iterations.
    pub iterations_detail: Vec<IterationRecord>,
}

/// Task of a run: algorithm, model, layout, schedule, store and parameters.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TaskRecord {
    /// Name of the algorithm on the command line.
    pub algorithm: Cow<'static, str>,
    /// Execution model.
    pub model: Cow<'static, str>,
    /// Layout of adjacency lists on disk.
    pub layout: Cow<'static, str>,
    /// Requested schedule for reading lists: `auto`, `select` or `sweep`.
    #[serde(default)]
    pub schedule: Cow<'static, str>,
    /// Path of the store, as given by the user.
    #[serde(default)]
    pub store: String,
    /// Time window of the graph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<WindowRecord>,
    /// Effective parameters.
    pub parameters: BTreeMap<Cow<'static, str>, serde_json::Value>,
}

/// Result of a run for the whole graph, without the values per vertex.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AnswerRecord {
    /// Numbers computed for the whole graph.
    #[serde(default)]
    pub values: BTreeMap<Cow<'static, str>, serde_json::Value>,
    /// Summary of the values, by name.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub summary: serde_json::Map<String, serde_json::Value>,
    /// Distribution of the values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub histogram: Option<Histogram>,
    /// First rows with `--top`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top: Option<TopRows>,
}

/// Environment of a run: command, date, machine and disk.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EnvironmentRecord {
    /// Command line, if any.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// Start of the run, in seconds since 1970 (UTC).
    #[serde(default)]
    pub started: u64,
    /// Processor and memory of the machine.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub machine: String,
    /// Disk of the store, and its speed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub disk: String,
}

/// Size of a graph.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GraphRecord {
    /// Number of vertices.
    pub vertices: u32,
    /// Number of edges.
    pub edges: u64,
}

/// Iterations and convergence of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ConvergenceRecord {
    /// Number of completed iterations.
    pub iterations: u32,
    /// True if the tolerance was reached; `None` if none was requested.
    pub converged: Option<bool>,
    /// Last change, if a tolerance was requested.
    pub change: Option<f64>,
}

/// Duration of a run in seconds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TimeRecord {
    /// Seconds of the algorithm alone.
    pub seconds: f64,
    /// Total seconds, including opening the store and loading indexes.
    pub seconds_total: f64,
    /// Seconds for estimating the costs of selecting and sweeping, and for choosing.
    #[serde(default)]
    pub seconds_scheduling: f64,
    /// User CPU time of the process since the run began, in seconds.
    pub user_seconds: f64,
    /// System CPU time of the process since the run began, in seconds.
    pub system_seconds: f64,
}

/// Bytes read and written by a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TrafficRecord {
    /// Bytes of lists read from the device.
    pub bytes_read: u64,
    /// Bytes written by the run to disk.
    pub bytes_written: u64,
    /// True if vertex values were in temporary files.
    #[serde(default)]
    pub values_on_disk: bool,
    /// Bytes of vertex values read from temporary files.
    #[serde(default)]
    pub value_bytes_read: u64,
}

/// Records of models and options; `None` if unused.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OptionalRecords {
    /// Messages, logs and the edge log; `None` in other models.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages: Option<MessageRecord>,
    /// Shards and edge values; `None` in other models.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gas: Option<GasRecord>,
    /// Checkpoints; `None` if none were requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoints: Option<CheckpointRecord>,
    /// Incremental start from the previous result; `None` for a run that is not incremental.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incremental: Option<IncrementalRecord>,
}

/// Sizes of the lists and the store, and read requests.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FilesRecord {
    /// Bytes of the run's open lists, which one sweep reads.
    #[serde(default)]
    pub lists_bytes: u64,
    /// Bytes of the store on disk.
    #[serde(default)]
    pub store_bytes: u64,
    /// Number of read requests, after merging.
    pub requests: u64,
}

/// Use of the page cache.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CacheRecord {
    /// Pages or chunks found in the page cache.
    pub cache_hits: u64,
    /// Pages or chunks that had to be read.
    pub cache_misses: u64,
    /// Hit rate of all visits; `None` if nothing was visited.
    #[serde(default)]
    pub cache_hit_ratio: Option<f64>,
    /// Mean share of a cached page that was used while it was in the cache, in units of 64 bytes; `None` if it was not
    /// recorded.
    #[serde(default, alias = "page_utilisation")]
    pub page_utilization: Option<f64>,
    /// The same share weighted by page size: the used share of all cached bytes.
    #[serde(default, alias = "byte_utilisation")]
    pub byte_utilization: Option<f64>,
}

/// Use of the static cache of pinned lists.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PinnedRecord {
    /// Lists read from the static cache.
    #[serde(default)]
    pub static_hits: u64,
    /// Lists read from pages despite a static cache.
    #[serde(default)]
    pub static_misses: u64,
    /// Share of lists read from the static cache; `None` without one.
    #[serde(default)]
    pub static_hit_ratio: Option<f64>,
    /// Memory of the static cache in bytes.
    #[serde(default)]
    pub static_cache_bytes: u64,
}

/// Visited lists, with threads and I/O backend.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReadingRecord {
    /// Number of batches of lists passed to the algorithm.
    #[serde(default)]
    pub batches: u64,
    /// Number of lists and pieces of lists passed to the algorithm.
    #[serde(default)]
    pub lists_visited: u64,
    /// Number of their entries.
    #[serde(default)]
    pub entries_visited: u64,
    /// Seconds that workers waited for reads, summed over workers.
    pub seconds_waiting: f64,
    /// Number of threads.
    pub threads: usize,
    /// I/O backend for reading the store.
    pub io: String,
}

/// First rows of a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TopRows {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Rows, each with a value per column.
    pub rows: Vec<Vec<serde_json::Value>>,
}

/// Histogram of vertex values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Histogram {
    /// Name of the column.
    pub column: String,
    /// True if all values are integers; all bins then start at integers.
    #[serde(default)]
    pub whole: bool,
    /// Maximum value.
    pub to: f64,
    /// Bins, ascending.
    pub bins: Vec<Bin>,
}

/// Range of values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bin {
    /// Start of the bin; it ends where the next one starts.
    pub from: f64,
    /// Number of vertices with values in the bin.
    pub vertices: u64,
}
