//! Supersteps (MultiLogVC, algorithm 1): chooses the logs to load together, and when.

use super::state::{Grouped, MessageRun, Progress};
use crate::log::{Drained, GroupSpace};
use crate::program::{MessageProgram, Superstep};
use crate::requirements::Delivery;
use outcrop_engine::VertexArray;
use outcrop_engine::schedule::{Estimates, Plan};
use outcrop_store::access::IoCost;
use outcrop_types::{AccessMode, EdgeDirection, Error, Result, VertexId, VertexRange};
use std::ops::Range;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Number of messages below which a superstep loads them without a loader thread.
const SERIAL_MESSAGES: u64 = 1 << 14;

/// Intervals computed together, and the messages to their vertices.
struct Group {
    intervals: Range<usize>,
    range: VertexRange,
    messages: u64,
    drained: Vec<Drained>,
}

/// Returns the error for a superstep after a failed one.
fn no_space() -> Error {
    Error::internal("a superstep follows a failed one")
}

impl<P: MessageProgram> MessageRun<'_, '_, P> {
    /// Returns true if a vertex is active or a message is pending.
    pub(crate) fn should_continue(&self) -> bool {
        (0..self.engine.intervals().len()).any(|interval| self.log.waiting(interval) > 0)
            || self.active.iter().next().is_some()
    }

    /// Runs one superstep.
    ///
    /// # Errors
    /// Returns an error if a read fails or is damaged, if the disk is full, if the messages to one vertex exceed the
    /// grouping memory, or on interruption.
    pub(crate) fn superstep(
        &mut self,
        progress: &mut Progress<'_, P>,
        values: &mut VertexArray<P::Value>,
    ) -> Result<()> {
        match self.engine.setup.options.delivery {
            Delivery::Synchronous => self.synchronous(progress, values),
            Delivery::Asynchronous => self.asynchronous(progress, values),
        }
    }

    /// Runs a superstep whose pending messages were all sent in the previous one.
    fn synchronous(&mut self, progress: &mut Progress<'_, P>, values: &mut VertexArray<P::Value>) -> Result<()> {
        let intervals = self.engine.intervals().len();
        let mut drained = (0..intervals)
            .map(|interval| self.log.drain(interval, self.program))
            .collect::<Result<Vec<_>>>()?
            .into_iter();
        let counts: Vec<u64> = drained.as_slice().iter().map(Drained::count).collect();
        let (mut groups, mut from) = (Vec::new(), 0);
        while let Some(mut group) = self.group(from, |interval| counts[interval]) {
            // Intervals between groups have no messages.
            let passed = group.intervals.start - from;
            group.drained = drained.by_ref().skip(passed).take(group.intervals.len()).collect();
            from = group.intervals.end;
            groups.push(group);
        }
        progress.note_groups(groups.iter().map(|group| group.intervals.len()));
        let waiting: u64 = counts.iter().sum();
        if groups.len() == 1 || waiting < SERIAL_MESSAGES {
            return groups.into_iter().try_for_each(|group| self.load_and_compute(group, progress, values));
        }
        self.compute_while_loading(groups, progress, values)
    }

    /// Runs a superstep that drains messages right before delivery, so that messages of this superstep are included.
    fn asynchronous(&mut self, progress: &mut Progress<'_, P>, values: &mut VertexArray<P::Value>) -> Result<()> {
        let mut from = 0;
        while let Some(mut group) = self.group(from, |interval| self.log.waiting(interval)) {
            from = group.intervals.end;
            group.drained = group
                .intervals
                .clone()
                .map(|interval| self.log.drain(interval, self.program))
                .collect::<Result<_>>()?;
            progress.note_groups(std::iter::once(group.intervals.len()));
            self.load_and_compute(group, progress, values)?;
        }
        Ok(())
    }

    /// Returns the next intervals from `from` on to compute together: as many as fit with their messages (section
    /// V.A.2), at least one. Skips intervals without messages and active vertices.
    fn group(&self, from: usize, waiting: impl Fn(usize) -> u64) -> Option<Group> {
        let intervals = self.engine.intervals();
        let busy =
            |interval: &usize| waiting(*interval) > 0 || self.active.iter_range(intervals[*interval]).next().is_some();
        let first = (from..intervals.len()).find(busy)?;
        let (mut range, mut messages, mut end) = (intervals[first], waiting(first), first + 1);
        // Messages between intervals that are computed together would not arrive in the same superstep.
        let options = &self.engine.setup.options;
        let fuse = options.fuse && options.delivery == Delivery::Synchronous;
        while fuse && end < intervals.len() {
            let vertices = u64::from(intervals[end].end - range.start);
            if self.engine.group_bytes(messages + waiting(end), vertices) > self.shares.sort / 2 {
                break;
            }
            range.end = intervals[end].end;
            messages += waiting(end);
            end += 1;
        }
        Some(Group { intervals: first..end, range, messages, drained: Vec::new() })
    }

    fn load_and_compute(
        &self,
        mut group: Group,
        progress: &mut Progress<'_, P>,
        values: &mut VertexArray<P::Value>,
    ) -> Result<()> {
        let mut from = group.range.start;
        while from < group.range.end {
            let space = progress.spaces.pop();
            let space = space.ok_or_else(no_space)?;
            let mut grouped = self.load(&mut group, from, space)?;
            from = grouped.range.end;
            self.compute(&mut grouped, progress, values)?;
            progress.spaces.push(grouped.space);
        }
        Ok(())
    }

    /// Computes groups while another thread loads and sorts the next one (section V.B).
    fn compute_while_loading(
        &self,
        groups: Vec<Group>,
        progress: &mut Progress<'_, P>,
        values: &mut VertexArray<P::Value>,
    ) -> Result<()> {
        if progress.spaces.is_empty() {
            // The loader would wait for a space forever.
            return Err(no_space());
        }
        let (full, filled) = sync_channel(1);
        let (empty, emptied) = sync_channel(2);
        for space in progress.spaces.drain(..) {
            // The channel has capacity for both, and a receiver.
            _ = empty.send(space);
        }
        // The closure drops its channels when it returns, so that the loader stops waiting.
        let back = std::thread::scope(|scope| {
            let (empty, filled) = (empty, filled);
            let loader = std::thread::Builder::new()
                .name("outcrop-messages".to_owned())
                .spawn_scoped(scope, move || self.load_all(groups, emptied, full))
                .map_err(|error| Error::io("start", "a sorting thread", error))?;
            for grouped in filled {
                let mut grouped: Grouped<P::Message> = grouped?;
                self.compute(&mut grouped, progress, values)?;
                // The loader may have ended.
                _ = empty.send(grouped.space);
            }
            drop(empty);
            loader.join().map_err(|payload| Error::panicked("the thread that loads messages", &*payload))
        })?;
        progress.spaces.extend(back);
        Ok(())
    }

    /// Loads groups into spaces from `emptied`, until there are no more groups or the receiver is gone. Returns the
    /// spaces.
    fn load_all(
        &self,
        groups: Vec<Group>,
        emptied: Receiver<GroupSpace<P::Message>>,
        full: SyncSender<Result<Grouped<P::Message>>>,
    ) -> Vec<GroupSpace<P::Message>> {
        for mut group in groups {
            let mut from = group.range.start;
            while from < group.range.end {
                let Ok(space) = emptied.recv() else { return Vec::new() };
                let loaded = self.load(&mut group, from, space);
                from = loaded.as_ref().map_or(group.range.end, |loaded| loaded.range.end);
                let failed = loaded.is_err();
                if full.send(loaded).is_err() || failed {
                    return Vec::new();
                }
            }
        }
        // No more groups: the receiver ends and returns no more spaces.
        drop(full);
        emptied.into_iter().collect()
    }

    /// Loads the messages to the vertices of a group from `from` on, as many as fit, and marks the vertices as active.
    fn load(
        &self,
        group: &mut Group,
        from: VertexId,
        mut space: GroupSpace<P::Message>,
    ) -> Result<Grouped<P::Message>> {
        let mut range = VertexRange::new(from, group.range.end);
        if group.messages > 0 {
            range.end = self.log.load(&mut group.drained, from, &mut space, self.program)?;
            space.all().vertices().for_each(|vertex| _ = self.active.insert(vertex));
        }
        Ok(Grouped { range, space, messages: group.messages > 0 })
    }

    /// Ends a superstep: sent messages become pending. Returns the superstep for the program.
    ///
    /// # Errors
    /// Returns an error if mutations are invalid or a read fails.
    pub(crate) fn end(&mut self, progress: &mut Progress<'_, P>) -> Result<Superstep> {
        std::mem::swap(&mut self.before, &mut self.active);
        std::mem::swap(&mut self.active, &mut self.next);
        self.next.clear();
        let mutations = progress.take_mutations();
        if let Some(graph) = self.graph.as_mut().filter(|_| !mutations.is_empty()) {
            graph.apply(mutations, |vertex| _ = self.active.insert(vertex))?;
            progress.forget_logged();
        }
        let plan = Plan { direction: EdgeDirection::Push, access: AccessMode::Select };
        let cost = IoCost { arcs: progress.entries, ..IoCost::default() };
        self.engine.note_map(plan, progress.received, Estimates::of(cost));
        let ended = progress.end_superstep()?;
        self.engine.end_iteration(self.program.change(&ended));
        Ok(ended)
    }
}
