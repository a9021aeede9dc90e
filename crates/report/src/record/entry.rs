//! Entry of the run history of a store.

use super::RunRecord;
use outcrop_types::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Exit status of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunExit {
    /// The run finished.
    Ok,
    /// The run finished without reaching the tolerance.
    NotConverged,
    /// The run was canceled.
    Cancelled,
    /// The run failed.
    Failed,
}

impl RunExit {
    /// Returns the name of the status.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::NotConverged => "not converged",
            Self::Cancelled => "cancelled",
            Self::Failed => "failed",
        }
    }

    /// Returns the status for an outcome.
    pub const fn of<T>(outcome: &Result<T>) -> Self {
        match outcome {
            Ok(_) => Self::Ok,
            Err(Error::Interrupted) => Self::Cancelled,
            Err(_) => Self::Failed,
        }
    }
}

/// Run in the history of a store.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunEntry {
    /// Version of the entry format; 0 for entries without a version.
    #[serde(default)]
    pub format: u32,
    /// Name in the history: the start time, in units of 1/65,536 second.
    pub id: String,
    /// Start of the run, in seconds since 1970 (UTC).
    pub started: u64,
    /// Name of the algorithm on the command line.
    pub algorithm: String,
    /// Parameters given by the user.
    pub parameters: BTreeMap<String, Value>,
    /// Start and end of the time window of the graph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub between: Option<[String; 2]>,
    /// Exit status of the run.
    pub exit: RunExit,
    /// The error, if the run failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// UUID of the lists in the store.
    pub uuid: String,
    /// Number of updates of the graph.
    pub generation: u64,
    /// Hash of all updates: runs with the same hash used the same graph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// Seconds from start to end.
    pub seconds: f64,
    /// Number of completed iterations; `None` if the run did not finish. The same applies to all fields below.
    pub iterations: Option<u32>,
    /// Bytes of lists read from the device.
    pub bytes_read: Option<u64>,
    /// Peak reserved memory, in bytes.
    pub memory_peak: Option<u64>,
    /// Record of the run, with fewer iterations than the run's own output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<RunRecord>,
}
