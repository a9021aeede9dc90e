//! Part of one worker in a select or sweep: plans reads, and packs the lists of completed chunks.

use super::lists::ChunkedLists;
use super::requested_lists::{ChunkQueue, RequestedLists};
use crate::access::{Packer, Visit};
use crate::layout::chunked::format::ChunkView;
use crate::read::ReadPlan;
use outcrop_io::Admission;
use outcrop_types::{Result, VertexId, length_from};
use std::collections::VecDeque;
use std::ops::{ControlFlow, Range};

/// State shared by the workers of one select or sweep.
pub(super) struct ChunkedVisit<'a> {
    pub(super) chunked: &'a ChunkedLists,
    pub(super) visit: &'a dyn Visit,
    pub(super) wanted: &'a RequestedLists<'a>,
    pub(super) admission: Admission,
}

impl ChunkedVisit<'_> {
    /// Packs the requested lists of a chunk that no list spans.
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

    /// Packs the part of a started list in a chunk; all of its neighbors so far are at most `last`.
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

/// Read plan of one worker in a select or sweep.
pub(super) struct ChunkPlan<'a> {
    work: &'a ChunkedVisit<'a>,
    queue: &'a ChunkQueue<'a>,
    packer: Packer<'a>,
    /// True if a chunk came from memory since the last planned one: a request across it would read it again.
    apart: bool,
}

impl<'a> ChunkPlan<'a> {
    pub(super) fn new(work: &'a ChunkedVisit<'a>, queue: &'a ChunkQueue<'a>) -> Self {
        Self { work, queue, packer: Packer::new(work.visit), apart: false }
    }

    fn plan_read(&mut self, number: u32, planned: &mut VecDeque<Range<u32>>) {
        let ChunkedLists { table, file, .. } = self.work.chunked;
        let bytes = table.bytes_of(number);
        let apart = std::mem::take(&mut self.apart);
        match planned.back_mut() {
            Some(chunks) if !apart && number >= chunks.end && file.merge.joins(&table.bytes_of_all(chunks), &bytes) => {
                chunks.end = number + 1;
            }
            _ => planned.push_back(number..number + 1),
        }
    }
}

impl ReadPlan for ChunkPlan<'_> {
    /// Chunks by number.
    type Request = Range<u32>;

    fn plan(&mut self, planned: &mut VecDeque<Range<u32>>) -> Result<bool> {
        let work = self.work;
        let Some(morsel) = self.queue.take() else { return Ok(false) };
        let mut outcome = Ok(());
        morsel.for_each_chunk(work.wanted, |number| {
            if work.chunked.table.chained(number) || outcome.is_err() {
                return;
            }
            match work.chunked.resident(number) {
                Some(guard) => {
                    self.apart = true;
                    outcome = work.pack_chunk(number, &guard, &mut self.packer);
                }
                None => self.plan_read(number, planned),
            }
        });
        self.packer.count(&work.chunked.file.statistics);
        outcome.map(|()| true)
    }

    fn bytes(&self, chunks: &Range<u32>) -> Range<u64> {
        self.work.chunked.table.bytes_of_all(chunks)
    }

    fn unpack(&mut self, chunks: Range<u32>, bytes: &[u8]) -> Result<()> {
        let chunked = self.work.chunked;
        chunked.for_each_arrived(chunks, bytes, |number, chunk| {
            if chunked.table.chained(number) || !self.work.wanted.chunk(number) {
                return Ok(());
            }
            chunked.admit(number, chunk, self.work.admission)?;
            self.work.pack_chunk(number, chunk, &mut self.packer)
        })
    }

    fn finish(self) -> Result<()> {
        self.packer.finish(&self.work.chunked.file.statistics)
    }
}
