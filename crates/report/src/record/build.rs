//! Record of a build.

use super::memory::MemoryRecord;
use outcrop_types::{InputSummary, ProgressUnit, WeightType};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Record of a build and its costs. Times are in seconds, sizes in bytes. In JSON, it is one object with the keys of
/// all parts in declaration order.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BuildRecord {
    /// Path of the store, as given by the user.
    pub store: String,
    /// The graph in the store.
    #[serde(flatten)]
    pub graph: BuiltGraph,
    /// Time, and bytes read and written.
    #[serde(flatten)]
    pub cost: BuildCost,
    /// Memory.
    #[serde(flatten)]
    pub memory: MemoryRecord,
    /// The input.
    #[serde(flatten)]
    pub input: InputRecord,
    /// Records of the phases, in order.
    pub phases: Vec<PhaseRecord>,
    /// The files of the store.
    pub files: Vec<FileRecord>,
}

/// Graph that was built.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BuiltGraph {
    /// Number of vertices.
    pub vertices: u32,
    /// Number of edges; an undirected edge counts once.
    pub edges: u64,
    /// True if the graph is directed.
    pub directed: bool,
    /// True if the graph is weighted.
    pub weighted: bool,
    /// Type of the weights on disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight_type: Option<WeightType>,
    /// Vertex order.
    #[serde(default)]
    pub order: String,
    /// Reason for the order, if it was chosen automatically.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order_reason: Option<String>,
    /// Bytes of the store's files.
    pub bytes: u64,
}

/// Time and I/O of a build.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BuildCost {
    /// Seconds from opening the input to the finished store.
    pub seconds: f64,
    /// User CPU time of the process since the build began, in seconds.
    pub user_seconds: f64,
    /// System CPU time of the process since the build began, in seconds.
    pub system_seconds: f64,
    /// Bytes that the process read from disks since the build began; `None` if the system does not report them.
    pub bytes_read: Option<u64>,
    /// Bytes that the process wrote to disks since the build began; `None` if the system does not report them.
    pub bytes_written: Option<u64>,
}

/// Input of a build.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct InputRecord {
    /// Number of malformed input lines that were skipped.
    pub skipped_lines: u64,
    /// Number of self-loops that were dropped.
    pub loops_dropped: u64,
    /// Summary of the data read from the input.
    #[serde(default, rename = "input")]
    pub summary: InputSummary,
}

/// Record of one phase.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PhaseRecord {
    /// Name of the phase in progress messages.
    pub name: Cow<'static, str>,
    /// Unit of the counts.
    pub unit: ProgressUnit,
    /// Total amount of work, if known.
    pub total: Option<u64>,
    /// Amount of work reported as done.
    pub done: u64,
    /// Seconds from the start of the phase to the start of the next, or to the end.
    pub seconds: f64,
    /// CPU time of all threads in the phase, in seconds; `None` if the system does not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_seconds: Option<f64>,
    /// CPU time of the thread that took the most. More threads do not make the phase faster than this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busiest_thread_seconds: Option<f64>,
}

/// File of a store.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FileRecord {
    /// File name in the store's folder.
    pub name: String,
    /// File size in bytes.
    pub bytes: u64,
}
