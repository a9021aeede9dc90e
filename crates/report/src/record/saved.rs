//! Records of what a run saved, and of how it went on from what was saved.

use serde::{Deserialize, Serialize};

/// Record of how a run went on from the last result after updates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct IncrementalRecord {
    /// The number of updates that the graph of the last result had; none if there is no result.
    pub from_generation: Option<u64>,
    /// Arcs that may have come since then; an undirected edge is two.
    pub added: u64,
    /// Arcs that may have gone, or have another weight.
    pub removed: u64,
    /// Vertices whose values or lists were processed again.
    pub touched: u64,
    /// Reason for computing everything from scratch, if that was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fresh: Option<String>,
}

/// Record of the checkpoints of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CheckpointRecord {
    /// Number of times that the state was saved.
    pub saved: u32,
    /// Seconds that saving took, of those of the run.
    pub seconds: f64,
    /// Iteration after which the run resumed; none if it started from the beginning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resumed_after: Option<u32>,
}
