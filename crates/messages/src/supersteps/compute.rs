//! Computes the active vertices of a group from their values, messages and lists (MultiLogVC, algorithm 1, lines 4 to
//! 8).

use super::block::{Block, BlockValues, Sets, sum};
use super::state::{Grouped, MessageRun, Progress};
use super::worker::WorkerOutbox;
use crate::lists::{BLOCK, Batch, BatchLimits, EdgeLog, Lists, Loaded, PageUse};
use crate::log::BlockMessages;
use crate::program::MessageProgram;
use crate::records::RecordLog;
use bytemuck::Zeroable;
use outcrop_engine::VertexArray;
use outcrop_io::ValueFile;
use outcrop_types::{Result, VertexId, VertexRange, VertexSet};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Number of list entries or vertices below which one thread computes them.
const LITTLE: usize = 1 << 11;
/// A batch uses its pages well if more than one in this many vertices of its range is a member.
const DENSE: usize = 4;

impl<'g, P: MessageProgram> MessageRun<'_, 'g, P> {
    /// Computes the active vertices of a group.
    ///
    /// # Errors
    /// Returns an error if a read fails or is damaged, if the disk is full, or on interruption.
    pub(crate) fn compute(
        &self,
        grouped: &mut Grouped<P::Message>,
        progress: &mut Progress<'_, P>,
        values: &mut VertexArray<P::Value>,
    ) -> Result<()> {
        let range = grouped.range;
        let mut messages = grouped.messages.then(|| grouped.space.blocks(BLOCK));
        let blocks = blocks_of(range).map(|range| (range, messages.as_mut().and_then(Iterator::next)));
        let blocks = blocks.map(|(range, messages)| (range, messages.map(|(_, messages)| messages)));
        let mut busy = blocks.filter(|(range, _)| self.active.iter_range(*range).next().is_some()).peekable();
        match values {
            VertexArray::Memory(values) => self.turn(&mut held(values, busy), progress),
            VertexArray::Disk(file) => {
                let block_bytes = u64::from(BLOCK) * size_of::<P::Value>().max(1) as u64;
                let fitting = (self.shares.values / block_bytes).max(1) as usize;
                while busy.peek().is_some() {
                    self.turn_on_disk(file, busy.by_ref().take(fitting), progress)?;
                }
                Ok(())
            }
        }
    }

    /// Computes blocks whose values are read from disk before and written after.
    fn turn_on_disk<'b>(
        &self,
        file: &ValueFile<P::Value>,
        blocks: impl Iterator<Item = Unread<'b, P>>,
        progress: &mut Progress<'_, P>,
    ) -> Result<()> {
        let mut turn = Vec::new();
        for (range, messages) in blocks {
            let mut values = vec![P::Value::zeroed(); range.len()];
            file.read(u64::from(range.start), &mut values)?;
            turn.push(Block { range, values: BlockValues::Read(values), messages });
        }
        self.turn(&mut turn, progress)?;
        for block in turn {
            if let BlockValues::Read(values) = block.values {
                file.write(u64::from(block.range.start), &values)?;
            }
        }
        Ok(())
    }

    /// Lets vertices receive their messages, and computes those that need their lists, batch by batch.
    fn turn(&self, blocks: &mut [Block<'_, P>], progress: &mut Progress<'_, P>) -> Result<()> {
        let Some(last) = blocks.last() else { return Ok(()) };
        let range = VertexRange::new(blocks[0].range.start, last.range.end);
        let absent = self.graph.as_ref().map(|graph| &graph.absent);
        let sets = Sets { active: &self.active, next: &self.next, wanted: &self.wanted, absent };
        let (step, program, lists) = (progress.step, self.program, self.lists());
        let words = self.edge_words.as_ref().filter(|_| program.needs_edge_words(&step));
        let received = AtomicU64::new(0);
        let little = self.active.iter_range(range).nth(LITTLE).is_none();
        self.over_blocks(blocks, little, progress, |block, outbox| {
            let words = words.map(|words| words.part(&lists, block.range));
            received.fetch_add(block.receive(program, step, &sets, words, outbox)?, Relaxed);
            Ok(())
        })?;
        progress.received += received.into_inner();
        let limits =
            BatchLimits { memory: self.shares.lists, members: VertexSet::sparse_limit(self.engine.vertices()).max(1) };
        let mut batch = std::mem::take(&mut progress.batch);
        let mut wanted = self.wanted.iter_range(range).peekable();
        loop {
            lists.choose(limits, &mut wanted, &mut progress.known, &mut batch)?;
            if batch.members().is_empty() {
                break;
            }
            let loaded = self.load_lists(&lists, &batch, progress)?;
            let first = blocks.partition_point(|block| block.range.end <= batch.range().start);
            let end = blocks.partition_point(|block| block.range.start < batch.range().end);
            let little = batch.entries(0) + batch.entries(1) + batch.members().len() < LITTLE;
            self.over_blocks(&mut blocks[first..end], little, progress, |block, outbox| {
                block.compute(program, step, &sets, (&batch, &loaded), outbox);
                Ok(())
            })?;
            batch.members().iter().for_each(|member| self.wanted.remove(*member));
        }
        progress.batch = batch;
        Ok(())
    }

    /// Loads the lists of a batch, from the edge log if possible. Logs the lists that are likely to be needed again.
    fn load_lists(&self, lists: &Lists<'_, '_>, batch: &Batch, progress: &mut Progress<'_, P>) -> Result<Loaded> {
        let (figures, members) = (&mut progress.figures, batch.members().len());
        figures.computed += members as u64;
        let logged = progress.edge_log.as_ref().and_then(EdgeLog::members);
        let sparse = members * DENSE <= batch.range().len();
        let mut likely: Option<Vec<u32>> = None;
        for side in 0..2 {
            let Some(used) = sparse.then(|| PageUse::of(lists, batch, side, logged)).flatten() else { continue };
            figures.pages += used.pages;
            figures.thin_pages += used.thin;
            figures.predicted_pages += used.predicted;
            likely = Some(match likely {
                None => used.members,
                Some(mut others) => {
                    others.retain(|position| used.members.binary_search(position).is_ok());
                    others
                }
            });
        }
        let mut loaded = lists.load(batch, logged)?;
        progress.entries += loaded.entries();
        if let Some(log) = &mut progress.edge_log {
            log.fill(batch, &mut loaded)?;
            let again = |position: &u32| self.before.contains(batch.members()[*position as usize]);
            // Default: without page statistics, no list is likely to be needed.
            for position in likely.unwrap_or_default().into_iter().filter(again) {
                log.append(batch, &loaded, position as usize)?;
            }
        }
        Ok(loaded)
    }

    /// Runs `work` on each block in parallel, and collects the vertices' output.
    fn over_blocks<'b>(
        &self,
        blocks: &mut [Block<'b, P>],
        little: bool,
        progress: &mut Progress<'_, P>,
        work: impl Fn(&mut Block<'b, P>, &mut WorkerOutbox<'_, P>) -> Result<()> + Sync,
    ) -> Result<()> {
        let workers = self.engine.setup.workers;
        let queue = Mutex::new(blocks.iter_mut().enumerate());
        let done = Mutex::new((Vec::new(), Vec::new()));
        workers.run(little, &|slot| {
            let records = self.records.as_ref().map(|records| records.writer(slot));
            let mut outbox = WorkerOutbox::new(self.program, self.log.writer(slot), records, self.graph.is_some());
            let mut totals = Vec::new();
            loop {
                workers.cancellation().check()?;
                let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some((number, block)) = next.filter(|_| !outbox.has_failed()) else { break };
                work(block, &mut outbox)?;
                totals.push((number, outbox.take_totals()));
            }
            let mutations = outbox.finish()?;
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            done.0.extend(totals);
            done.1.extend(mutations);
            Ok(())
        })?;
        self.log.check()?;
        self.records.as_ref().map_or(Ok(()), RecordLog::check)?;
        let (totals, mutations) = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        progress.add(sum(totals));
        progress.mutations.extend(mutations);
        Ok(())
    }

    fn lists(&self) -> Lists<'_, 'g> {
        let changes = self.graph.as_ref().map_or([None, None], |graph| graph.lists());
        let erased = self.graph.as_ref().and_then(|graph| graph.erased());
        self.engine.lists(changes, erased)
    }
}

/// Vertices of a block, and their messages, if any.
type Unread<'b, P> = (VertexRange, Option<BlockMessages<'b, <P as MessageProgram>::Message>>);

/// Returns blocks with values in memory, ascending.
fn held<'b, P: MessageProgram>(
    mut values: &'b mut [P::Value],
    blocks: impl Iterator<Item = Unread<'b, P>>,
) -> Vec<Block<'b, P>> {
    let mut passed = 0;
    let block = |(range, messages): Unread<'b, P>| {
        let (_, behind) = std::mem::take(&mut values).split_at_mut((range.start - passed) as usize);
        let (own, behind) = behind.split_at_mut(range.len());
        (values, passed) = (behind, range.end);
        Block { range, values: BlockValues::Held(own), messages }
    };
    blocks.map(block).collect()
}

/// Splits `range` into blocks that end at multiples of [`BLOCK`].
fn blocks_of(range: VertexRange) -> impl Iterator<Item = VertexRange> {
    let end = move |start: VertexId| range.end.min((start / BLOCK + 1).saturating_mul(BLOCK));
    let first = (!range.is_empty()).then(|| VertexRange::new(range.start, end(range.start)));
    std::iter::successors(first, move |block| {
        (block.end < range.end).then(|| VertexRange::new(block.end, end(block.end)))
    })
}
