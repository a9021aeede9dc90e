//! Figures of programs on the values of edges.

use serde::{Deserialize, Serialize};

/// Figures of shards and values of edges.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GasFigures {
    /// Arcs of the shards.
    pub arcs: u64,
    /// Intervals, and so shards.
    pub intervals: u32,
    /// Bytes of shards that were written before the run, because the store has none that fit.
    pub prepared_bytes: u64,
    /// Shadow iterations, which are not counted as iterations.
    pub shadows: u32,
    /// Times that dynamic shards were created.
    pub dynamic_sets: u32,
    /// Bytes of values of edges, and of dynamic shards, that were read from disk.
    pub bytes_read: u64,
    /// Bytes of values of edges, and of dynamic shards, that were written to disk.
    pub bytes_written: u64,
    /// Bytes that shadow iterations read, of shards and values.
    pub shadow_bytes_read: u64,
    /// Bytes that shadow iterations wrote.
    pub shadow_bytes_written: u64,
    /// Maximum bytes of temporary files at once.
    pub peak_disk_bytes: u64,
    /// Maximum bytes of the delay buffer.
    pub peak_delay_bytes: u64,
    /// Each iteration, with the shadow iterations.
    pub steps: Vec<GasStepFigures>,
}

/// Figures of an iteration, or a shadow iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GasStepFigures {
    /// True if it was a shadow iteration.
    pub shadow: bool,
    /// Arcs of the shards that it went over: all of the graph, or those of the dynamic shards.
    pub arcs: u64,
    /// Arcs that were given a value, which is what ideal shards of the next iteration hold.
    pub updated_arcs: u64,
    /// Vertices whose value changed.
    pub changed: u64,
    /// Entries of the delay buffer when it ended.
    pub delayed: u64,
    /// Bytes read.
    pub bytes_read: u64,
    /// Bytes written.
    pub bytes_written: u64,
    /// Seconds.
    pub seconds: f64,
}
