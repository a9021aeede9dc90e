//! Statistics of messages and their logs.

use serde::{Deserialize, Serialize};

/// Statistics of logs, sorting and the edge log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MessageFigures {
    /// Number of messages sent.
    pub sent: u64,
    /// Number of messages delivered to vertices, after combining.
    pub delivered: u64,
    /// Bytes of log pages written to disk.
    pub log_bytes_written: u64,
    /// Bytes of log pages read from disk.
    pub log_bytes_read: u64,
    /// Number of times messages were loaded and grouped.
    pub groups: u64,
    /// Number of intervals fused with the previous one.
    pub fused: u64,
    /// Number of computed vertices.
    pub computed: u64,
    /// Number of pages with lists of active vertices.
    pub pages: u64,
    /// Number of pages of which less than 10% was accessed.
    pub thin_pages: u64,
    /// Number of thin pages whose active lists had all been predicted and logged.
    pub predicted_pages: u64,
    /// Number of lists appended to the edge log.
    pub logged_lists: u64,
    /// Number of lists read from the edge log.
    pub lists_from_log: u64,
    /// Bytes of edge logs written.
    pub edge_log_bytes_written: u64,
    /// Bytes of edge logs read.
    pub edge_log_bytes_read: u64,
}
