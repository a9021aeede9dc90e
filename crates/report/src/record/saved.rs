//! Records of checkpoints and of incremental starts.

use serde::{Deserialize, Serialize};

/// Record of an incremental start from the previous result after updates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct IncrementalRecord {
    /// Number of graph updates at the time of the previous result; `None` if there is no result.
    pub from_generation: Option<u64>,
    /// Maximum number of arcs added since then; an undirected edge is two arcs.
    pub added: u64,
    /// Maximum number of arcs deleted or reweighted since then.
    pub removed: u64,
    /// Number of vertices whose values or lists were processed again.
    pub touched: u64,
    /// Reason for computing everything from scratch, if applicable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fresh: Option<String>,
}

/// Record of the checkpoints of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CheckpointRecord {
    /// Number of checkpoints written.
    pub saved: u32,
    /// Seconds spent writing checkpoints, included in the run's seconds.
    pub seconds: f64,
    /// Iteration after which the run resumed; `None` if it started from the beginning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resumed_after: Option<u32>,
}
