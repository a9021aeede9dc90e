//! Loads all chunks of a direction into its buffers, where these hold them all.

use super::adjacency::ChunkedAdjacency;
use super::wanted::{Claim, Claims};
use outcrop_io::{Admission, ReadRequest, ReadSource};
use outcrop_types::{Result, index_from, length_from};
use std::collections::VecDeque;
use std::ops::Range;

/// One worker's share of the loading.
pub(super) struct Loader<'a> {
    chunked: &'a ChunkedAdjacency,
    claims: &'a Claims<'a>,
    planned: VecDeque<Range<u32>>,
}

impl<'a> Loader<'a> {
    pub(super) const fn new(chunked: &'a ChunkedAdjacency, claims: &'a Claims<'a>) -> Self {
        Self { chunked, claims, planned: VecDeque::new() }
    }

    /// Cuts chunks into requests.
    fn plan(&mut self, chunks: Range<u32>) {
        let ChunkedAdjacency { table, merge, .. } = self.chunked;
        for number in chunks.filter(|number| !self.chunked.is_resident(*number)) {
            let bytes = table.bytes_of(number);
            match self.planned.back_mut() {
                Some(chunks)
                    if chunks.end == number
                        && merge.joins(&(table.bytes_of(chunks.start).start..bytes.start), &bytes) =>
                {
                    chunks.end = number + 1;
                }
                _ => self.planned.push_back(number..number + 1),
            }
        }
    }
}

impl ReadSource for Loader<'_> {
    fn next(&mut self) -> Result<Option<ReadRequest>> {
        while self.planned.is_empty() {
            self.chunked.workers.cancellation().check()?;
            match self.claims.claim() {
                None => return Ok(None),
                Some(Claim::Chunks(chunks)) => self.plan(chunks),
                Some(Claim::Lists(_)) => {}
            }
        }
        Ok(self.planned.pop_front().map(|chunks| {
            let table = &self.chunked.table;
            let (offset, end) = (table.bytes_of(chunks.start).start, table.bytes_of(chunks.end - 1).end);
            ReadRequest { offset, length: index_from(end - offset), token: u64::from(chunks.start) }
        }))
    }

    fn ready(&mut self, first: u64, bytes: &[u8]) -> Result<()> {
        self.chunked.statistics.count_request(length_from(bytes.len()));
        let (mut number, mut rest) = (u32::try_from(first).unwrap_or(u32::MAX), bytes);
        while !rest.is_empty() && number < self.chunked.table.len() {
            let range = self.chunked.table.bytes_of(number);
            let (chunk, behind) = rest.split_at_checked(index_from(range.end - range.start)).unwrap_or_default();
            self.chunked.admit(number, chunk, Admission::FreeFrameOnly)?;
            (number, rest) = (number + 1, behind);
        }
        Ok(())
    }
}
