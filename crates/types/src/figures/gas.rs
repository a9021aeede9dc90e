//! Statistics of programs on edge values.

use serde::{Deserialize, Serialize};

/// Statistics of shards and edge values.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GasFigures {
    /// Number of arcs in the shards.
    pub arcs: u64,
    /// Number of intervals, and thus of shards.
    pub intervals: u32,
    /// Bytes of shards written before the run because the store has no suitable ones.
    pub prepared_bytes: u64,
    /// Number of shadow iterations, which are not counted as iterations.
    pub shadows: u32,
    /// Number of times that dynamic shards were created.
    pub dynamic_sets: u32,
    /// Bytes of edge values and dynamic shards read from disk.
    pub bytes_read: u64,
    /// Bytes of edge values and dynamic shards written to disk.
    pub bytes_written: u64,
    /// Bytes of shards and values read by shadow iterations.
    pub shadow_bytes_read: u64,
    /// Bytes written by shadow iterations.
    pub shadow_bytes_written: u64,
    /// Peak size of temporary files, in bytes.
    pub peak_disk_bytes: u64,
    /// Peak size of the delay buffer, in bytes.
    pub peak_delay_bytes: u64,
    /// Statistics of each iteration and shadow iteration.
    pub steps: Vec<GasStepFigures>,
}

/// Statistics of an iteration or a shadow iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GasStepFigures {
    /// True for a shadow iteration.
    pub shadow: bool,
    /// Number of scanned arcs: all arcs of the graph, or those of the dynamic shards.
    pub arcs: u64,
    /// Number of arcs that received a value, which is the content of ideal shards of the next iteration.
    pub updated_arcs: u64,
    /// Number of vertices whose value changed.
    pub changed: u64,
    /// Number of entries in the delay buffer at the end.
    pub delayed: u64,
    /// Bytes read.
    pub bytes_read: u64,
    /// Bytes written.
    pub bytes_written: u64,
    /// Seconds.
    pub seconds: f64,
}
