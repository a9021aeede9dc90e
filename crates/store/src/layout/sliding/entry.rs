//! Entry of the layout in the manifest.

use super::settings::SlidingSettings;
use outcrop_types::EdgeIndex;
use serde::{Deserialize, Serialize};

/// The `sliding` layout, which serves both directions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlidingEntry {
    /// Arcs of all blocks; of an undirected graph each edge but a loop in both directions.
    pub arcs: EdgeIndex,
    /// Into how many intervals vertices are split.
    pub intervals: u32,
    /// Bytes of all blocks.
    pub block_bytes: u64,
    /// Arcs of the block that has the most.
    pub most_block_arcs: u64,
    /// Bytes of the block that has the most.
    pub most_block_bytes: u64,
    /// Arcs that leave the interval that the most leave.
    pub most_out_arcs: u64,
    /// Arcs that come into the interval that the most come into.
    pub most_in_arcs: u64,
    /// Vertices of the interval that has the most.
    pub most_vertices: u32,
}

impl SlidingEntry {
    /// Settings: the most intervals asked for.
    pub const fn settings(&self) -> SlidingSettings {
        SlidingSettings { intervals: Some(self.intervals) }
    }

    /// Refuses figures that contradict each other, with what is wrong.
    pub(crate) fn validate(&self, vertices: u32) -> Result<(), String> {
        self.settings().validate().map_err(|_| "it has too many shards".to_owned())?;
        let most_arcs = self.most_block_arcs.max(self.most_out_arcs).max(self.most_in_arcs);
        // An arc takes 20 bytes of a block at the most; a block that is not empty 32 more.
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
