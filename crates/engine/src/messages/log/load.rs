//! Loads logs and groups what is in them (section V.B, `LoadLog` and `SortNGrpLog`).

use super::MessageLog;
use super::combine::Combine;
use super::entry::{destination, entry_bytes};
use super::failure::alike;
use super::group::Entries;
use super::list::List;
use super::page::{Page, verified};
use super::pool::Pool;
use super::space::{GroupSpace, Shape, fits_in, space_bytes};
use super::taken::{Kept, Taken};
use crate::messages::Plain;
use bytemuck::cast_slice_mut;
use outcrop_types::{Error, MemoryPlan, Purpose, Result, VertexId, VertexRange, length_from};
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

/// Bytes of a log that are asked for before they are needed.
const AHEAD_BYTES: usize = 4 << 20;

impl<M: Plain> MessageLog<M> {
    /// Loads what was taken of consecutive intervals and groups the messages to vertices from `from` on, which is the first of all or
    /// what an earlier call returned. Returns the end of the vertices that were grouped: less than all where `space` does not hold them,
    /// and then it is called again. May be called while others send.
    ///
    /// # Errors
    /// A failed or damaged read, or write before; interruption; messages to one vertex that `space` does not hold.
    pub fn load<C: Combine<M>>(
        &self,
        taken: &mut [Taken],
        from: VertexId,
        space: &mut GroupSpace<M>,
        combine: &C,
    ) -> Result<VertexId> {
        self.check()?;
        let grouped = self.group(taken, from, space, combine);
        if let Err(error) = &grouped {
            space.clear();
            // Pages that were being looked at are lost: nobody may wait for them.
            self.pool.fail(alike(error));
        }
        grouped
    }

    fn group<C: Combine<M>>(
        &self,
        taken: &mut [Taken],
        from: VertexId,
        space: &mut GroupSpace<M>,
        combine: &C,
    ) -> Result<VertexId> {
        let (Some(first), Some(last)) = (taken.first(), taken.last()) else { return Ok(from) };
        let (all, range) = (from <= first.range.start, VertexRange::new(from.max(first.range.start), last.range.end));
        let count = taken.iter().map(|taken| taken.bytes).sum::<u64>() / length_from(entry_bytes::<M>());
        let mut entries = Loading { taken, pool: &self.pool };
        let shape = space.shape_for(count, length_from(range.len())).filter(|_| all);
        let (shape, part, count) = match shape {
            Some(shape) => (shape, range, count),
            None => part(space, range, &mut entries)?,
        };
        let delivered = space.group(shape, (part, count, part.end == range.end), &mut entries, combine)?;
        self.delivered.fetch_add(delivered, Relaxed);
        Ok(part.end)
    }
}

/// Part of `range` that is grouped at once, from its start on, and number of its messages.
fn part<M: Plain>(
    space: &mut GroupSpace<M>,
    range: VertexRange,
    entries: &mut Loading<'_>,
) -> Result<(Shape, VertexRange, u64)> {
    if space.combines() {
        let end = last_end(range, |end| space.fits_in(Shape::Folded, 0, u64::from(end - range.start)));
        return Ok((Shape::Folded, VertexRange::new(range.start, end), 0));
    }
    let (end, messages, next) = count(space, range, entries)?;
    match end > range.start || range.is_empty() {
        true => Ok((Shape::Dense, VertexRange::new(range.start, end), messages)),
        false => Err(too_many(space, next)),
    }
}

/// The last end for which something holds that holds for all before.
fn last_end(range: VertexRange, holds: impl Fn(VertexId) -> bool) -> VertexId {
    let (mut end, mut beyond) = (range.start, u64::from(range.end) + 1);
    while beyond - u64::from(end) > 1 {
        let middle = (u64::from(end) + beyond) / 2;
        match VertexId::try_from(middle) {
            Ok(vertex) if holds(vertex) => end = vertex,
            _ => beyond = middle,
        }
    }
    end
}

/// End of the vertices whose messages fit, number of these messages, and of those of the next vertex: a pass over the log.
fn count<M: Plain>(
    space: &mut GroupSpace<M>,
    range: VertexRange,
    entries: &mut Loading<'_>,
) -> Result<(VertexId, u64, u64)> {
    let window = last_end(range, |end| space.fits_in(Shape::Dense, 0, u64::from(end - range.start)));
    space.begin(Shape::Dense, VertexRange::new(range.start, window), 0);
    let capacity = space.capacity();
    let (_, [counts, ..], staging) = space.split();
    let counts = &mut cast_slice_mut(counts)[..(window - range.start) as usize];
    counts.fill(0_u32);
    entries.pass(false, staging, &mut |entries| {
        for entry in entries.chunks_exact(entry_bytes::<M>()) {
            let position = destination(entry).wrapping_sub(range.start) as usize;
            counts.get_mut(position).into_iter().for_each(|count| *count = count.saturating_add(1));
        }
        Ok(())
    })?;
    Ok(prefix::<M>(counts, range.start, capacity))
}

/// The same, of the counts of the vertices from `start` on.
fn prefix<M>(counts: &[u32], start: VertexId, capacity: u64) -> (VertexId, u64, u64) {
    let mut messages = 0;
    for (end, count) in (start..).zip(counts) {
        let more = u64::from(*count);
        if !fits_in::<M>(capacity, Shape::Dense, messages + more, u64::from(end - start) + 1) {
            return (end, messages, more);
        }
        messages += more;
    }
    (start + counts.len() as VertexId, messages, 0)
}

/// So many messages to one vertex do not fit; the memory that does it is told as if all of it grew alike.
fn too_many<M: Plain>(space: &GroupSpace<M>, messages: u64) -> Error {
    let (held, budget) = space.paid();
    let needed = space_bytes(messages, 1, length_from(size_of::<M>()), false);
    let whole = u128::from(budget.limit()) * u128::from(needed) / u128::from(held.max(1)) + 1;
    let bytes = u64::try_from(whole).unwrap_or(u64::MAX);
    Error::BudgetTooSmall {
        budget: budget.limit(),
        plan: MemoryPlan::new().with(Purpose::SortSpace, bytes),
        retry: None,
        hint: Some("one vertex is sent more messages at once than there is space to group"),
    }
}

/// Messages taken of consecutive intervals, gone through in their order.
struct Loading<'t> {
    taken: &'t mut [Taken],
    pool: &'t Pool,
}

impl Entries for Loading<'_> {
    fn pass(&mut self, last: bool, staging: &mut [u8], take: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        for taken in &mut *self.taken {
            match &taken.kept {
                Kept::Nothing => {}
                Kept::Pages { pool, list } => pool.pass(*list, last, staging, take)?,
                Kept::Sorted { sorted, first } => {
                    sorted.pass(*first..*first + taken.count, staging, &self.pool.cancellation, take)?;
                }
            }
            if last {
                taken.clear();
            }
        }
        Ok(())
    }

    fn damaged(&self) -> Error {
        damaged(self.pool)
    }
}

/// Error for a page that is not what was written, or whose entries cannot have been sent.
fn damaged(pool: &Pool) -> Error {
    let message = "a page of messages in a temporary file in it is not what was written";
    Error::corrupt(pool.file.folder(), message).with_remedy("check the disk, and run it again")
}

/// Content of a list. Nothing of it is evicted as long as it is not in there.
struct Opened {
    interval: u32,
    serial: u64,
    pages: Vec<Page>,
    places: Vec<u32>,
}

impl Pool {
    /// Hands over the entries of a list, which is empty afterwards if this is the `last` pass.
    fn pass(
        &self,
        list: usize,
        last: bool,
        staging: &mut [u8],
        take: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut opened = self.open(list)?;
        opened.pages.iter().try_for_each(|page| take(page.entries()))?;
        if last {
            self.release(opened.pages.drain(..));
        }
        let mut ahead = Ahead { pool: self, places: &opened.places, next: 0, asked: 0 };
        while let Some(run) = ahead.next_run(staging.len() / self.page_bytes) {
            self.cancellation.check()?;
            let places = &opened.places[run];
            self.read(&opened, places, staging, take)?;
            if last {
                self.free_places(places);
            }
        }
        if last {
            opened.places.clear();
        }
        self.put_back(list, opened);
        Ok(())
    }

    /// Reads pages that lie beside each other and hands over their entries.
    fn read(
        &self,
        of: &Opened,
        places: &[u32],
        staging: &mut [u8],
        take: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let bytes = &mut staging[..places.len() * self.page_bytes];
        self.file.read(places.first().copied().map_or(0, u64::from), bytes)?;
        for (page, place) in bytes.chunks_exact(self.page_bytes).zip(places) {
            take(verified(page, of.interval, of.serial, *place).ok_or_else(|| damaged(self))?)?;
        }
        Ok(())
    }

    /// Takes what is in a list, when all that is on its way to the disk is there.
    fn open(&self, list: usize) -> Result<Opened> {
        let mut state = self.lock();
        while state.lists[list].writing > 0 {
            state = self.wait(state);
        }
        if state.failed.is_some() {
            drop(state);
            self.check()?;
            return Err(Error::internal("a log of messages forgot what had failed"));
        }
        let List { interval, serial, pages, places, .. } = &mut state.lists[list];
        let (pages, places) = (std::mem::take(pages), std::mem::take(places));
        Ok(Opened { interval: *interval, serial: *serial, pages, places })
    }

    fn put_back(&self, list: usize, opened: Opened) {
        let mut state = self.lock();
        state.lists[list].pages = opened.pages;
        state.lists[list].places = opened.places;
        drop(state);
        self.wanted.notify_one();
    }

    fn free_places(&self, places: &[u32]) {
        let mut state = self.lock();
        places.iter().for_each(|place| state.places.release(*place));
    }
}

/// Goes through the places of a list, and asks for those that come soon.
struct Ahead<'p> {
    pool: &'p Pool,
    places: &'p [u32],
    next: usize,
    asked: usize,
}

impl Ahead<'_> {
    /// The next pages that lie beside each other in the file, `most` at most.
    fn next_run(&mut self, most: usize) -> Option<Range<usize>> {
        self.ask();
        let run = self.run_from(self.next, most);
        self.next = run.end;
        (!run.is_empty()).then_some(run)
    }

    fn run_from(&self, start: usize, most: usize) -> Range<usize> {
        let rest = &self.places[start.min(self.places.len())..];
        let follow = rest.windows(2).take(most.max(1) - 1).take_while(|pair| pair[0] + 1 == pair[1]).count();
        start..start + rest.len().min(1 + follow)
    }

    /// Asks for what comes soon, so that several reads are under way.
    fn ask(&mut self) {
        let pages = (AHEAD_BYTES / self.pool.page_bytes).max(1);
        if self.asked > self.next + pages / 2 {
            return;
        }
        self.asked = self.asked.max(self.next);
        while self.asked < self.places.len().min(self.next + pages) {
            let run = self.run_from(self.asked, pages);
            self.pool.file.prefetch(u64::from(self.places[run.start]), length_from(run.len()));
            self.asked = run.end;
        }
    }
}
