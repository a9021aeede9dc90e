//! Shards in a temporary file.

use super::file::{TemporaryFile, TemporarySink};
use super::read::BlockShards;
use super::sorter::{EncodedShard, ShardSorter};
use super::table::ShardTable;
use super::writer::ShardWriter;
use crate::component::{StoreId, UnitSeal};
use outcrop_io::SpillFolder;
use outcrop_types::{Cancellation, MemoryBudget, Purpose, Reservation, Result, VertexId, WeightType};

/// Shards in a temporary file, which is deleted with them.
pub type PreparedShards = BlockShards<TemporaryFile>;

impl PreparedShards {
    /// Returns the number of bytes written.
    pub fn written_bytes(&self) -> u64 {
        self.file().written()
    }

    /// Returns the memory of open shards of `intervals` intervals, in bytes.
    pub const fn bytes(intervals: u32) -> u64 {
        ShardTable::bytes(intervals)
    }
}

/// Writer of shards to a temporary file.
#[derive(Debug)]
pub struct ShardPreparation {
    writer: ShardWriter<TemporarySink>,
    seal: UnitSeal,
    _buffers: Reservation,
}

impl ShardPreparation {
    /// Memory of the buffers of a preparation, in bytes.
    pub const BUFFER_BYTES: u64 = TemporarySink::MEMORY_BYTES;

    /// Starts shards of the intervals that start at `bounds`.
    ///
    /// # Errors
    /// Returns an error if the budget is too small.
    pub fn begin(
        bounds: &[VertexId],
        weights: Option<WeightType>,
        folder: &SpillFolder,
        budget: &MemoryBudget,
    ) -> Result<Self> {
        let buffers = budget.reserve(Self::BUFFER_BYTES, Purpose::IoBuffers)?;
        let table = ShardTable::new(bounds, weights, budget)?;
        let seal = UnitSeal::new(StoreId::random()?, "shards");
        let writer = ShardWriter::new(TemporarySink::new(folder, budget), table, seal);
        Ok(Self { writer, seal, _buffers: buffers })
    }

    /// Returns a sorter and encoder of arcs for this file; each thread needs its own.
    pub fn sorter(&self) -> ShardSorter {
        self.writer.sorter()
    }

    /// Appends blocks: those into the first interval first, each shard ordered by the intervals of the sources.
    ///
    /// # Errors
    /// Returns an error if they cannot be written; [`outcrop_types::Error::Internal`] for blocks out of order.
    pub fn append(&mut self, shard: &EncodedShard) -> Result<()> {
        self.writer.append(shard)
    }

    /// Returns the shards after all blocks were appended.
    ///
    /// # Errors
    /// Returns an error if they cannot be written; [`outcrop_types::Error::Internal`] if blocks are missing.
    pub fn finish(self, cancellation: &Cancellation) -> Result<PreparedShards> {
        let (sink, table) = self.writer.finish()?;
        Ok(BlockShards::new(sink.finish()?, table, self.seal, cancellation))
    }
}
