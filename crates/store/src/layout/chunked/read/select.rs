//! Select and sweep of chunked lists.

use super::chain::ChainReader;
use super::cost;
use super::first_neighbors::FirstNeighbors;
use super::lists::{ChunkedLists, cache_shares};
use super::load::Loader;
use super::requested_lists::{ChunkQueue, RequestedList, RequestedLists};
use super::task::{ChunkPlan, ChunkedVisit};
use crate::access::{
    AccessStatistics, Adjacency, BitBlock, IoCost, ListPage, Packer, Pages, StoredNeighbors, Visit, Workers,
    requested_vertices,
};
use crate::layout::chunked::index::Place;
use crate::layout::chunked::settings::DenseAccess;
use crate::layout::lists::LayoutLists;
use crate::read::{MEMBERS_AT_ONCE, ReadTask, SERIAL_ENTRIES, SERIAL_MEMBERS, WorkQueue};
use crate::selection::StaticLists;
use outcrop_io::{Admission, Backend, PageCache, PageUse};
use outcrop_types::{BitSet, Result, VertexId, VertexRange, VertexSet, index_from, length_from, number_from};
use std::sync::{Mutex, PoisonError};

impl ChunkedLists {
    /// Visits the requested lists among the chunked lists.
    fn visit_chunks(&self, work: &ChunkedVisit<'_>, little: bool) -> Result<()> {
        let queue = ChunkQueue::new(work.wanted, &self.table);
        let cancellation = self.file.workers.cancellation();
        let begin = || ReadTask::new(ChunkPlan::new(work, &queue), cancellation);
        self.file.read_all(little, &begin, &|| queue.stop())?;
        let chains: Vec<&[u32]> =
            self.table.chains().iter().map(Vec::as_slice).filter(|chain| ChainReader::wanted(work, chain)).collect();
        self.file.read_each(little, &chains, &|chain| ChainReader::new(work, chain))
    }

    /// Visits the vertices of `members` with lists in memory; returns the others with their chunks, sorted.
    fn look_up(&self, members: &[VertexId], visit: &dyn Visit) -> Result<Vec<RequestedList>> {
        // Never grows beyond its planned size.
        let lists = Mutex::new(Vec::with_capacity(members.len()));
        let queue = WorkQueue::new(0..length_from(members.len()), MEMBERS_AT_ONCE);
        self.file.workers.run(members.len() <= self.little_members(), &|_| {
            let (mut packer, mut found, mut resident) = (Packer::new(visit), Vec::new(), 0);
            while let Some(morsel) = queue.take() {
                for vertex in members.get(index_from(morsel.start)..index_from(morsel.end)).into_iter().flatten() {
                    match self.visit_in_memory(*vertex, &mut packer)? {
                        InMemory::Static => resident += 1,
                        InMemory::Indexed => {}
                        InMemory::Not(chunk) => found.push((chunk, *vertex)),
                    }
                }
                lists.lock().unwrap_or_else(PoisonError::into_inner).append(&mut found);
            }
            self.file.statistics.count_static(resident, 0);
            packer.finish(&self.file.statistics)
        })?;
        let mut lists = lists.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.file.workers.sort(&mut lists);
        Ok(lists)
    }

    /// Packs the list of `vertex` if it is in memory.
    #[inline]
    fn visit_in_memory(&self, vertex: VertexId, packer: &mut Packer<'_>) -> Result<InMemory> {
        if self.file.pack_static(vertex, packer)? {
            return Ok(InMemory::Static);
        }
        let list = match self.index.place(vertex) {
            Place::Chunk(chunk) => return Ok(InMemory::Not(chunk)),
            Place::Mini(neighbors) => neighbors,
            Place::Empty => StoredNeighbors::EMPTY,
        };
        packer.list(vertex, list)?;
        Ok(InMemory::Indexed)
    }

    /// Visits the requested vertices of `range` with lists in memory, and marks the chunks of the others. `fill`
    /// selects the requested vertices of a block.
    fn visit_and_mark(&self, range: VertexRange, visit: &dyn Visit, fill: FillBlock<'_>) -> Result<BitSet> {
        let marks = BitSet::empty(self.table.len());
        let queue = self.queue(range);
        self.file.workers.run(range.len() <= SERIAL_MEMBERS, &|_| {
            let (mut packer, mut resident) = (Packer::new(visit), 0);
            let mut block = BitBlock::default();
            while let Some(morsel) = queue.take()? {
                fill(morsel, &mut block)?;
                block.try_for_each_word(|first, wanted| {
                    resident += self.pack_statics(first, wanted, &mut packer)?;
                    let mut outcome = Ok(());
                    self.index.for_each_place(first, *wanted, |vertex, place| match place {
                        Place::Chunk(chunk) => _ = marks.insert(chunk),
                        _ if outcome.is_err() => {}
                        Place::Mini(neighbors) => outcome = packer.list(vertex, neighbors),
                        Place::Empty => outcome = packer.list(vertex, StoredNeighbors::EMPTY),
                    });
                    outcome
                })?;
                packer.count(&self.file.statistics);
            }
            self.file.statistics.count_static(resident, 0);
            packer.finish(&self.file.statistics)
        })?;
        Ok(marks)
    }

    /// Packs the lists of `wanted` vertices in the static cache, and clears their bits; returns their number.
    fn pack_statics(&self, first: VertexId, wanted: &mut u64, packer: &mut Packer<'_>) -> Result<u64> {
        let (mut packed, mut rest) = (0, if self.file.statics.is_some() { *wanted } else { 0 });
        while rest != 0 {
            if self.file.pack_static(first + rest.trailing_zeros(), packer)? {
                packed += 1;
                *wanted &= !(rest & rest.wrapping_neg());
            }
            rest &= rest - 1;
        }
        Ok(packed)
    }

    /// Visits all requested lists of `range` that are not in chunks.
    fn visit_outside_chunks(&self, range: VertexRange, visit: &dyn Visit, filtered: Option<&BitSet>) -> Result<()> {
        let queue = self.queue(range);
        self.file.workers.run(range.len() <= SERIAL_MEMBERS, &|_| {
            let (mut packer, mut block, mut outcome) = (Packer::new(visit), BitBlock::default(), Ok(()));
            while let Some(morsel) = queue.take()? {
                if let Some(filtered) = filtered {
                    block.fill(morsel, visit);
                    keep(filtered, &block);
                }
                self.index.for_each_outside_chunks(morsel, |vertex, list| {
                    if outcome.is_ok() && (filtered.is_none() || block.contains(vertex)) {
                        outcome = packer.list(vertex, list);
                    }
                });
                std::mem::replace(&mut outcome, Ok(()))?;
                packer.count(&self.file.statistics);
            }
            packer.finish(&self.file.statistics)
        })
    }

    /// Visits lists in vertex order, some at a time, which may read a chunk repeatedly.
    fn sweep_by_vertex(&self, range: VertexRange, visit: &dyn Visit) -> Result<()> {
        let step = VertexSet::sparse_limit(self.format.vertices);
        for start in range.iter().step_by(step) {
            let end = range.end.min(start.saturating_add(number_from(step)));
            let members = requested_vertices(VertexRange::new(start, end), visit);
            let wanted = RequestedLists::Lists(self.look_up(&members, visit)?);
            let work = ChunkedVisit { chunked: self, visit, wanted: &wanted, admission: Admission::EvictIfNeeded };
            self.visit_chunks(&work, false)?;
        }
        Ok(())
    }

    /// Returns the first neighbors, if the visitor can use them and lists must be read.
    fn shown_firsts(&self) -> Option<&FirstNeighbors> {
        self.firsts.as_ref().filter(|_| self.index.counts_located() && !self.all_resident())
    }

    /// Returns true if every chunk is in memory, so that there is nothing to choose.
    fn all_resident(&self) -> bool {
        let resident: u64 = self.caches.iter().map(PageCache::resident_pages).sum();
        resident == u64::from(self.table.len())
    }
}

impl Adjacency for ChunkedLists {
    fn num_vertices(&self) -> u32 {
        self.format.vertices
    }

    fn num_arcs(&self) -> u64 {
        self.entry.arcs
    }

    fn cost_of(&self, set: &VertexSet) -> IoCost {
        cost::cost_of(self, set)
    }

    fn cost_of_sweep(&self) -> IoCost {
        cost::cost_of_sweep(self)
    }

    fn can_peek_first_neighbors(&self) -> bool {
        self.shown_firsts().is_some()
    }

    fn list_page(&self, vertex: VertexId) -> Option<ListPage> {
        match self.index.place(vertex) {
            Place::Chunk(chunk) => {
                let level = self.entry.levels.get(usize::from(self.table.kind(chunk).level));
                let entries = level.map_or(0, |level| level.arcs / level.chunks.max(1));
                Some(ListPage { number: u64::from(chunk), entries: entries.max(1) })
            }
            Place::Empty | Place::Mini(_) => None,
        }
    }

    fn select(&self, set: &VertexSet, visit: &dyn Visit) -> Result<()> {
        let wanted = match set {
            VertexSet::Sparse { members, .. } => RequestedLists::Lists(self.look_up(members, visit)?),
            VertexSet::Dense { bits, .. } => {
                let everyone = VertexRange::new(0, self.format.vertices);
                let marks = self.visit_and_mark(everyone, visit, &|morsel, block| {
                    block.take(morsel, bits);
                    Ok(())
                })?;
                RequestedLists::Members(set, marks)
            }
        };
        let little = match &wanted {
            RequestedLists::Lists(lists) => lists.len() <= SERIAL_MEMBERS && self.entries_of(lists) <= SERIAL_ENTRIES,
            _ => false,
        };
        let work = ChunkedVisit { chunked: self, visit, wanted: &wanted, admission: Admission::EvictIfNeeded };
        self.visit_chunks(&work, little)
    }

    fn sweep(&self, range: VertexRange, visit: &dyn Visit) -> Result<()> {
        if self.dense_access == DenseAccess::ByVertex {
            return self.sweep_by_vertex(range, visit);
        }
        let everything = range.len() == index_from(u64::from(self.format.vertices));
        let firsts = self.shown_firsts().filter(|_| visit.peeks());
        let filtered = (visit.selective() || firsts.is_some()).then(|| BitSet::empty(self.format.vertices));
        // If nothing must be read, or everything, chunk order is best.
        let marks = if everything && (self.all_resident() || filtered.is_none() && self.file.statics.is_none()) {
            self.visit_outside_chunks(range, visit, filtered.as_ref())?;
            None
        } else {
            let marks = self.visit_and_mark(range, visit, &|morsel, block| {
                block.fill(morsel, visit);
                firsts.map_or(Ok(()), |firsts| firsts.peek(&self.index, block, visit, &self.file.statistics))?;
                filtered.iter().for_each(|filtered| keep(filtered, block));
                Ok(())
            })?;
            Some(marks)
        };
        let wanted = RequestedLists::Range { range, filtered, marks };
        let work = ChunkedVisit { chunked: self, visit, wanted: &wanted, admission: Admission::FreeFrameOnly };
        self.visit_chunks(&work, range.len() <= SERIAL_MEMBERS / 64)
    }

    fn statistics(&self) -> &AccessStatistics {
        &self.file.statistics
    }
}

impl Pages for ChunkedLists {
    fn num_pages(&self) -> u32 {
        self.table.len()
    }

    #[inline]
    fn page_of(&self, vertex: VertexId) -> Option<u32> {
        match self.index.place(vertex) {
            Place::Chunk(chunk) if !self.table.chained(chunk) => Some(chunk),
            _ => None,
        }
    }
}

impl LayoutLists for ChunkedLists {
    fn suspend(&mut self) {
        self.firsts.iter().for_each(FirstNeighbors::suspend);
        self.file.suspend();
    }

    fn charge_as(&mut self, cache_bytes: u64) -> Result<()> {
        let shares = cache_shares(&self.entry, cache_bytes, self.utilization);
        for ((cache, level), share) in self.caches.iter_mut().zip(&self.entry.levels).zip(shares) {
            cache.charge_as(level.chunks, share)?;
        }
        Ok(())
    }

    fn resume(&mut self, workers: &Workers) -> Result<()> {
        self.file.resume(workers)
    }

    fn use_static(&mut self, statics: StaticLists) -> Result<()> {
        self.file.use_static(statics);
        self.paged_chunks = self.count_paged_chunks()?;
        Ok(())
    }

    fn static_lists(&self) -> Option<&StaticLists> {
        self.file.statics.as_ref()
    }

    fn load(&self) -> Result<()> {
        let frames: u64 = self.caches.iter().map(PageCache::frames).sum();
        if frames < u64::from(self.table.len()) {
            return Ok(());
        }
        let range = VertexRange::new(0, self.format.vertices);
        let wanted = RequestedLists::Range { range, filtered: None, marks: None };
        let queue = ChunkQueue::new(&wanted, &self.table);
        let cancellation = self.file.workers.cancellation();
        self.file.read_all(false, &|| ReadTask::new(Loader::new(self, &queue), cancellation), &|| queue.stop())
    }

    fn page_use(&self) -> Option<PageUse> {
        let tracked: Vec<_> = self.caches.iter().filter_map(PageCache::page_use).collect();
        (!tracked.is_empty()).then(|| tracked.into_iter().sum())
    }

    fn backend(&self) -> Backend {
        self.file.component.device().backend()
    }
}

/// Location of a list found in memory.
enum InMemory {
    /// List in the static cache.
    Static,
    /// List in the index.
    Indexed,
    /// List in this chunk, which is not in memory.
    Not(u32),
}

/// Selects the requested vertices of a range.
type FillBlock<'f> = &'f (dyn Fn(VertexRange, &mut BitBlock) -> Result<()> + Sync);

/// Marks the vertices of `block` in `filtered`.
fn keep(filtered: &BitSet, block: &BitBlock) {
    let (first, words) = block.words();
    filtered.insert_words(first, words);
}
