//! Positions of the lists of all vertices: 4.25 bytes per vertex.

use outcrop_types::{MemoryBudget, Purpose, Result, VertexId, VertexRange, VertexValues, index_from, number_from};
use std::ops::Range;

/// Vertices per entry of the index.
pub(crate) const BLOCK_VERTICES: u32 = 64;

/// Lists of 64 vertices: start of the first list, and total number of positions.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Block {
    /// Start of the first list.
    pub start: u64,
    /// Total number of positions.
    pub length: u32,
}

/// Positions of the lists of a range of vertices, or of all.
#[derive(Debug)]
pub struct ListIndex {
    /// First vertex, a multiple of 64, and number of vertices.
    first: VertexId,
    vertices: u32,
    /// Start of each list, relative to the start of its block.
    starts: VertexValues<u32>,
    blocks: VertexValues<Block>,
}

impl ListIndex {
    /// Returns the memory of the index of `vertices` vertices, in bytes.
    pub fn bytes(vertices: u32) -> u64 {
        let blocks = u64::from(vertices.div_ceil(BLOCK_VERTICES));
        VertexValues::<u32>::bytes(u64::from(vertices)) + VertexValues::<Block>::bytes(blocks)
    }

    /// Creates the index of all vertices, whose lists start at `starts` within their `blocks`.
    pub(crate) fn new(starts: VertexValues<u32>, blocks: VertexValues<Block>) -> Self {
        let vertices = number_from(starts.len());
        Self { first: 0, vertices, starts, blocks }
    }

    /// Creates an empty index with room for `room` vertices.
    ///
    /// # Errors
    /// Returns an error if the budget is too small.
    pub(crate) fn with_room(room: u32, budget: &MemoryBudget) -> Result<Self> {
        let starts = VertexValues::new(budget, Purpose::Index, index_from(room.into()), |_| 0)?;
        let blocks = index_from(room.div_ceil(BLOCK_VERTICES).into());
        let blocks = VertexValues::new(budget, Purpose::Index, blocks, |_| Block::default())?;
        Ok(Self { first: 0, vertices: 0, starts, blocks })
    }

    /// Restarts the index for `range`, without positions. The range starts at a multiple of 64 and fits in the
    /// allocated room.
    pub(crate) fn restart(&mut self, range: VertexRange) {
        (self.first, self.vertices) = (range.start, range.end.saturating_sub(range.start));
    }

    /// Returns the block of `vertex` and the starts of its lists, for filling in.
    pub(crate) fn block_mut(&mut self, vertex: VertexId) -> Option<(&mut Block, &mut [u32])> {
        let place = vertex.checked_sub(self.first)? / BLOCK_VERTICES;
        let first = index_from(u64::from(place) * u64::from(BLOCK_VERTICES));
        let end = self.starts.len().min(first + index_from(BLOCK_VERTICES.into()));
        Some((self.blocks.get_mut(index_from(place.into()))?, self.starts.get_mut(first..end)?))
    }

    /// Returns the vertices in the index.
    pub(crate) const fn range(&self) -> VertexRange {
        VertexRange::new(self.first, self.first + self.vertices)
    }

    /// Returns the positions of the list of `vertex`.
    #[inline]
    pub(crate) fn list(&self, vertex: VertexId) -> Range<u64> {
        let local = vertex - self.first;
        let block = self.blocks[index_from(u64::from(local / BLOCK_VERTICES))];
        let start = self.starts[index_from(u64::from(local))];
        let next = local + 1;
        let end = match self.starts.get(index_from(u64::from(next))) {
            Some(end) if !next.is_multiple_of(BLOCK_VERTICES) => *end,
            _ => block.length,
        };
        block.start + u64::from(start)..block.start + u64::from(end)
    }

    /// Returns the number of positions of the list of `vertex`.
    #[inline]
    pub(crate) fn length(&self, vertex: VertexId) -> u32 {
        let list = self.list(vertex);
        // Less than 2^32, as is the total of 64 lists.
        number_from(list.end - list.start)
    }
}

/// Replaces each length with the sum of the previous ones and returns the total, or `None` on overflow.
pub(crate) fn starts_from_lengths(lengths: &mut [u32]) -> Option<u32> {
    let mut sum = 0_u32;
    for length in lengths {
        let next = sum.checked_add(*length)?;
        *length = sum;
        sum = next;
    }
    Some(sum)
}
