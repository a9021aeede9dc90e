//! Entry of the layout in the manifest.

use super::settings::ChunkSettings;
use outcrop_types::{Direction, EdgeIndex};
use serde::{Deserialize, Serialize};

/// Contents of a level of chunks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LevelFigures {
    /// Its chunks.
    pub chunks: u64,
    /// Lists that begin in them.
    pub lists: u64,
    /// Entries of lists in them.
    pub arcs: u64,
    /// Bytes of them that hold nothing: fragments.
    pub white_space: u64,
}

/// Manifest entry of one direction of the `chunked` layout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChunkedEntry {
    /// Direction of the lists.
    pub direction: Direction,
    /// List entries over all vertices.
    pub arcs: EdgeIndex,
    /// Settings of the chunks.
    pub settings: ChunkSettings,
    /// Contents of each level.
    pub levels: Vec<LevelFigures>,
    /// Entries of mini vertices, which are in the index.
    pub mini_entries: u64,
    /// Vertices with a list in a chunk.
    pub located: u32,
}

impl ChunkedEntry {
    /// Number of chunks: a file has fewer than 2^32.
    pub fn chunks(&self) -> u32 {
        let chunks = self.levels.iter().fold(0_u64, |sum, level| sum.saturating_add(level.chunks));
        // Default: an entry that says more is that of no file.
        u32::try_from(chunks).unwrap_or(u32::MAX)
    }

    /// Refuses figures that contradict each other, with what is wrong.
    pub(crate) fn validate(&self, vertices: u32) -> Result<(), String> {
        let name = self.direction.name();
        self.settings.validate().map_err(|_| format!("the levels of its {name} chunks are invalid"))?;
        let chunks = self.levels.iter().fold(0_u64, |sum, level| sum.saturating_add(level.chunks));
        let arcs = self.levels.iter().fold(self.mini_entries, |sum, level| sum.saturating_add(level.arcs));
        let right = self.levels.len() == self.settings.levels.len()
            && chunks < u64::from(u32::MAX)
            && arcs == self.arcs
            && self.located <= vertices
            && self.mini_entries <= 2 * u64::from(vertices);
        if right { Ok(()) } else { Err(format!("the numbers of its {name} chunks are inconsistent")) }
    }
}
