//! Loads all chunks of a direction into its buffers, if all of them fit.

use super::lists::ChunkedLists;
use super::requested_lists::{ChunkQueue, Morsel};
use crate::read::ReadPlan;
use outcrop_io::Admission;
use outcrop_types::Result;
use std::collections::VecDeque;
use std::ops::Range;

/// Part of one worker in loading all chunks into the buffers.
pub(super) struct Loader<'a> {
    chunked: &'a ChunkedLists,
    queue: &'a ChunkQueue<'a>,
}

impl<'a> Loader<'a> {
    pub(super) const fn new(chunked: &'a ChunkedLists, queue: &'a ChunkQueue<'a>) -> Self {
        Self { chunked, queue }
    }
}

impl ReadPlan for Loader<'_> {
    /// Chunks by number.
    type Request = Range<u32>;

    fn plan(&mut self, planned: &mut VecDeque<Range<u32>>) -> Result<bool> {
        let ChunkedLists { table, file, .. } = self.chunked;
        let chunks = match self.queue.take() {
            None => return Ok(false),
            Some(Morsel::Chunks(chunks)) => chunks,
            Some(Morsel::Lists(_)) => return Ok(true),
        };
        for number in chunks.filter(|number| !self.chunked.is_resident(*number)) {
            let bytes = table.bytes_of(number);
            match planned.back_mut() {
                Some(chunks) if chunks.end == number && file.merge.joins(&table.bytes_of_all(chunks), &bytes) => {
                    chunks.end = number + 1;
                }
                _ => planned.push_back(number..number + 1),
            }
        }
        Ok(true)
    }

    fn bytes(&self, chunks: &Range<u32>) -> Range<u64> {
        self.chunked.table.bytes_of_all(chunks)
    }

    fn unpack(&mut self, chunks: Range<u32>, bytes: &[u8]) -> Result<()> {
        let chunked = self.chunked;
        chunked.for_each_arrived(chunks, bytes, |number, chunk| chunked.admit(number, chunk, Admission::FreeFrameOnly))
    }

    fn finish(self) -> Result<()> {
        Ok(())
    }
}
