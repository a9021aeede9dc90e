//! Sends messages: appends each to the page of its interval (section V.A, `SendUpdate`).

use super::backend::{BackendWriter, OtherLog, with_bytes};
use super::combine::Combine;
use super::intervals::Intervals;
use super::multi::MultiLog;
use super::pages::Pool;
use super::top::Slot;
use outcrop_engine::Plain;
use outcrop_types::{Error, VertexId, VertexRange};
use std::marker::PhantomData;
use std::sync::MutexGuard;
use std::sync::atomic::Ordering::Relaxed;

/// Message writer of one worker. [`super::MessageLog::check`] reports its failures.
pub struct LogWriter<'l, M> {
    to: Destination<'l>,
    message: PhantomData<fn(M)>,
}

enum Destination<'l> {
    Multi(MultiWriter<'l>),
    Other(OtherWriter<'l>),
}

impl<'l, M: Plain> LogWriter<'l, M> {
    pub(super) fn to_pages(log: &'l MultiLog, slot: usize, intervals: &'l Intervals) -> Self {
        let to = Destination::Multi(MultiWriter { slot: log.slot(slot), intervals, pool: &log.pool });
        Self { to, message: PhantomData }
    }

    pub(super) fn to_other(log: &'l OtherLog, slot: usize) -> Self {
        let to = Destination::Other(OtherWriter { writer: log.log.writer(slot), log, sent: 0 });
        Self { to, message: PhantomData }
    }

    /// Sends `message` to each vertex in `to`. Consecutive vertices of the same interval are faster.
    #[inline]
    pub fn send<C: Combine<M>>(&mut self, to: &[VertexId], message: M, combine: &C) {
        match &mut self.to {
            Destination::Multi(writer) => writer.send(to, message, combine),
            Destination::Other(writer) => writer.send(to, message, combine),
        }
    }
}

/// Returns the error for a message to a vertex in no interval.
fn no_vertex(vertex: VertexId) -> Error {
    Error::Usage(format!("a message was sent to vertex {vertex}, which does not exist"))
}

/// Fills the pages of a slot.
struct MultiWriter<'l> {
    slot: MutexGuard<'l, Slot>,
    intervals: &'l Intervals,
    pool: &'l Pool,
}

impl MultiWriter<'_> {
    #[inline]
    fn send<M: Plain, C: Combine<M>>(&mut self, to: &[VertexId], message: M, combine: &C) {
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
                rest = self.make_room::<M>(rest, interval, range);
            }
        }
    }

    /// Exchanges the full top page of an interval; skips a vertex that is in no interval. Returns the vertices left to
    /// send to.
    #[cold]
    fn make_room<'t, M>(&mut self, to: &'t [VertexId], interval: usize, range: VertexRange) -> &'t [VertexId] {
        match to.split_first() {
            Some((first, rest)) if !range.contains(*first) => {
                self.pool.fail(no_vertex(*first));
                return rest;
            }
            _ => {}
        }
        let Slot { tops, held, .. } = &mut *self.slot;
        let top = &mut tops[interval];
        self.pool.count(interval, top.count::<M>());
        if !std::mem::replace(&mut top.listed, true) {
            held.push(interval as u32);
        }
        let full = top.take_full::<M>(self.pool.is_pressed());
        top.refill(self.pool.exchange(interval, full));
        to
    }
}

impl<M> Drop for LogWriter<'_, M> {
    /// Counts messages in pages that are not full.
    fn drop(&mut self) {
        match &mut self.to {
            Destination::Multi(writer) => writer.count::<M>(),
            Destination::Other(writer) => _ = writer.log.sent.fetch_add(writer.sent, Relaxed),
        }
    }
}

impl MultiWriter<'_> {
    /// Counts messages in pages that are not full.
    fn count<M>(&mut self) {
        let Slot { tops, held, .. } = &mut *self.slot;
        held.retain(|interval| {
            let top = &mut tops[*interval as usize];
            self.pool.count(*interval as usize, top.count::<M>());
            top.listed = !top.page.bytes.is_empty();
            top.listed
        });
    }
}

/// Sends messages to another backend, as bytes.
struct OtherWriter<'l> {
    writer: Box<dyn BackendWriter + 'l>,
    log: &'l OtherLog,
    sent: u64,
}

impl OtherWriter<'_> {
    fn send<M: Plain, C: Combine<M>>(&mut self, to: &[VertexId], message: M, combine: &C) {
        self.sent += to.len() as u64;
        let sent = match to.iter().find(|vertex| **vertex >= self.log.vertices) {
            Some(vertex) => Err(no_vertex(*vertex)),
            None => with_bytes(combine, |combine| self.writer.send(to, bytemuck::bytes_of(&message), combine)),
        };
        _ = sent.map_err(|error| self.log.fail(error));
    }
}
