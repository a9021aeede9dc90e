//! A run as the history of a store keeps it.

use super::RunRecord;
use outcrop_types::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// End of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunExit {
    /// The run finished.
    Ok,
    /// The run finished before the tolerance was reached.
    NotConverged,
    /// The run was canceled.
    Cancelled,
    /// The run failed.
    Failed,
}

impl RunExit {
    /// The end in words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::NotConverged => "not converged",
            Self::Cancelled => "cancelled",
            Self::Failed => "failed",
        }
    }

    /// Returns the end for an outcome.
    pub const fn of<T>(outcome: &Result<T>) -> Self {
        match outcome {
            Ok(_) => Self::Ok,
            Err(Error::Interrupted) => Self::Cancelled,
            Err(_) => Self::Failed,
        }
    }
}

/// A run in the history of a store.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunEntry {
    /// Version of the format of entries; 0 before there was one.
    #[serde(default)]
    pub format: u32,
    /// Its name in the history: when it began, to the 65,536th part of a second.
    pub id: String,
    /// Start of the run: seconds since 1970, in universal time.
    pub started: u64,
    /// The algorithm's name on the command line.
    pub algorithm: String,
    /// The parameters that were given.
    pub parameters: BTreeMap<String, Value>,
    /// Start and end of the window whose edges were the graph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub between: Option<[String; 2]>,
    /// End of the run.
    pub exit: RunExit,
    /// The error, if the run failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Identity of the lists that the store had.
    pub uuid: String,
    /// Number of updates of the graph.
    pub generation: u64,
    /// Hash of all of them: runs with the same were made on the same graph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// Seconds from start to end.
    pub seconds: f64,
    /// Iterations done; none if the run did not come to its end. So for all below.
    pub iterations: Option<u32>,
    /// Bytes of lists read from the device.
    pub bytes_read: Option<u64>,
    /// The most memory that was reserved at once.
    pub memory_peak: Option<u64>,
    /// The record of the run, with fewer iterations than the run itself gives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<RunRecord>,
}
