//! Settings of the chunks of a store, as its manifest records them.

use crate::codec::Codec;
use outcrop_types::{Error, Result, index_from};
use serde::{Deserialize, Serialize};

/// The most levels that the format has room for.
pub(super) const MAX_LEVELS: usize = 8;
/// The largest chunk.
const MAX_CHUNK_BYTES: u32 = 64 << 20;

/// A level of the hierarchy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChunkLevel {
    /// Bytes of its chunks, a multiple of 4096.
    pub chunk_bytes: u32,
    /// The longest list, in encoded bytes, that belongs here.
    pub longest_list: u32,
}

/// Kind of index that a store is made for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IndexKind {
    /// Two bits and a bit-packed chunk number a vertex.
    #[default]
    Compact,
    /// 12 bytes a vertex: its degree, and its neighbors or where its list lies.
    Direct,
}

/// Arrangement of lists in the chunks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Placement {
    /// Lists in the order of the vertices.
    #[default]
    Ascending,
    /// Lists of vertices that are reached together: two steps of breadth-first search from the vertices of highest
    /// degree.
    Reordered,
}

/// Settings of chunks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChunkSettings {
    /// Encoding of neighbors.
    pub codec: Codec,
    /// Kind of index that the store is made for.
    pub index: IndexKind,
    /// Arrangement of lists.
    pub placement: Placement,
    /// Vertices of at most so many neighbors keep them in the index: 0, 1 or 2.
    pub mini_degree: u32,
    /// True if small lists fill what larger ones leave of their chunks.
    pub combine: bool,
    /// True if lists may straddle chunks, as they do in `csr`: for measurements.
    pub straddle: bool,
    /// The levels, chunks ascending.
    pub levels: Vec<ChunkLevel>,
}

impl Default for ChunkSettings {
    fn default() -> Self {
        Self {
            codec: Codec::Runs,
            index: IndexKind::Compact,
            placement: Placement::Ascending,
            mini_degree: 2,
            combine: true,
            straddle: false,
            levels: Self::levels_of(&[4 << 10, 32 << 10, 256 << 10, 2 << 20]),
        }
    }
}

impl ChunkSettings {
    /// Levels of these chunks, ascending, with the paper's rule for the longest list of each: what is left of its chunk
    /// beside the longest list of the level before.
    pub fn levels_of(chunk_bytes: &[u32]) -> Vec<ChunkLevel> {
        let mut before = 0;
        let level = |chunk_bytes: &u32| {
            let longest_list = chunk_bytes.saturating_sub(OVERHEAD_BYTES).saturating_sub(before);
            before = longest_list;
            ChunkLevel { chunk_bytes: *chunk_bytes, longest_list }
        };
        chunk_bytes.iter().map(level).collect()
    }

    /// Refuses settings that the format cannot hold.
    ///
    /// # Errors
    /// [`Error::Usage`] with what was expected.
    pub fn validate(&self) -> Result<()> {
        let fits = |level: &ChunkLevel| {
            level.chunk_bytes.is_multiple_of(4096)
                && (4096..=MAX_CHUNK_BYTES).contains(&level.chunk_bytes)
                && (1..=level.chunk_bytes.saturating_sub(OVERHEAD_BYTES)).contains(&level.longest_list)
        };
        let ascending = self.levels.is_sorted_by(|a, b| a.chunk_bytes < b.chunk_bytes);
        let some = (1..=MAX_LEVELS).contains(&self.levels.len());
        if some && ascending && self.levels.iter().all(fits) && self.mini_degree <= 2 {
            return Ok(());
        }
        Err(Error::Usage(format!(
            "invalid chunk sizes; expected 1 to {MAX_LEVELS} ascending multiples of 4 KiB up to 64 MiB"
        )))
    }

    /// The level for a list of so many encoded bytes; `None` where it is longer than any level takes.
    pub(crate) fn level_of(&self, bytes: usize) -> Option<usize> {
        self.levels.iter().position(|level| bytes <= index_from(u64::from(level.longest_list)))
    }

    /// Bytes of a chunk of `level`.
    pub fn chunk_bytes(&self, level: usize) -> usize {
        self.levels.get(level).map_or(0, |level| index_from(u64::from(level.chunk_bytes)))
    }

    /// Bytes of the largest chunk.
    pub(crate) fn largest_chunk(&self) -> usize {
        self.chunk_bytes(self.levels.len().saturating_sub(1))
    }
}

/// Bytes besides the list in a chunk with a single one, at the most: the header, its directory entry, alignment.
const OVERHEAD_BYTES: u32 = 32 + 8 + 2 + 3;

/// Order in which a sweep visits lists (ChunkGraph, section 3.3: differentiated access).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DenseAccess {
    /// Order of the lists in the chunks.
    #[default]
    ByChunk,
    /// Vertex by vertex, whatever chunk that is: for measurements.
    ByVertex,
}
