//! Shards in a temporary file.

use super::file::{TemporaryFile, TemporarySink};
use super::read::BlockShards;
use super::sorter::{EncodedShard, ShardSorter};
use super::table::ShardTable;
use super::writer::ShardWriter;
use crate::component::{StoreId, UnitSeal};
use outcrop_io::SpillFolder;
use outcrop_types::{Cancellation, MemoryBudget, Purpose, Reservation, Result, VertexId, WeightType};

/// Shards in a temporary file, which is gone when they are.
pub type PreparedShards = BlockShards<TemporaryFile>;

impl PreparedShards {
    /// Bytes that were written.
    pub fn written_bytes(&self) -> u64 {
        self.file().written()
    }

    /// Memory of shards of so many intervals, in bytes, as long as they are.
    pub const fn bytes(intervals: u32) -> u64 {
        ShardTable::bytes(intervals)
    }
}

/// Writes shards into a temporary file.
#[derive(Debug)]
pub struct ShardPreparation {
    writer: ShardWriter<TemporarySink>,
    seal: UnitSeal,
    _buffers: Reservation,
}

impl ShardPreparation {
    /// Memory of the buffers of a preparation, in bytes.
    pub const BUFFER_BYTES: u64 = TemporarySink::MEMORY_BYTES;

    /// Begins shards of the intervals that begin at `bounds`.
    ///
    /// # Errors
    /// The budget is too small, or the file cannot be made.
    pub fn begin(
        bounds: &[VertexId],
        weights: Option<WeightType>,
        folder: &SpillFolder,
        budget: &MemoryBudget,
    ) -> Result<Self> {
        let buffers = budget.reserve(Self::BUFFER_BYTES, Purpose::IoBuffers)?;
        let table = ShardTable::new(bounds, weights, budget)?;
        let seal = UnitSeal::new(StoreId::random()?, "shards");
        let writer = ShardWriter::new(TemporarySink::create(folder)?, table, seal);
        Ok(Self { writer, seal, _buffers: buffers })
    }

    /// Sorter and encoder of arcs for this file; each thread has one of its own.
    pub fn sorter(&self) -> ShardSorter {
        self.writer.sorter()
    }

    /// Appends blocks: those into the first interval first, each shard by the intervals of the sources.
    ///
    /// # Errors
    /// They cannot be written; [`outcrop_types::Error::Internal`] for blocks out of order.
    pub fn append(&mut self, shard: &EncodedShard) -> Result<()> {
        self.writer.append(shard)
    }

    /// The shards, all of whose blocks were appended.
    ///
    /// # Errors
    /// They cannot be written; [`outcrop_types::Error::Internal`] where blocks are missing.
    pub fn finish(self, cancellation: &Cancellation) -> Result<PreparedShards> {
        let (sink, table) = self.writer.finish()?;
        Ok(BlockShards::new(sink.finish()?, table, self.seal, cancellation))
    }
}
