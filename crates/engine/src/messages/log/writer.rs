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

/// Entries of a page that are remembered by destination, to combine with.
const REMEMBERED: usize = 256;

/// The page of an interval that a worker fills.
#[derive(Debug, Default)]
pub(super) struct Top {
    page: Page,
    /// Bytes of the page whose messages were counted.
    counted: usize,
    /// Whether the interval is in [`Slot::held`].
    listed: bool,
    /// Where in the page the last entry with this hash of its destination is; empty where nothing is combined.
    recent: Box<[u32]>,
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
        let (bytes, recent) = (&mut *self.page.bytes, &mut *self.recent);
        for (written, to) in to.iter().enumerate() {
            let Some(known) = recent.get_mut(hash(*to)) else { return written };
            let at = *known as usize;
            let entry = bytes.get_mut(at..at + entry_bytes::<M>()).filter(|_| at < self.page.used);
            if let Some(entry) = entry.filter(|entry| destination(entry) == *to) {
                let one = combine.combine(message_of(entry), message);
                put(entry, *to, &one);
                continue;
            }
            let end = self.page.used + entry_bytes::<M>();
            let Some(place) = bytes.get_mut(self.page.used..end).filter(|_| range.contains(*to)) else {
                return written;
            };
            put(place, *to, &message);
            *known = self.page.used as u32;
            self.page.used = end;
        }
        to.len()
    }
}

/// A position of [`Top::recent`].
#[inline(always)]
const fn hash(to: VertexId) -> usize {
    (to.wrapping_mul(0x9E37_79B1) >> (32 - REMEMBERED.trailing_zeros())) as usize
}

/// What one worker fills.
#[derive(Debug)]
pub(super) struct Slot {
    tops: Vec<Top>,
    /// Intervals that have a page here, and some that had one.
    held: Vec<u32>,
    sent: u64,
}

impl Slot {
    /// Memory of a slot for each interval, besides pages, in bytes.
    pub(super) const fn bytes(combines: bool) -> u64 {
        (size_of::<Top>() + 4 + if combines { 4 * REMEMBERED } else { 0 }) as u64
    }

    pub(super) fn new(intervals: usize, combines: bool) -> Self {
        let remembered = if combines { REMEMBERED } else { 0 };
        let top = || Top { recent: vec![u32::MAX; remembered].into_boxed_slice(), ..Top::default() };
        Self { tops: (0..intervals).map(|_| top()).collect(), held: Vec::with_capacity(intervals), sent: 0 }
    }

    /// Takes the page of an interval, if it has one.
    pub(super) fn take(&mut self, interval: usize) -> Option<Page> {
        let top = &mut self.tops[interval];
        top.counted = 0;
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
            let written = match C::COMBINES {
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
        count::<M>(self.pool, interval, top);
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
        top.counted = HEADER_BYTES;
        to
    }
}

impl<M> Drop for LogWriter<'_, M> {
    /// Counts what is in pages that are not full.
    fn drop(&mut self) {
        let Slot { tops, held, .. } = &mut *self.slot;
        held.retain(|interval| {
            let top = &mut tops[*interval as usize];
            count::<M>(self.pool, *interval as usize, top);
            top.listed = !top.page.bytes.is_empty();
            top.listed
        });
    }
}

/// Counts what was not counted yet.
fn count<M>(pool: &Pool, interval: usize, top: &mut Top) {
    let more = top.page.used.saturating_sub(top.counted) / entry_bytes::<M>();
    if more > 0 {
        pool.count(interval, more as u64);
    }
    top.counted = top.page.used;
}
