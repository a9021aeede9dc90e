//! Block file of a store under construction.

use crate::component::FileEntry;
use crate::component::UNIT_BYTES;
use crate::layout::sliding::format::BLOCKS_NAME;
use crate::layout::sliding::shards::BlockSink;
use outcrop_io::{SequentialFile, Storage};
use outcrop_types::{Result, length_from};
use std::path::Path;
use xxhash_rust::xxh3::Xxh3;

/// Size of writes, in bytes.
const BATCH_BYTES: usize = 256 << 10;

/// Sequential writer of blocks.
pub(super) struct StoredSink {
    file: Box<dyn SequentialFile>,
    batch: Vec<u8>,
    digest: Xxh3,
}

impl StoredSink {
    /// Memory in addition to that of the largest block, in bytes.
    pub(super) const MEMORY_BYTES: u64 = length_from(BATCH_BYTES);

    /// Creates the file in `folder`.
    pub(super) fn create(storage: &dyn Storage, folder: &Path) -> Result<Self> {
        let file = storage.create(&folder.join(BLOCKS_NAME))?;
        Ok(Self { file, batch: Vec::with_capacity(BATCH_BYTES), digest: Xxh3::new() })
    }

    fn flush(&mut self) -> Result<()> {
        self.file.write(&self.batch)?;
        self.batch.clear();
        Ok(())
    }

    /// Completes the file with zeros up to a multiple of [`UNIT_BYTES`], makes it durable, and returns its manifest
    /// entry.
    pub(super) fn finish(mut self) -> Result<FileEntry> {
        self.flush()?;
        let zeros = index_of_end(self.file.len());
        self.batch.resize(zeros, 0);
        self.flush()?;
        self.file.sync()?;
        let checksum = format!("{:016x}", self.digest.digest());
        Ok(FileEntry { name: BLOCKS_NAME.to_owned(), bytes: self.file.len(), checksum })
    }
}

/// Returns the padding of `bytes` to a multiple of the unit size, in bytes.
fn index_of_end(bytes: u64) -> usize {
    outcrop_types::index_from(bytes.next_multiple_of(length_from(UNIT_BYTES)) - bytes)
}

impl BlockSink for StoredSink {
    fn append(&mut self, mut block: &[u8]) -> Result<()> {
        if let Some(checksum) = block.first_chunk::<8>() {
            self.digest.update(checksum);
        }
        while !block.is_empty() {
            let (now, later) = block.split_at(block.len().min(BATCH_BYTES - self.batch.len()));
            self.batch.extend_from_slice(now);
            block = later;
            if self.batch.len() == BATCH_BYTES {
                self.flush()?;
            }
        }
        Ok(())
    }
}
