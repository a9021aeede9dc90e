//! One worker's share of a select or sweep: plans reads, keeps them in flight, packs the lists of the chunks that have arrived.

use super::adjacency::ChunkedAdjacency;
use super::wanted::{Claims, Wanted};
use crate::access::{Packer, Visit};
use crate::layout::chunked::format::ChunkView;
use outcrop_io::{Admission, ReadRequest, ReadSource};
use outcrop_types::{Result, VertexId, index_from, length_from};
use std::collections::VecDeque;
use std::ops::{ControlFlow, Range};

/// State shared by the workers of one select or sweep.
pub(super) struct Work<'a> {
    pub(super) chunked: &'a ChunkedAdjacency,
    pub(super) visit: &'a dyn Visit,
    pub(super) wanted: &'a Wanted<'a>,
    pub(super) admission: Admission,
}

impl Work<'_> {
    /// Packs the wanted lists of a chunk that no list runs through.
    #[inline(never)]
    fn pack_chunk(&self, number: u32, chunk: &[u8], packer: &mut Packer<'_>) -> Result<()> {
        let view = self.chunked.view(number, chunk)?;
        if let Some(lists) = self.wanted.listed(number) {
            self.chunked.count_paged_lists(length_from(lists.len()));
            return lists.iter().try_for_each(|(_, vertex)| {
                let entry = view
                    .find(*vertex, self.chunked.index.entry(*vertex))
                    .ok_or_else(|| self.chunked.damaged(number))?;
                self.pack_list(number, &view, entry, *vertex, packer)
            });
        }
        let mut packed = 0;
        for (entry, vertex) in view.vertices().iter().enumerate() {
            if *vertex >= self.chunked.format.vertices {
                return Err(self.chunked.damaged(number));
            }
            if self.wants(number, *vertex) {
                self.pack_list(number, &view, entry, *vertex, packer)?;
                packed += 1;
            }
        }
        self.chunked.count_paged_lists(packed);
        Ok(())
    }

    /// Packs a whole list.
    #[inline]
    pub(super) fn pack_list(
        &self,
        number: u32,
        view: &ChunkView<'_>,
        entry: usize,
        vertex: VertexId,
        packer: &mut Packer<'_>,
    ) -> Result<()> {
        let chunked = self.chunked;
        chunked.touch(number, view, entry);
        let (bytes, length) = view.list(entry).ok_or_else(|| chunked.damaged(number))?;
        chunked.format.pack(bytes, length, vertex, packer)?.map_err(|_| chunked.damaged(number))
    }

    /// Packs what a chunk holds of a list that has begun, all of whose neighbours so far are at most `last`.
    pub(super) fn pack_part(
        &self,
        number: u32,
        view: &ChunkView<'_>,
        entry: usize,
        last: &mut VertexId,
        packer: &mut Packer<'_>,
    ) -> Result<ControlFlow<()>> {
        let chunked = self.chunked;
        chunked.touch(number, view, entry);
        let (bytes, length) = view.list(entry).ok_or_else(|| chunked.damaged(number))?;
        let mut ascends = true;
        let packed = chunked.format.decode(bytes, length, |piece| {
            let ids = piece.ids();
            ascends &= ids.first().is_none_or(|first| *last <= *first);
            *last = ids.last().copied().unwrap_or(*last);
            if ascends { packer.piece(piece) } else { ControlFlow::Break(()) }
        });
        packed.ok().filter(|_| ascends).ok_or_else(|| chunked.damaged(number))
    }
}

/// One worker's side of a select or sweep.
pub(super) struct Gatherer<'a> {
    work: &'a Work<'a>,
    claims: &'a Claims<'a>,
    packer: Packer<'a>,
    /// Chunks that one request brings, by number.
    planned: VecDeque<Range<u32>>,
    in_flight: Vec<Range<u32>>,
    vacant: Vec<usize>,
    /// Since the last chunk was planned one came from memory: a request that covers it would bring it once more.
    apart: bool,
}

impl<'a> Gatherer<'a> {
    pub(super) fn new(work: &'a Work<'a>, claims: &'a Claims<'a>) -> Self {
        let packer = Packer::new(work.visit);
        Self { work, claims, packer, planned: VecDeque::new(), in_flight: Vec::new(), vacant: Vec::new(), apart: false }
    }

    pub(super) fn finish(self) -> Result<()> {
        self.packer.finish(&self.work.chunked.statistics)
    }

    fn plan_read(&mut self, number: u32) {
        let ChunkedAdjacency { table, merge, .. } = self.work.chunked;
        let bytes = table.bytes_of(number);
        let apart = std::mem::take(&mut self.apart);
        match self.planned.back_mut() {
            Some(chunks)
                if !apart
                    && number >= chunks.end
                    && merge
                        .joins(&(table.bytes_of(chunks.start).start..table.bytes_of(chunks.end - 1).end), &bytes) =>
            {
                chunks.end = number + 1;
            }
            _ => self.planned.push_back(number..number + 1),
        }
    }

    fn launch(&mut self, chunks: Range<u32>) -> ReadRequest {
        let table = &self.work.chunked.table;
        let (offset, end) = (table.bytes_of(chunks.start).start, table.bytes_of(chunks.end - 1).end);
        let slot = self.vacant.pop().unwrap_or(self.in_flight.len());
        match self.in_flight.get_mut(slot) {
            Some(vacant) => *vacant = chunks,
            None => self.in_flight.push(chunks),
        }
        ReadRequest { offset, length: index_from(end - offset), token: length_from(slot) }
    }
}

impl ReadSource for Gatherer<'_> {
    fn next(&mut self) -> Result<Option<ReadRequest>> {
        let (work, claims) = (self.work, self.claims);
        while self.planned.is_empty() {
            work.chunked.workers.cancellation().check()?;
            let Some(claim) = claims.claim() else { return Ok(None) };
            let mut outcome = Ok(());
            claim.for_each_chunk(work.wanted, |number| {
                if work.chunked.table.chained(number) || outcome.is_err() {
                    return;
                }
                match work.chunked.resident(number) {
                    Some(guard) => {
                        self.apart = true;
                        outcome = work.pack_chunk(number, &guard, &mut self.packer);
                    }
                    None => self.plan_read(number),
                }
            });
            outcome?;
        }
        Ok(self.planned.pop_front().map(|chunks| self.launch(chunks)))
    }

    fn ready(&mut self, token: u64, bytes: &[u8]) -> Result<()> {
        let slot = index_from(token);
        let Some(chunks) = self.in_flight.get_mut(slot).map(std::mem::take) else { return Ok(()) };
        self.vacant.push(slot);
        let chunked = self.work.chunked;
        let begin = chunked.table.bytes_of(chunks.start).start;
        chunked.statistics.count_request(length_from(bytes.len()));
        for number in chunks {
            if chunked.table.chained(number) || !self.work.wanted.chunk(number) {
                continue;
            }
            let range = chunked.table.bytes_of(number);
            let chunk = bytes.get(index_from(range.start - begin)..index_from(range.end - begin)).unwrap_or_default();
            chunked.admit(number, chunk, self.work.admission)?;
            self.work.pack_chunk(number, chunk, &mut self.packer)?;
        }
        Ok(())
    }
}
