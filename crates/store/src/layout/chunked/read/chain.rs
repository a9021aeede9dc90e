//! Lists that span several chunks: read in order by one worker, one request at a time.

use super::lists::ChunkedLists;
use super::task::ChunkedVisit;
use crate::access::Packer;
use crate::read::WorkerReads;
use outcrop_io::{ReadRequest, ReadSource};
use outcrop_types::{Result, VertexId, index_from};

/// Reader of one chain of chunks, for one worker.
pub(super) struct ChainReader<'a> {
    work: &'a ChunkedVisit<'a>,
    chain: &'a [u32],
    /// Current list: its vertex, and whether the rest of it is requested.
    list: Option<(VertexId, bool)>,
    /// Last neighbor of the list so far.
    last: VertexId,
    /// Lists that span several chunks, and whole lists in the same chunks.
    long: Packer<'a>,
    whole: Packer<'a>,
    /// Number of chunks in the current request.
    requested: usize,
}

impl<'a> ChainReader<'a> {
    pub(super) fn new(work: &'a ChunkedVisit<'a>, chain: &'a [u32]) -> Self {
        let (long, whole) = (Packer::new(work.visit), Packer::new(work.visit));
        Self { work, chain, list: None, last: 0, long, whole, requested: 0 }
    }

    /// Returns true if any list of `chain` is requested.
    pub(super) fn wanted(work: &ChunkedVisit<'_>, chain: &[u32]) -> bool {
        chain.iter().any(|number| work.wanted.chunk(*number))
    }

    fn needed(&self, number: u32) -> bool {
        self.list.is_some_and(|(_, wanted)| wanted) || self.work.wanted.chunk(number)
    }

    /// Skips an unneeded chunk; a list that spans it is not requested.
    fn advance(&mut self) -> Option<u32> {
        let (first, rest) = self.chain.split_first()?;
        self.chain = rest;
        Some(*first)
    }

    /// Returns the request for the next chunk and its direct successors in both chain and file.
    fn request(&mut self, number: u32) -> ReadRequest {
        let ChunkedLists { table, file, .. } = self.work.chunked;
        let mut range = table.bytes_of(number);
        self.requested = 1;
        for next in self.chain.iter().skip(1) {
            let bytes = table.bytes_of(*next);
            if bytes.start != range.end || !file.merge.joins(&range, &bytes) || !self.work.wanted.chunk(*next) {
                break;
            }
            range.end = bytes.end;
            self.requested += 1;
        }
        ReadRequest { offset: range.start, length: index_from(range.end - range.start), token: 0 }
    }

    fn pack(&mut self, number: u32, chunk: &[u8]) -> Result<()> {
        let work = self.work;
        let view = work.chunked.view(number, chunk)?;
        let damaged = || work.chunked.damaged(number);
        if let Some((vertex, wanted)) = self.list.take() {
            let entry = view.find(vertex, None).filter(|_| view.carried == vertex).ok_or_else(damaged)?;
            self.pack_part(number, &view, entry, vertex, wanted)?;
        }
        let mut packed = 0;
        for (entry, vertex) in view.vertices().iter().enumerate() {
            if *vertex >= work.chunked.format.vertices {
                return Err(damaged());
            }
            if *vertex == view.carried || !work.wants(number, *vertex) {
                continue;
            }
            packed += 1;
            if *vertex != view.open {
                work.pack_list(number, &view, entry, *vertex, &mut self.whole)?;
            } else if self.list.is_some() {
                return Err(damaged());
            } else {
                self.last = 0;
                self.long.begin(*vertex);
                self.pack_part(number, &view, entry, *vertex, true)?;
            }
        }
        work.chunked.count_paged_lists(packed);
        Ok(())
    }

    /// Packs a part of a list; ends the list at its end or when the visitor stops.
    fn pack_part(
        &mut self,
        number: u32,
        view: &crate::layout::chunked::format::ChunkView<'_>,
        entry: usize,
        vertex: VertexId,
        wanted: bool,
    ) -> Result<()> {
        let mut more = wanted;
        if wanted {
            more = self.work.pack_part(number, view, entry, &mut self.last, &mut self.long)?.is_continue();
            more &= view.open == vertex;
            if !more {
                self.long.end()?;
            }
        }
        if view.open == vertex {
            self.list = Some((vertex, more));
        }
        Ok(())
    }
}

impl ReadSource for ChainReader<'_> {
    /// Returns one request at a time: the caller asks again only after the previous one was packed.
    fn next(&mut self) -> Result<Option<ReadRequest>> {
        let chunked = self.work.chunked;
        chunked.file.workers.cancellation().check()?;
        while let Some(number) = self.chain.first().copied() {
            if !self.needed(number) {
                // A list that is not requested may span this chunk.
                self.list = None;
                _ = self.advance();
                continue;
            }
            let Some(guard) = chunked.resident(number) else { return Ok(Some(self.request(number))) };
            _ = self.advance();
            self.pack(number, &guard)?;
        }
        match self.list {
            // The last chunk of a chain has no continuation.
            Some((_, true)) => Err(chunked.damaged_chain()),
            _ => Ok(None),
        }
    }

    fn ready(&mut self, _: u64, bytes: &[u8]) -> Result<()> {
        let (chunked, arrived) = (self.work.chunked, self.chain.get(..std::mem::take(&mut self.requested)));
        chunked.for_each_arrived(arrived.into_iter().flatten().copied(), bytes, |number, chunk| {
            _ = self.advance();
            chunked.admit(number, chunk, self.work.admission)?;
            self.pack(number, chunk)
        })
    }
}

impl WorkerReads for ChainReader<'_> {
    fn finish(self) -> Result<()> {
        let statistics = &self.work.chunked.file.statistics;
        self.long.finish(statistics)?;
        self.whole.finish(statistics)
    }
}
