//! Place of each vertex's list: 4.25 bytes a vertex.

use outcrop_types::{MemoryBudget, Purpose, Result, VertexId, VertexRange, VertexValues, index_from, number_from};
use std::ops::Range;

/// Vertices of one entry of the index.
pub(crate) const BLOCK_VERTICES: u32 = 64;

/// The lists of 64 vertices: where the first begins, and how many positions they have together.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Block {
    /// Start of the first list.
    pub start: u64,
    /// Positions of all its lists.
    pub length: u32,
}

/// The positions of the lists of a stretch of vertices, or of all.
#[derive(Debug)]
pub struct ListIndex {
    /// The first vertex, a multiple of 64, and how many there are.
    first: VertexId,
    vertices: u32,
    /// Start of each list, counted from the start of its block.
    starts: VertexValues<u32>,
    blocks: VertexValues<Block>,
}

impl ListIndex {
    /// Memory of the index of `vertices` vertices, in bytes.
    pub fn bytes(vertices: u32) -> u64 {
        let blocks = u64::from(vertices.div_ceil(BLOCK_VERTICES));
        VertexValues::<u32>::bytes(u64::from(vertices)) + VertexValues::<Block>::bytes(blocks)
    }

    /// Creates the index of all vertices, whose lists begin at `starts` within their `blocks`.
    pub(crate) fn new(starts: VertexValues<u32>, blocks: VertexValues<Block>) -> Self {
        let vertices = number_from(starts.len());
        Self { first: 0, vertices, starts, blocks }
    }

    /// Creates an empty index with room for `room` vertices.
    ///
    /// # Errors
    /// The budget is too small.
    pub(crate) fn with_room(room: u32, budget: &MemoryBudget) -> Result<Self> {
        let starts = VertexValues::new(budget, Purpose::Index, index_from(room.into()), |_| 0)?;
        let blocks = index_from(room.div_ceil(BLOCK_VERTICES).into());
        let blocks = VertexValues::new(budget, Purpose::Index, blocks, |_| Block::default())?;
        Ok(Self { first: 0, vertices: 0, starts, blocks })
    }

    /// Makes it the index of `range`, which begins at a multiple of 64 and for which there is room, without positions
    /// yet.
    pub(crate) fn restart(&mut self, range: VertexRange) {
        (self.first, self.vertices) = (range.start, range.end.saturating_sub(range.start));
    }

    /// The block of `vertex`, and where each of its lists begins, to be filled in.
    pub(crate) fn block_mut(&mut self, vertex: VertexId) -> Option<(&mut Block, &mut [u32])> {
        let place = vertex.checked_sub(self.first)? / BLOCK_VERTICES;
        let first = index_from(u64::from(place) * u64::from(BLOCK_VERTICES));
        let end = self.starts.len().min(first + index_from(BLOCK_VERTICES.into()));
        Some((self.blocks.get_mut(index_from(place.into()))?, self.starts.get_mut(first..end)?))
    }

    /// The vertices whose lists it knows.
    pub(crate) const fn range(&self) -> VertexRange {
        VertexRange::new(self.first, self.first + self.vertices)
    }

    /// The positions of the list of `vertex`.
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

    /// Number of positions of the list of `vertex`.
    #[inline]
    pub(crate) fn length(&self, vertex: VertexId) -> u32 {
        let list = self.list(vertex);
        // Fewer than 2^32, as 64 lists together have.
        number_from(list.end - list.start)
    }
}

/// Replaces each length by the sum of those before it and returns the sum of all; `None` where that overflows.
pub(crate) fn starts_from_lengths(lengths: &mut [u32]) -> Option<u32> {
    let mut sum = 0_u32;
    for length in lengths {
        let next = sum.checked_add(*length)?;
        *length = sum;
        sum = next;
    }
    Some(sum)
}
