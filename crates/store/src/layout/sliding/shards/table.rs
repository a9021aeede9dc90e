//! Place of each block, and its number of arcs.

use super::block::{self, BlockShape};
use crate::access::BlockId;
use crate::layout::sliding::SlidingSettings;
use crate::layout::sliding::finder::{Finder, position};
use outcrop_types::{
    Error, MemoryBudget, Purpose, Reservation, Result, VertexId, VertexValues, WeightType, index_from, length_from,
    number_from,
};
use std::ops::Range;

/// The blocks of shards, in memory.
#[derive(Debug)]
pub(crate) struct ShardTable {
    finder: Finder,
    weights: Option<WeightType>,
    /// Start of each block, in the order of the file, and the end of the last.
    offsets: VertexValues<u64>,
    arcs: VertexValues<u32>,
    filled: usize,
    total: u64,
    largest: Largest,
    _finder: Reservation,
}

/// The largest blocks.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Largest {
    /// Arcs of the block that has the most.
    pub arcs: u64,
    /// Bytes of the block that has the most.
    pub bytes: u64,
}

impl ShardTable {
    /// Memory of the table of so many intervals, in bytes.
    pub(crate) const fn bytes(intervals: u32) -> u64 {
        let blocks = intervals as u64 * intervals as u64;
        Finder::bytes(intervals) + (blocks + 1) * 8 + blocks * 4
    }

    /// An empty table of the blocks between the intervals that begin at `bounds`.
    ///
    /// # Errors
    /// The budget does not hold it; no intervals, or more than there may be.
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

    /// Notes the next block in the order of the file.
    ///
    /// # Errors
    /// [`Error::Usage`] where there is no such, or its bytes cannot hold as many arcs.
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

    /// Bytes of all blocks that were noted.
    pub(crate) fn end(&self) -> u64 {
        self.offsets.get(self.filled).copied().unwrap_or(0)
    }

    /// Number of blocks that were noted.
    pub(crate) const fn filled(&self) -> usize {
        self.filled
    }

    /// True if all blocks were noted.
    pub(crate) fn is_complete(&self) -> bool {
        self.filled == self.arcs.len()
    }

    /// The type of the weights of arcs, if they have any.
    pub(crate) const fn weights(&self) -> Option<WeightType> {
        self.weights
    }

    /// The arcs of all blocks.
    pub(crate) const fn total(&self) -> u64 {
        self.total
    }

    /// The largest blocks.
    pub(crate) const fn largest(&self) -> Largest {
        self.largest
    }

    /// Finder of the interval of a vertex.
    pub(crate) const fn finder(&self) -> &Finder {
        &self.finder
    }

    /// Starts of intervals, and at last the number of vertices.
    pub(crate) fn bounds(&self) -> &[VertexId] {
        self.finder.bounds()
    }

    /// The place of a block in the order of the file.
    pub(crate) fn position(&self, block: BlockId) -> u64 {
        position(self.finder.intervals(), block.from, block.to)
    }

    /// Range of a block in the file.
    pub(crate) fn place(&self, block: BlockId) -> Range<u64> {
        let at = index_from(self.position(block));
        let begin = self.offsets.get(at).copied().unwrap_or(0);
        begin..self.offsets.get(at + 1).copied().unwrap_or(begin)
    }

    /// Number of arcs of a block.
    pub(crate) fn arcs(&self, block: BlockId) -> u32 {
        self.arcs.get(index_from(self.position(block))).copied().unwrap_or(0)
    }

    /// Shape that a block is decoded by.
    pub(crate) fn shape(&self, block: BlockId) -> BlockShape {
        BlockShape {
            sources: self.finder.range(block.from),
            targets: self.finder.range(block.to),
            arcs: self.arcs(block),
            weights: self.weights,
        }
    }

    /// The number of intervals.
    pub(crate) fn intervals(&self) -> u32 {
        number_from(self.finder.intervals())
    }

    /// Number of blocks.
    pub(crate) fn blocks(&self) -> u64 {
        length_from(self.arcs.len())
    }
}
