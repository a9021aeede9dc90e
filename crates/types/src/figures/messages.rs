//! Figures of messages and their logs.

use serde::{Deserialize, Serialize};

/// Figures of logs, sorting and the edge log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MessageFigures {
    /// Messages that were sent.
    pub sent: u64,
    /// Messages that reached a vertex, after they were combined.
    pub delivered: u64,
    /// Bytes of log pages that were written to disk.
    pub log_bytes_written: u64,
    /// Bytes of log pages that were read from disk.
    pub log_bytes_read: u64,
    /// Number of times messages were loaded and grouped.
    pub groups: u64,
    /// Intervals that were fused with the previous one.
    pub fused: u64,
    /// Vertices that were computed.
    pub computed: u64,
    /// Pages with lists of active vertices.
    pub pages: u64,
    /// Pages of which less than 10% was accessed.
    pub thin_pages: u64,
    /// Thin pages whose active lists had all been predicted and logged.
    pub predicted_pages: u64,
    /// Lists that were appended to the edge log.
    pub logged_lists: u64,
    /// Lists that came from the edge log.
    pub lists_from_log: u64,
    /// Bytes of edge logs that were written.
    pub edge_log_bytes_written: u64,
    /// Bytes of edge logs that were read.
    pub edge_log_bytes_read: u64,
}
