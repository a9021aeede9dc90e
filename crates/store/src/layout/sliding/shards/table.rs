//! Location and number of arcs of each block.

use super::block::{self, BlockShape};
use crate::access::BlockId;
use crate::layout::sliding::SlidingSettings;
use crate::layout::sliding::finder::{Finder, position};
use outcrop_types::{
    Error, MemoryBudget, Purpose, Reservation, Result, VertexId, VertexValues, WeightType, index_from, length_from,
    number_from,
};
use std::ops::Range;

/// Table of the blocks of shards, in memory.
#[derive(Debug)]
pub(crate) struct ShardTable {
    finder: Finder,
    weights: Option<WeightType>,
    /// Start of each block in file order, and the end of the last.
    offsets: VertexValues<u64>,
    arcs: VertexValues<u32>,
    filled: usize,
    total: u64,
    largest: Largest,
    _finder: Reservation,
}

/// Maxima over all blocks.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Largest {
    /// Maximum number of arcs per block.
    pub arcs: u64,
    /// Maximum size of a block, in bytes.
    pub bytes: u64,
}

impl ShardTable {
    /// Returns the memory of the table of `intervals` intervals, in bytes.
    pub(crate) const fn bytes(intervals: u32) -> u64 {
        let blocks = intervals as u64 * intervals as u64;
        Finder::bytes(intervals) + (blocks + 1) * 8 + blocks * 4
    }

    /// Creates an empty table of the blocks between the intervals that start at `bounds`.
    ///
    /// # Errors
    /// Returns an error if the budget is too small, or if there are no intervals or too many.
    pub(crate) fn new(bounds: &[VertexId], weights: Option<WeightType>, budget: &MemoryBudget) -> Result<Self> {
        let finder = Finder::new(bounds);
        let intervals = number_from(finder.intervals());
        SlidingSettings { intervals: Some(intervals) }.validate()?;
        let blocks = finder.intervals() * finder.intervals();
        let held = budget.reserve(Finder::bytes(intervals), Purpose::Index)?;
        Ok(Self {
            finder,
            weights,
            offsets: VertexValues::new(budget, Purpose::Index, blocks + 1, |_| 0)?,
            arcs: VertexValues::new(budget, Purpose::Index, blocks, |_| 0)?,
            filled: 0,
            total: 0,
            largest: Largest::default(),
            _finder: held,
        })
    }

    /// Adds the next block in file order.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] if the table is complete, or if the bytes are too few for the arcs.
    pub(crate) fn push(&mut self, arcs: u32, bytes: u32) -> Result<()> {
        let (wide, length) = (u64::from(arcs), u64::from(bytes));
        let empty = arcs == 0 && bytes == 0;
        let begin = self.offsets.get(self.filled).copied().unwrap_or(0);
        let full = bytes > 0 && arcs > 0 && block::may_hold(length, wide);
        match (self.arcs.get_mut(self.filled), self.offsets.get_mut(self.filled + 1)) {
            (Some(count), Some(end)) if empty || full => (*count, *end) = (arcs, begin + length),
            _ => return Err(Error::Usage(format!("a block with {arcs} arcs in {bytes} bytes is impossible"))),
        }
        self.filled += 1;
        self.total += wide;
        self.largest.arcs = self.largest.arcs.max(wide);
        self.largest.bytes = self.largest.bytes.max(length);
        Ok(())
    }

    /// Returns the size of all added blocks, in bytes.
    pub(crate) fn end(&self) -> u64 {
        self.offsets.get(self.filled).copied().unwrap_or(0)
    }

    /// Returns the number of added blocks.
    pub(crate) const fn filled(&self) -> usize {
        self.filled
    }

    /// Returns true if all blocks were added.
    pub(crate) fn is_complete(&self) -> bool {
        self.filled == self.arcs.len()
    }

    /// Returns the weight type of a weighted graph.
    pub(crate) const fn weights(&self) -> Option<WeightType> {
        self.weights
    }

    /// Returns the number of arcs of all blocks.
    pub(crate) const fn total(&self) -> u64 {
        self.total
    }

    /// Returns the maxima over all blocks.
    pub(crate) const fn largest(&self) -> Largest {
        self.largest
    }

    /// Returns the finder of the interval of a vertex.
    pub(crate) const fn finder(&self) -> &Finder {
        &self.finder
    }

    /// Returns the starts of the intervals, followed by the number of vertices.
    pub(crate) fn bounds(&self) -> &[VertexId] {
        self.finder.bounds()
    }

    /// Returns the position of a block in file order.
    pub(crate) fn position(&self, block: BlockId) -> u64 {
        position(self.finder.intervals(), block.from, block.to)
    }

    /// Returns the byte range of a block in the file.
    pub(crate) fn place(&self, block: BlockId) -> Range<u64> {
        let at = index_from(self.position(block));
        let begin = self.offsets.get(at).copied().unwrap_or(0);
        begin..self.offsets.get(at + 1).copied().unwrap_or(begin)
    }

    /// Returns the number of arcs of a block.
    pub(crate) fn arcs(&self, block: BlockId) -> u32 {
        self.arcs.get(index_from(self.position(block))).copied().unwrap_or(0)
    }

    /// Returns the shape for decoding a block.
    pub(crate) fn shape(&self, block: BlockId) -> BlockShape {
        BlockShape {
            sources: self.finder.range(block.from),
            targets: self.finder.range(block.to),
            arcs: self.arcs(block),
            weights: self.weights,
        }
    }

    /// Returns the number of intervals.
    pub(crate) fn intervals(&self) -> u32 {
        number_from(self.finder.intervals())
    }

    /// Returns the number of blocks.
    pub(crate) fn blocks(&self) -> u64 {
        length_from(self.arcs.len())
    }
}
