//! Sends messages: the top page of each interval, one for each worker (section V.A, `SendUpdate`).

use super::combine::Combine;
use super::entry::{destination, entry_bytes, message as message_of, put};
use super::intervals::Intervals;
use super::page::{HEADER_BYTES, Page};
use super::pool::Pool;
use super::single::Sorter;
use crate::messages::Plain;
use outcrop_types::{Error, VertexId, VertexRange};
use std::sync::MutexGuard;

/// Combining takes longer than to append, and pays where it saves traffic. After a page in which fewer than one message for this many
/// entries was combined,
const WORTHWHILE: usize = 4;
/// so many pages are filled as if nothing could be combined.
const REST: u32 = 7;

/// The page of an interval that a worker fills.
#[derive(Debug, Default)]
pub(super) struct Top {
    page: Page,
    /// Bytes of the page whose messages were counted, and how many were counted that were combined with others.
    counted: (usize, usize),
    /// True if the interval is in [`Slot::held`].
    listed: bool,
    /// The number of the last entry of the page with this hash of its destination: as many as a power of two, or none where nothing is
    /// combined.
    recent: Box<[u16]>,
    /// Number of messages that were combined with entries of the page.
    combined: usize,
    /// Number of pages that are filled without combining.
    resting: u32,
}

impl Top {
    /// Appends the message for those first of `to` that are in `range` and fit; returns how many these are.
    #[inline(always)]
    fn append<M: Plain>(&mut self, to: &[VertexId], range: VertexRange, message: &M) -> usize {
        let room = self.page.bytes.get_mut(self.page.used..).unwrap_or_default();
        let mut written = 0;
        for (place, to) in room.chunks_exact_mut(entry_bytes::<M>()).zip(to) {
            if !range.contains(*to) {
                break;
            }
            put(place, *to, message);
            written += 1;
        }
        self.page.used += written * entry_bytes::<M>();
        written
    }

    /// The same, but a message to a vertex that this page has a message for, and remembers, is combined with that.
    #[inline(always)]
    fn fold<M: Plain>(&mut self, to: &[VertexId], range: VertexRange, message: M, combine: &impl Combine<M>) -> usize {
        let (bytes, recent, mut used) = (&mut *self.page.bytes, &mut *self.recent, self.page.used);
        let shift = VertexId::BITS - recent.len().trailing_zeros();
        let mut written = 0;
        for to in to {
            let Some(known) = recent.get_mut(hash(*to, shift)) else { break };
            let at = HEADER_BYTES + usize::from(*known) * entry_bytes::<M>();
            let entry = bytes.get_mut(at..at + entry_bytes::<M>()).filter(|_| at < used);
            if let Some(entry) = entry.filter(|entry| destination(entry) == *to) {
                put(entry, *to, &combine.combine(message_of(entry), message));
                self.combined += 1;
            } else {
                let end = used + entry_bytes::<M>();
                let Some(place) = bytes.get_mut(used..end).filter(|_| range.contains(*to)) else { break };
                put(place, *to, &message);
                *known = ((used - HEADER_BYTES) / entry_bytes::<M>()) as u16;
                used = end;
            }
            written += 1;
        }
        self.page.used = used;
        written
    }

    /// Decides whether combining pays for the next page: not where pages stay in memory.
    const fn rest<M>(&mut self, pressed: bool) {
        let entries = self.page.used / entry_bytes::<M>();
        self.resting = match self.resting {
            _ if !pressed || self.recent.is_empty() => 1,
            0 if self.combined * WORTHWHILE < entries => REST,
            0 => 0,
            resting => resting - 1,
        };
        self.combined = 0;
    }

    /// The messages that were not counted yet, which are now.
    const fn count<M>(&mut self) -> u64 {
        let (used, combined) = std::mem::replace(&mut self.counted, (self.page.used, self.combined));
        let entries = self.page.used.saturating_sub(used) / entry_bytes::<M>();
        (entries + self.combined - combined) as u64
    }
}

/// A position of [`Top::recent`], whose length is 2 to the power of what `shift` is less than 32.
#[inline(always)]
const fn hash(to: VertexId, shift: u32) -> usize {
    to.wrapping_mul(0x9E37_79B1).wrapping_shr(shift) as usize
}

/// Number of entries of a page that are remembered: half of them, as a power of two.
const fn remembered(page_bytes: usize, entry_bytes: usize) -> usize {
    let half = page_bytes / entry_bytes / 2;
    if half < 2 {
        2
    } else if half > 1 << 15 {
        1 << 15
    } else {
        1 << half.ilog2()
    }
}

/// Pages that one worker fills.
#[derive(Debug)]
pub(super) struct Slot {
    tops: Vec<Top>,
    /// Intervals that have a page here, and some that had one.
    held: Vec<u32>,
    sent: u64,
}

impl Slot {
    /// Memory of a slot for each interval, besides pages, in bytes.
    pub(super) const fn bytes(page_bytes: usize, entry_bytes: usize, combines: bool) -> u64 {
        let recent = if combines { size_of::<u16>() * remembered(page_bytes, entry_bytes) } else { 0 };
        (size_of::<Top>() + size_of::<u32>() + recent) as u64
    }

    pub(super) fn new<M>(intervals: usize, page_bytes: usize, combines: bool) -> Self {
        let recent = if combines { remembered(page_bytes, entry_bytes::<M>()) } else { 0 };
        let resting = u32::from(!combines);
        let top = || Top { recent: vec![0; recent].into_boxed_slice(), resting, ..Top::default() };
        Self { tops: (0..intervals).map(|_| top()).collect(), held: Vec::with_capacity(intervals), sent: 0 }
    }

    /// Takes the page of an interval, if it has one.
    pub(super) fn take(&mut self, interval: usize) -> Option<Page> {
        let top = &mut self.tops[interval];
        top.counted = (0, 0);
        top.combined = 0;
        (!top.page.bytes.is_empty()).then(|| std::mem::take(&mut top.page))
    }

    /// Messages that were sent.
    pub(super) const fn sent(&self) -> u64 {
        self.sent
    }
}

/// Takes the messages that one worker sends. What goes wrong is kept for [`super::MessageLog::check`].
pub struct LogWriter<'l, M> {
    slot: MutexGuard<'l, Slot>,
    intervals: &'l Intervals,
    pool: &'l Pool,
    sorter: Option<&'l Sorter<M>>,
}

impl<'l, M: Plain> LogWriter<'l, M> {
    pub(super) const fn new(
        slot: MutexGuard<'l, Slot>,
        intervals: &'l Intervals,
        pool: &'l Pool,
        sorter: Option<&'l Sorter<M>>,
    ) -> Self {
        Self { slot, intervals, pool, sorter }
    }

    /// Sends `message` to each of `to`. Neighbours in `to` that are in the same interval are faster than others.
    #[inline]
    pub fn send<C: Combine<M>>(&mut self, to: &[VertexId], message: M, combine: &C) {
        self.slot.sent += to.len() as u64;
        let mut rest = to;
        while let Some(first) = rest.first() {
            let (interval, range) = self.intervals.of(*first);
            let top = &mut self.slot.tops[interval];
            let written = match C::COMBINES && top.resting == 0 {
                true => top.fold(rest, range, message, combine),
                false => top.append(rest, range, &message),
            };
            rest = &rest[written..];
            if written == 0 {
                rest = self.make_room(rest, interval, range, combine);
            }
        }
    }

    /// Exchanges the top page of an interval; passes over a vertex that is in none. Returns what is left to be sent.
    #[cold]
    fn make_room<'t, C: Combine<M>>(
        &mut self,
        to: &'t [VertexId],
        interval: usize,
        range: VertexRange,
        combine: &C,
    ) -> &'t [VertexId] {
        match to.split_first() {
            Some((first, rest)) if !range.contains(*first) => {
                self.pool.fail(Error::Usage(format!("a message was sent to vertex {first}, which there cannot be")));
                return rest;
            }
            _ => {}
        }
        let Slot { tops, held, .. } = &mut *self.slot;
        let top = &mut tops[interval];
        self.pool.count(interval, top.count::<M>());
        top.rest::<M>(self.pool.is_pressed());
        let full = std::mem::take(&mut top.page);
        if !std::mem::replace(&mut top.listed, true) {
            held.push(interval as u32);
        }
        top.page = match self.sorter {
            None => self.pool.exchange(interval, full, None),
            Some(sorter) => {
                if self.pool.is_low() {
                    sorter.make_room(self.pool, combine, false);
                }
                self.pool.exchange(interval, full, Some(&|| sorter.make_room(self.pool, combine, true)))
            }
        };
        top.counted = (HEADER_BYTES, 0);
        to
    }
}

impl<M> Drop for LogWriter<'_, M> {
    /// Counts what is in pages that are not full.
    fn drop(&mut self) {
        let Slot { tops, held, .. } = &mut *self.slot;
        held.retain(|interval| {
            let top = &mut tops[*interval as usize];
            self.pool.count(*interval as usize, top.count::<M>());
            top.listed = !top.page.bytes.is_empty();
            top.listed
        });
    }
}
