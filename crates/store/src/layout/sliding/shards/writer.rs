//! Writes shards into one file, in order.

use super::sorter::{EncodedShard, ShardSorter};
use super::table::ShardTable;
use crate::component::UnitSeal;
use outcrop_types::{Error, Result, index_from};

/// Destination of blocks, written from front to back.
pub(crate) trait BlockSink {
    /// Appends the bytes of a block, of which the first are its checksum.
    ///
    /// # Errors
    /// They cannot be written.
    fn append(&mut self, block: &[u8]) -> Result<()>;
}

/// Writes shards.
#[derive(Debug)]
pub(crate) struct ShardWriter<S> {
    sink: S,
    table: ShardTable,
    seal: UnitSeal,
}

impl<S: BlockSink> ShardWriter<S> {
    /// Writes the blocks of `table`, which is empty, into `sink`.
    pub(crate) const fn new(sink: S, table: ShardTable, seal: UnitSeal) -> Self {
        Self { sink, table, seal }
    }

    /// Sorter of arcs for this writer.
    pub(crate) fn sorter(&self) -> ShardSorter {
        ShardSorter::new(self.table.finder(), self.seal, self.table.weights())
    }

    /// Appends blocks, which follow those that were written.
    ///
    /// # Errors
    /// They cannot be written; [`Error::Internal`] where others follow.
    pub(crate) fn append(&mut self, shard: &EncodedShard) -> Result<()> {
        let mut bytes = shard.bytes();
        for block in shard.blocks() {
            if index_from(block.position) != self.table.filled() {
                return Err(Error::internal(format!("block {} of the shards is out of order", block.position)));
            }
            self.table.push(block.arcs, block.bytes)?;
            let (now, later) = bytes.split_at(bytes.len().min(index_from(u64::from(block.bytes))));
            self.sink.append(now)?;
            bytes = later;
        }
        Ok(())
    }

    /// The sink and the table, all blocks written.
    ///
    /// # Errors
    /// [`Error::Internal`] where blocks are missing.
    pub(crate) fn finish(self) -> Result<(S, ShardTable)> {
        if self.table.is_complete() {
            return Ok((self.sink, self.table));
        }
        Err(Error::internal(format!("{} of {} blocks were written", self.table.filled(), self.table.blocks())))
    }
}
