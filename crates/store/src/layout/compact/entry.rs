//! Manifest entry of the layout.

use super::settings::CompactSettings;
use crate::codec::Codec;
use outcrop_types::{Direction, EdgeIndex};
use serde::{Deserialize, Serialize};

/// Manifest entry of one direction of the `compact` layout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompactEntry {
    /// Direction of the lists.
    pub direction: Direction,
    /// Number of list entries of all vertices.
    pub arcs: EdgeIndex,
    /// Encoding of neighbors.
    pub codec: Codec,
    /// Total size of the lists, in bytes.
    pub list_bytes: u64,
    /// Size of the index, in bytes.
    pub index_bytes: u64,
}

impl CompactEntry {
    /// Returns the settings of the layout.
    pub const fn settings(&self) -> CompactSettings {
        CompactSettings { codec: self.codec }
    }

    /// Rejects inconsistent figures, with a description of the inconsistency.
    pub(crate) fn validate(&self, vertices: u32) -> Result<(), String> {
        let name = self.direction.name();
        self.settings()
            .validate()
            .map_err(|_| format!("its {name}-lists have a codec that the compact layout does not support"))?;
        // A vertex takes 1 to 10 bytes in the index; an arc takes at most 20 bytes in its list.
        let index = u64::from(vertices)..=10 * u64::from(vertices);
        let lists = self.list_bytes <= self.arcs.saturating_mul(20) && (self.list_bytes == 0) == (self.arcs == 0);
        match index.contains(&self.index_bytes) && lists {
            true => Ok(()),
            false => Err(format!("the numbers of its compact {name}-lists are inconsistent")),
        }
    }
}
