//! Pushes to values on disk: offers are collected, sorted by target, and applied in one pass over the affected
//! stretches.

use crate::frontier::FrontierBuilder;
use crate::interval::engine::IntervalEngine;
use crate::interval::program::Propagated;
use crate::values::{Number, read};
use outcrop_io::ValueFile;
use outcrop_store::access::{FoldLists, Neighbors};
use outcrop_types::{
    AccessMode, Cancellation, Direction, Result, VertexId, VertexRange, VertexSet, index_from, length_from,
};
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

/// Maximum gap between needed values that is read rather than skipped, in bytes: about the cost of a request.
const GAP_BYTES: usize = 16 << 10;
/// Minimum number of buffered offers, and of offering vertices.
const LEAST: u64 = 1 << 10;

impl IntervalEngine<'_> {
    /// Pushes the values of `active` along the lists of `ways`, with values on disk. Batches of active vertices, whose
    /// values are read first, share the memory of an interval with their offers. A batch sees the changes of earlier
    /// batches.
    pub(super) fn push_on_disk<P: Propagated>(
        &self,
        program: &P,
        access: AccessMode,
        ways: &[Direction],
        file: &ValueFile<P::Value>,
        active: &VertexSet,
        better: &FrontierBuilder,
    ) -> Result<()> {
        let batch = self.fitting_half(2 * size_of::<VertexId>() + size_of::<P::Value>());
        let batch = batch.min(u64::from(u32::MAX)) as u32;
        let most = self.fitting_half(size_of::<(VertexId, P::Value)>());
        let run = RunLimits { gap: (GAP_BYTES / size_of::<P::Value>()) as u32, most: self.window_length::<P::Value>() };
        for positions in VertexRange::new(0, active.positions()).split(batch) {
            self.workers().cancellation().check()?;
            let (members, values) = self.read_batch(file, run, active, positions)?;
            let set = VertexSet::from_members(members.clone(), self.vertices());
            let arcs: u64 = self.sum_of(ways, |lists| lists.cost_of(&set))?.arcs;
            let cancellation = self.workers().cancellation();
            let offers = Offers { program, file, better, run, cancellation, limit: arcs.clamp(1, most) as usize };
            let push = PushOffers { sources: (&members, &values), offers: &offers, held: Mutex::default() };
            self.push(access, ways, &set, &push)?;
            let held = push.held.into_inner().unwrap_or_else(PoisonError::into_inner);
            offers.finish(held)?;
        }
        Ok(())
    }

    /// Returns the number of items of `bytes` bytes that fit in half of an interval's memory.
    fn fitting_half(&self, bytes: usize) -> u64 {
        (self.interval_bytes / 2 / length_from(bytes)).max(LEAST)
    }

    /// Estimates the bytes of values on disk that a push reads and writes: a page per offering vertex, and a page read
    /// and written per offer. Never more than all values; for offers, once per fill of the offer buffer.
    pub(super) fn pushed_value_bytes(&self, active: u64, offers: u64) -> u64 {
        const PAGE: u64 = 4 << 10;
        if !self.requirements.on_disk {
            return 0;
        }
        let held = self.fitting_half(2 * index_from(self.requirements.value_bytes)).min(offers).max(1);
        let touched = |vertices: u64| self.value_bytes().min(vertices.saturating_mul(PAGE));
        touched(active) + 2 * touched(held).saturating_mul(offers.div_ceil(held))
    }

    /// Estimates the steps of all workers for `offers` offers. With values on disk, one worker sorts them.
    pub(super) fn offer_steps(&self, offers: u64) -> u64 {
        const SORTING: u64 = 8;
        let sorted = if self.requirements.on_disk { SORTING * length_from(self.workers().threads()) } else { 0 };
        offers.saturating_mul(1 + sorted)
    }

    /// Reads the members of a set at some positions, and their values.
    fn read_batch<T: Number>(
        &self,
        file: &ValueFile<T>,
        run: RunLimits,
        set: &VertexSet,
        positions: VertexRange,
    ) -> Result<(Vec<VertexId>, Vec<T>)> {
        let mut members = Vec::new();
        set.for_each_in(positions, |member| members.push(member));
        let (mut values, mut buffer) = (Vec::with_capacity(members.len()), Vec::new());
        for (range, members) in run.split(&members, |member| *member) {
            self.workers().cancellation().check()?;
            read(file, range, &mut buffer)?;
            values.extend(members.iter().map(|member| buffer[(member - range.start) as usize]));
        }
        Ok((members, values))
    }
}

/// Maximum distances for reading and writing values together, in vertices.
#[derive(Clone, Copy)]
struct RunLimits {
    gap: u32,
    most: u32,
}

impl RunLimits {
    /// Splits items, which are ordered by vertex, into runs with their vertex ranges.
    fn split<T>(self, items: &[T], vertex: impl Fn(&T) -> VertexId) -> impl Iterator<Item = (VertexRange, &[T])> {
        let mut rest = items;
        std::iter::from_fn(move || {
            let start = vertex(rest.first()?);
            let mut end = start;
            let belongs = |item: &&T| {
                let next = vertex(item);
                let near = next - end <= self.gap && next - start < self.most;
                end = if near { next } else { end };
                near
            };
            let count = rest.iter().take_while(belongs).count();
            let (run, later) = rest.split_at(count);
            rest = later;
            Some((VertexRange::new(start, end + 1), run))
        })
    }
}

/// Buffer of offers, applied when it is full.
struct Offers<'o, P: Propagated> {
    program: &'o P,
    file: &'o ValueFile<P::Value>,
    better: &'o FrontierBuilder,
    run: RunLimits,
    cancellation: &'o Cancellation,
    /// Maximum number of buffered offers.
    limit: usize,
}

/// Pending offers, and the first failure.
struct PendingOffers<T> {
    offers: Vec<(VertexId, T)>,
    outcome: Result<()>,
}

impl<T> Default for PendingOffers<T> {
    fn default() -> Self {
        Self { offers: Vec::new(), outcome: Ok(()) }
    }
}

impl<P: Propagated> Offers<'_, P> {
    /// Adds an offer. If the buffer is full, reduces it to the best offer per target, or applies all offers.
    fn take(&self, held: &mut PendingOffers<P::Value>, offer: (VertexId, P::Value)) {
        held.offers.reserve_exact(if held.offers.capacity() == 0 { self.limit } else { 0 });
        held.offers.push(offer);
        if held.offers.len() >= self.limit {
            self.keep_best(&mut held.offers);
            if held.offers.len() > self.limit / 2 {
                held.outcome = self.apply(&held.offers);
                held.offers.clear();
            }
        }
    }

    /// Applies the remaining offers.
    fn finish(&self, mut held: PendingOffers<P::Value>) -> Result<()> {
        held.outcome?;
        self.keep_best(&mut held.offers);
        self.apply(&held.offers)
    }

    /// Sorts by target and retains the best offer for each.
    fn keep_best(&self, offers: &mut Vec<(VertexId, P::Value)>) {
        offers.sort_unstable_by_key(|(target, _)| *target);
        offers.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 = self.program.apply(kept.0, kept.1, next.1);
            }
            same
        });
    }

    fn apply(&self, offers: &[(VertexId, P::Value)]) -> Result<()> {
        let mut values = Vec::new();
        for (range, offers) in self.run.split(offers, |(target, _)| *target) {
            self.cancellation.check()?;
            read(self.file, range, &mut values)?;
            let mut any = false;
            for (target, offered) in offers {
                let value = &mut values[(target - range.start) as usize];
                let best = self.program.apply(*target, *value, *offered);
                if best != *value {
                    *value = best;
                    self.better.add(*target);
                    any = true;
                }
            }
            if any {
                self.file.write(u64::from(range.start), &values)?;
            }
        }
        Ok(())
    }
}

/// Collects the offers along lists.
struct PushOffers<'p, P: Propagated> {
    /// Offering vertices, ascending, and their values.
    sources: (&'p [VertexId], &'p [P::Value]),
    offers: &'p Offers<'p, P>,
    held: Mutex<PendingOffers<P::Value>>,
}

impl<P: Propagated> FoldLists for PushOffers<'_, P> {
    /// Value of the source, if it has an offer.
    type Fold = Option<P::Value>;

    fn wants(&self, vertex: VertexId) -> bool {
        self.sources.0.binary_search(&vertex).is_ok()
    }

    fn begin(&self, source: VertexId) -> Option<P::Value> {
        self.sources.0.binary_search(&source).ok().map(|position| self.sources.1[position])
    }

    fn neighbors(&self, source: VertexId, value: &mut Option<P::Value>, piece: Neighbors<'_>) -> ControlFlow<()> {
        let Some(value) = *value else { return ControlFlow::Break(()) };
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        piece.try_for_each(|target, weight| {
            if held.outcome.is_err() {
                return ControlFlow::Break(());
            }
            let program = self.offers.program;
            let mut offered = program.begin(target);
            program.gather(&mut offered, source, value, weight);
            self.offers.take(&mut held, (target, offered));
            ControlFlow::Continue(())
        })
    }

    fn end(&self, _: VertexId, _: Option<P::Value>) {}
}
