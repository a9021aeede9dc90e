//! Entry of the layout in the manifest.

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
    /// List entries over all vertices.
    pub arcs: EdgeIndex,
    /// Encoding of neighbors.
    pub codec: Codec,
    /// Bytes of all lists, one after the other.
    pub list_bytes: u64,
    /// Bytes of the index.
    pub index_bytes: u64,
}

impl CompactEntry {
    /// Settings of the layout.
    pub const fn settings(&self) -> CompactSettings {
        CompactSettings { codec: self.codec }
    }

    /// Refuses figures that contradict each other, with what is wrong.
    pub(crate) fn validate(&self, vertices: u32) -> Result<(), String> {
        let name = self.direction.name();
        self.settings()
            .validate()
            .map_err(|_| format!("its {name}-lists have a codec that the compact layout does not support"))?;
        // A vertex takes from 1 to 10 bytes of the index; no arc takes more than 16 of its list.
        let index = u64::from(vertices)..=10 * u64::from(vertices);
        let lists = self.list_bytes <= self.arcs.saturating_mul(20) && (self.list_bytes == 0) == (self.arcs == 0);
        match index.contains(&self.index_bytes) && lists {
            true => Ok(()),
            false => Err(format!("the numbers of its compact {name}-lists are inconsistent")),
        }
    }
}
