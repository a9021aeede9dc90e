//! Loads logs and groups their messages (section V.B, `LoadLog` and `SortNGrpLog`).

use super::combine::Combine;
use super::drained::{Drained, scan_all};
use super::entry::{destination, entry_bytes, message};
use super::group::{GroupSpace, Shape, fits_in, space_bytes};
use super::message_log::MessageLog;
use super::pages::{alike, damaged};
use bytemuck::cast_slice_mut;
use outcrop_engine::Plain;
use outcrop_engine::State;
use outcrop_types::{Error, MemoryPlan, Purpose, Result, VertexId, VertexRange, length_from};
use std::sync::atomic::Ordering::Relaxed;

/// Bytes of a log per read when it is serialized, unless its pages are larger; also the maximum page size then.
const SAVED_BYTES: usize = 64 << 10;
const LARGEST_PAGE: u64 = 1 << 30;

impl<M: Plain> MessageLog<M> {
    /// Serializes the pending messages, page by page, in no particular order. No messages may be sent meanwhile.
    ///
    /// # Errors
    /// Returns the errors of [`State::number`], or an error if a read fails or is damaged. The log is unusable
    /// afterwards.
    pub(crate) fn visit<C: Combine<M>>(&self, state: &mut State<'_>, combine: &C) -> Result<()> {
        match state.restores() {
            true => self.restore(state, combine),
            false => {
                let mut staging = vec![0; self.page_bytes().max(SAVED_BYTES)];
                let busy = (0..self.intervals()).filter(|interval| self.waiting(*interval) > 0);
                busy.into_iter().try_for_each(|interval| self.save(interval, &mut staging, state, combine))?;
                state.list(&mut Vec::<u8>::new(), 0)
            }
        }
    }

    fn save<C: Combine<M>>(
        &self,
        interval: usize,
        staging: &mut [u8],
        state: &mut State<'_>,
        combine: &C,
    ) -> Result<()> {
        let (mut drained, mut saved) = (self.drain(interval, combine)?, Ok(()));
        let looked_at = drained.scan(false, staging, &mut |entries| {
            if saved.is_ok() && !entries.is_empty() {
                saved = state.list(&mut entries.to_vec(), LARGEST_PAGE);
            }
            Ok(())
        });
        if let Err(error) = looked_at.and_then(|()| drained.give_back()) {
            self.fail(alike(&error));
            return Err(error);
        }
        saved
    }

    fn restore<C: Combine<M>>(&self, state: &mut State<'_>, combine: &C) -> Result<()> {
        let (mut writer, mut entries) = (self.writer(0), Vec::new());
        loop {
            state.list(&mut entries, LARGEST_PAGE)?;
            if entries.is_empty() {
                break;
            }
            let messages = entries.chunks_exact(entry_bytes::<M>());
            messages.for_each(|entry| writer.send(&[destination(entry)], message(entry), combine));
        }
        drop(writer);
        self.check()
    }

    /// Loads the drained messages of consecutive intervals and groups the messages to the vertices from `from` on.
    /// `from` is the first vertex or the result of the previous call. Returns the end of the grouped vertices; if it is
    /// before the end of the intervals because `space` is full, the caller calls again. Other threads may send
    /// meanwhile.
    ///
    /// # Errors
    /// Returns an error if a read, or an earlier write, fails or is damaged, if the messages to one vertex do not fit
    /// in `space`, or on interruption.
    pub fn load<C: Combine<M>>(
        &self,
        drained: &mut [Drained],
        from: VertexId,
        space: &mut GroupSpace<M>,
        combine: &C,
    ) -> Result<VertexId> {
        self.check()?;
        let grouped = self.group(drained, from, space, combine);
        if let Err(error) = &grouped {
            space.clear();
            // The pages being read are lost: no thread may wait for them.
            self.fail(alike(error));
        }
        grouped
    }

    fn group<C: Combine<M>>(
        &self,
        drained: &mut [Drained],
        from: VertexId,
        space: &mut GroupSpace<M>,
        combine: &C,
    ) -> Result<VertexId> {
        let (Some(first), Some(last)) = (drained.first(), drained.last()) else { return Ok(from) };
        let (all, range) = (from <= first.range.start, VertexRange::new(from.max(first.range.start), last.range.end));
        let count = drained.iter().map(|drained| drained.bytes).sum::<u64>() / length_from(entry_bytes::<M>());
        let shape = space.shape_for(count, length_from(range.len())).filter(|_| all);
        let (shape, part, count) = match shape {
            Some(shape) => (shape, range, count),
            None => part(space, range, drained)?,
        };
        let delivered = space.group(shape, (part, count, part.end == range.end), drained, combine)?;
        let delivered = delivered.ok_or_else(|| damaged(self.folder()))?;
        self.delivered.fetch_add(delivered, Relaxed);
        Ok(part.end)
    }
}

/// Returns the part of `range`, from its start on, that is grouped at once, and the number of its messages.
fn part<M: Plain>(
    space: &mut GroupSpace<M>,
    range: VertexRange,
    drained: &mut [Drained],
) -> Result<(Shape, VertexRange, u64)> {
    if space.combines() {
        let end = last_end(range, |end| space.fits_in(Shape::Folded, 0, u64::from(end - range.start)));
        return Ok((Shape::Folded, VertexRange::new(range.start, end), 0));
    }
    let (end, messages, next) = count(space, range, drained)?;
    match end > range.start || range.is_empty() {
        true => Ok((Shape::Dense, VertexRange::new(range.start, end), messages)),
        false => Err(too_many(space, next)),
    }
}

/// Returns the last end for which `holds` is true, given that it is true for all ends before.
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

/// Returns the end of the vertices whose messages fit, the number of these messages, and the number of messages of the
/// next vertex. Makes one pass over the log.
fn count<M: Plain>(
    space: &mut GroupSpace<M>,
    range: VertexRange,
    drained: &mut [Drained],
) -> Result<(VertexId, u64, u64)> {
    let window = last_end(range, |end| space.fits_in(Shape::Dense, 0, u64::from(end - range.start)));
    space.begin(Shape::Dense, VertexRange::new(range.start, window), 0);
    let capacity = space.capacity();
    let (_, [counts, ..], staging) = space.split();
    let counts = &mut cast_slice_mut(counts)[..(window - range.start) as usize];
    counts.fill(0_u32);
    scan_all(drained, false, staging, &mut |entries| {
        for entry in entries.chunks_exact(entry_bytes::<M>()) {
            let position = destination(entry).wrapping_sub(range.start) as usize;
            counts.get_mut(position).into_iter().for_each(|count| *count = count.saturating_add(1));
        }
        Ok(())
    })?;
    Ok(prefix::<M>(counts, range.start, capacity))
}

/// Like [`count`], for given counts of the vertices from `start` on.
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

/// Returns the error for too many messages to one vertex; the required budget assumes proportional growth.
fn too_many<M: Plain>(space: &GroupSpace<M>, messages: u64) -> Error {
    let (held, budget) = space.paid();
    let needed = space_bytes(messages, 1, length_from(size_of::<M>()), false);
    let whole = u128::from(budget.limit()) * u128::from(needed) / u128::from(held.max(1)) + 1;
    // Default: saturates the estimate.
    let bytes = u64::try_from(whole).unwrap_or(u64::MAX);
    Error::BudgetTooSmall {
        budget: budget.limit(),
        plan: MemoryPlan::new().with(Purpose::SortSpace, bytes),
        retry: None,
        hint: Some("one vertex receives more messages in a superstep than fit in the grouping buffer"),
    }
}
