//! The record of a build.

use outcrop_types::{InputSummary, MemoryPlan, ProgressUnit, WeightType};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Record of what a build did and cost. Times are in seconds, sizes in bytes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BuildRecord {
    /// The store, as it was named.
    pub store: String,
    /// Vertices of the graph.
    pub vertices: u32,
    /// Edges of the graph; an undirected edge counts once.
    pub edges: u64,
    /// True if edges have a direction.
    pub directed: bool,
    /// True if edges have weights.
    pub weighted: bool,
    /// The type of the weights on disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight_type: Option<WeightType>,
    /// Vertex order.
    #[serde(default)]
    pub order: String,
    /// Reason for the order, if chosen automatically.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order_reason: Option<String>,
    /// Bytes of the store's files.
    pub bytes: u64,
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
    /// Peak resident memory of the process.
    pub peak_rss: u64,
    /// The budget.
    pub memory_budget: u64,
    /// Peak total reservation.
    pub memory_peak: u64,
    /// Peak reservation per purpose.
    pub memory: MemoryPlan,
    /// Malformed input lines that were skipped.
    pub skipped_lines: u64,
    /// Loops that were left out.
    pub loops_dropped: u64,
    /// Account of what was taken from the input.
    #[serde(default)]
    pub input: InputSummary,
    /// Records of the phases, in order.
    pub phases: Vec<PhaseRecord>,
    /// The files of the store.
    pub files: Vec<FileRecord>,
}

/// Record of one phase.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PhaseRecord {
    /// Its name, as progress shows it.
    pub name: Cow<'static, str>,
    /// Unit that is counted.
    pub unit: ProgressUnit,
    /// Total amount of work, if known.
    pub total: Option<u64>,
    /// Amount that was reported done.
    pub done: u64,
    /// Seconds from its start to that of the next, or to the end.
    pub seconds: f64,
}

/// A file of a store.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FileRecord {
    /// Its name in the store's folder.
    pub name: String,
    /// Its length in bytes.
    pub bytes: u64,
}
