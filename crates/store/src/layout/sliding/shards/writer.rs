//! Writes shards into one file, in order.

use super::sorter::{EncodedShard, ShardSorter};
use super::table::ShardTable;
use crate::component::UnitSeal;
use outcrop_types::{Error, Result, index_from};

/// Sequential destination of blocks.
pub(crate) trait BlockSink {
    /// Appends the bytes of a block, starting with its checksum.
    ///
    /// # Errors
    /// Returns an error if they cannot be written.
    fn append(&mut self, block: &[u8]) -> Result<()>;
}

/// Writer of shards.
#[derive(Debug)]
pub(crate) struct ShardWriter<S> {
    sink: S,
    table: ShardTable,
    seal: UnitSeal,
}

impl<S: BlockSink> ShardWriter<S> {
    /// Creates a writer of the blocks of `table`, which is empty, to `sink`.
    pub(crate) const fn new(sink: S, table: ShardTable, seal: UnitSeal) -> Self {
        Self { sink, table, seal }
    }

    /// Returns a sorter of arcs for this writer.
    pub(crate) fn sorter(&self) -> ShardSorter {
        ShardSorter::new(self.table.finder(), self.seal, self.table.weights())
    }

    /// Appends the next blocks.
    ///
    /// # Errors
    /// Returns an error if they cannot be written; [`Error::Internal`] for blocks out of order.
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

    /// Returns the sink and the table after all blocks were written.
    ///
    /// # Errors
    /// Returns [`Error::Internal`] if blocks are missing.
    pub(crate) fn finish(self) -> Result<(S, ShardTable)> {
        if self.table.is_complete() {
            return Ok((self.sink, self.table));
        }
        Err(Error::internal(format!("{} of {} blocks were written", self.table.filled(), self.table.blocks())))
    }
}
