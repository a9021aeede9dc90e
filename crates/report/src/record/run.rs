//! The record of a run.

use super::memory::MemoryRecord;
use super::{CheckpointRecord, GasRecord, IncrementalRecord, MessageRecord};
use outcrop_types::IterationRecord;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Record of the making of the graph of a stretch of time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WindowRecord {
    /// Its start.
    pub start: String,
    /// Its end, which is not in it.
    pub end: String,
    /// Time of reading its edges and building a store of them.
    pub seconds: f64,
    /// Bytes that this read from disk, where the system tells.
    pub bytes_read: Option<u64>,
    /// Bytes that it wrote.
    pub bytes_written: Option<u64>,
    /// Bytes of the store.
    pub store_bytes: u64,
}

/// Record of what a run did and cost. Times are in seconds, sizes in bytes. In JSON, it is one object with the keys of
/// all parts in the order of their declaration.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunRecord {
    /// Algorithm, store and parameters.
    #[serde(flatten)]
    pub task: TaskRecord,
    /// Answer for the whole graph, and the first rows.
    #[serde(flatten)]
    pub answer: AnswerRecord,
    /// Command, date, machine and disk.
    #[serde(flatten)]
    pub environment: EnvironmentRecord,
    /// True if the run used the weights of the store.
    #[serde(default)]
    pub weighted: bool,
    /// Notes on the run that were shown to the user.
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
    /// Records of models and options that not every run uses.
    #[serde(flatten)]
    pub optional: OptionalRecords,
    /// Files and requests.
    #[serde(flatten)]
    pub files: FilesRecord,
    /// Memory.
    #[serde(flatten)]
    pub memory: MemoryRecord,
    /// The page cache.
    #[serde(flatten)]
    pub cache: CacheRecord,
    /// The static cache.
    #[serde(flatten)]
    pub pinned: PinnedRecord,
    /// Visits of lists.
    #[serde(flatten)]
    pub reading: ReadingRecord,
    /// Records of the iterations.
    pub iterations_detail: Vec<IterationRecord>,
}

/// Task of a run: algorithm, model, layout, schedule, store and parameters.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TaskRecord {
    /// The algorithm's name on the command line.
    pub algorithm: Cow<'static, str>,
    /// Model of the flow of values.
    pub model: Cow<'static, str>,
    /// Layout of adjacency on disk.
    pub layout: Cow<'static, str>,
    /// Schedule by which lists were to be selected or swept over: `auto`, `select` or `sweep`.
    #[serde(default)]
    pub schedule: Cow<'static, str>,
    /// The store, as it was named.
    #[serde(default)]
    pub store: String,
    /// Stretch of time whose edges were the graph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<WindowRecord>,
    /// The parameters as they were meant.
    pub parameters: BTreeMap<Cow<'static, str>, serde_json::Value>,
}

/// Answer of a run for the whole graph, without the values per vertex.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AnswerRecord {
    /// Numbers that were computed for the whole graph.
    #[serde(default)]
    pub values: BTreeMap<Cow<'static, str>, serde_json::Value>,
    /// Summary of the values as a whole, by name.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub summary: serde_json::Map<String, serde_json::Value>,
    /// Distribution of the values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub histogram: Option<Histogram>,
    /// The rows that come first with `--top`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top: Option<TopRows>,
}

/// Environment of a run: command, date, machine and disk.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EnvironmentRecord {
    /// The command line, if there was one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// Start of the run: seconds since 1970, in universal time.
    #[serde(default)]
    pub started: u64,
    /// Processor and memory of the machine.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub machine: String,
    /// The disk with the store, and how fast it is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub disk: String,
}

/// Size of a graph.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GraphRecord {
    /// Vertices of the graph.
    pub vertices: u32,
    /// Edges of the graph.
    pub edges: u64,
}

/// Iterations of a run, and its convergence.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ConvergenceRecord {
    /// Iterations done.
    pub iterations: u32,
    /// True if the tolerance was reached; `None` if none was requested.
    pub converged: Option<bool>,
    /// The last change, if a tolerance was requested.
    pub change: Option<f64>,
}

/// Seconds that a run took.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TimeRecord {
    /// Seconds of the algorithm alone.
    pub seconds: f64,
    /// Total seconds, including opening the store and loading indexes.
    pub seconds_total: f64,
    /// Seconds for estimating the costs of selecting and sweeping, and for deciding.
    #[serde(default)]
    pub seconds_scheduling: f64,
    /// User CPU time of the process since the run began, in seconds.
    pub user_seconds: f64,
    /// System CPU time of the process since the run began, in seconds.
    pub system_seconds: f64,
}

/// Bytes that a run read and wrote.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TrafficRecord {
    /// Bytes of lists read from the device.
    pub bytes_read: u64,
    /// Bytes written by the run to disk.
    pub bytes_written: u64,
    /// True if the values of vertices were in temporary files.
    #[serde(default)]
    pub values_on_disk: bool,
    /// Bytes of these values that were read.
    #[serde(default)]
    pub value_bytes_read: u64,
}

/// Records of models and options; none where a run does not use them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OptionalRecords {
    /// Messages, logs and the edge log; `None` in other models.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages: Option<MessageRecord>,
    /// Shards and the values of edges; `None` in other models.
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
    /// Bytes of the lists that the run had open: what one sweep over all of them reads.
    #[serde(default)]
    pub lists_bytes: u64,
    /// Bytes of the store on disk.
    #[serde(default)]
    pub store_bytes: u64,
    /// Read requests, after merging.
    pub requests: u64,
}

/// Use of the page cache.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CacheRecord {
    /// Pages, or chunks, found in the page cache.
    pub cache_hits: u64,
    /// Pages, or chunks, that were needed and had to be read.
    pub cache_misses: u64,
    /// Hits of all visits; `None` if nothing was visited.
    #[serde(default)]
    pub cache_hit_ratio: Option<f64>,
    /// The mean over cached pages of the share of a page that was looked at while it was in the cache, in units of 64
    /// bytes; `None` where that was not kept account of.
    #[serde(default, alias = "page_utilisation")]
    pub page_utilization: Option<f64>,
    /// The same with each page weighted by its bytes: the share of all cached bytes.
    #[serde(default, alias = "byte_utilisation")]
    pub byte_utilization: Option<f64>,
}

/// Use of the static cache: lists that were pinned in memory.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PinnedRecord {
    /// Lists that came from the static cache.
    #[serde(default)]
    pub static_hits: u64,
    /// Lists that came from pages although there was a static cache.
    #[serde(default)]
    pub static_misses: u64,
    /// The part of both that came from the static cache; `None` without one.
    #[serde(default)]
    pub static_hit_ratio: Option<f64>,
    /// Memory of the static cache.
    #[serde(default)]
    pub static_cache_bytes: u64,
}

/// Lists that a run visited, with threads and I/O backend.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReadingRecord {
    /// Batches in which lists came to the algorithm.
    #[serde(default)]
    pub batches: u64,
    /// Lists that came, and pieces of lists.
    #[serde(default)]
    pub lists_visited: u64,
    /// Entries of these.
    #[serde(default)]
    pub entries_visited: u64,
    /// Seconds that workers waited for reads, summed over workers.
    pub seconds_waiting: f64,
    /// Threads.
    pub threads: usize,
    /// Way that the store was read.
    pub io: String,
}

/// The first rows of a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TopRows {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// The rows, each with a value per column.
    pub rows: Vec<Vec<serde_json::Value>>,
}

/// Numbers of vertices with values in each range.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Histogram {
    /// The column.
    pub column: String,
    /// True if all values are integers; then all bins begin at integers.
    #[serde(default)]
    pub whole: bool,
    /// The greatest value.
    pub to: f64,
    /// The ranges, ascending.
    pub bins: Vec<Bin>,
}

/// A range of values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bin {
    /// Start of the bin; it ends where the next one begins.
    pub from: f64,
    /// Vertices with values in it.
    pub vertices: u64,
}
