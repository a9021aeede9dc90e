//! Manifest entry of the layout.

use super::settings::SlidingSettings;
use outcrop_types::EdgeIndex;
use serde::{Deserialize, Serialize};

/// The `sliding` layout, which serves both directions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlidingEntry {
    /// Number of arcs of all blocks; in an undirected graph, each edge except a loop counts twice.
    pub arcs: EdgeIndex,
    /// Number of vertex intervals.
    pub intervals: u32,
    /// Size of all blocks, in bytes.
    pub block_bytes: u64,
    /// Maximum number of arcs per block.
    pub most_block_arcs: u64,
    /// Maximum size of a block, in bytes.
    pub most_block_bytes: u64,
    /// Maximum number of outgoing arcs per interval.
    pub most_out_arcs: u64,
    /// Maximum number of incoming arcs per interval.
    pub most_in_arcs: u64,
    /// Maximum number of vertices per interval.
    pub most_vertices: u32,
}

impl SlidingEntry {
    /// Returns the settings, with the actual number of intervals as the maximum.
    pub const fn settings(&self) -> SlidingSettings {
        SlidingSettings { intervals: Some(self.intervals) }
    }

    /// Rejects inconsistent figures, with a description of the inconsistency.
    pub(crate) fn validate(&self, vertices: u32) -> Result<(), String> {
        self.settings().validate().map_err(|_| "it has too many shards".to_owned())?;
        let most_arcs = self.most_block_arcs.max(self.most_out_arcs).max(self.most_in_arcs);
        // An arc takes at most 20 bytes of a block; a nonempty block takes 32 more.
        let blocks = u64::from(self.intervals) * u64::from(self.intervals);
        let most_bytes = self.arcs.saturating_mul(20).saturating_add(32 * blocks);
        let right = self.intervals <= vertices.max(1)
            && self.most_vertices <= vertices
            && most_arcs <= self.arcs
            && self.most_block_arcs <= self.most_out_arcs.min(self.most_in_arcs)
            && self.most_block_bytes <= self.block_bytes
            && self.block_bytes <= most_bytes
            && (self.block_bytes == 0) == (self.arcs == 0);
        if right { Ok(()) } else { Err("the numbers of its shards are inconsistent".to_owned()) }
    }
}
