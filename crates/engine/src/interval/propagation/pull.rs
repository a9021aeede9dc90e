//! Pulls: every vertex of an interval takes the best that active neighbours offer (LOSC section 3.7).

use crate::frontier::FrontierBuilder;
use crate::interval::cursors::Cursors;
use crate::interval::engine::IntervalEngine;
use crate::interval::program::Propagation;
use crate::interval::sources::Sources;
use crate::values::{Number, read};
use outcrop_io::ValueFile;
use outcrop_store::access::{FoldLists, Neighbours};
use outcrop_types::{BitSet, Direction, Result, VertexId, VertexRange, VertexSet};
use std::ops::ControlFlow;

type Atomic<P> = <<P as Propagation>::Value as Number>::Atomic;

impl IntervalEngine<'_> {
    /// Pulls along the lists of `ways`, with values in memory.
    pub(super) fn pull<P: Propagation>(
        &self,
        program: &P,
        ways: &[Direction],
        (values, active): (&mut [P::Value], &VertexSet),
        better: &FrontierBuilder,
    ) -> Result<()> {
        let offering = active.to_bits();
        for interval in &self.intervals {
            self.workers().cancellation().check()?;
            let (start, end) = (interval.start as usize, interval.end as usize);
            let latest: Vec<Atomic<P>> = values[start..end].iter().map(|value| value.into_atomic()).collect();
            for way in ways {
                let visit = Pull { program, start: interval.start, old: values, latest: &latest, offering: &offering };
                self.lists(*way)?.sweep(*interval, &visit)?;
            }
            self.workers().for_each_value(&mut values[start..end], |position, old| {
                let value = P::Value::load(&latest[position as usize]);
                if program.better(value, *old) {
                    *old = value;
                    offering.insert(interval.start + position);
                    better.add(interval.start + position);
                }
            });
        }
        Ok(())
    }

    /// Pulls along the lists of `ways`, with values on disk: those of windows without anyone who has something to offer are not read.
    pub(super) fn pull_on_disk<P: Propagation>(
        &self,
        program: &P,
        ways: &[Direction],
        (file, active): (&ValueFile<P::Value>, &VertexSet),
        better: &FrontierBuilder,
    ) -> Result<()> {
        self.prepared(ways, size_of::<P::Value>())?;
        let offering = active.to_bits();
        for interval in &self.intervals {
            self.workers().cancellation().check()?;
            let mut latest = Vec::new();
            read(file, *interval, &mut latest)?;
            if self.pull_interval(program, ways, *interval, (file, &offering), &mut latest)? {
                self.replace(program, *interval, (file, &latest), |vertex| {
                    offering.insert(vertex);
                    better.add(vertex);
                })?;
            }
        }
        Ok(())
    }

    /// Lets the vertices of an interval take the best that is offered; whether there may have been something.
    fn pull_interval<P: Propagation>(
        &self,
        program: &P,
        ways: &[Direction],
        interval: VertexRange,
        (file, offering): (&ValueFile<P::Value>, &BitSet),
        latest: &mut [P::Value],
    ) -> Result<bool> {
        let unsettled = |vertex: VertexId| !program.settled(latest[(vertex - interval.start) as usize]);
        let mut lists = Vec::with_capacity(ways.len());
        for way in ways {
            lists.push(self.construct(*way, interval, unsettled)?);
        }
        let cursors: Vec<Cursors<'_>> = lists.iter().map(|lists| Cursors::new(lists, self.workers())).collect();
        let offers = |window: &VertexRange| offering.iter_range(*window).next().is_some();
        self.stream(file, offers, |window, values| {
            self.workers().for_each_value(latest, |position, best| {
                for cursors in &cursors {
                    if let Some((_, stretch)) = cursors.advance(position as usize, window) {
                        take_best(program, best, &Sources::window(stretch, window.start, values), offering);
                    }
                }
            });
            Ok(())
        })?;
        Ok(lists.iter().any(|lists| lists.entries() > 0))
    }

    /// Replaces the values of an interval that got better, and calls `changed` with each such vertex.
    fn replace<P: Propagation>(
        &self,
        program: &P,
        interval: VertexRange,
        (file, latest): (&ValueFile<P::Value>, &[P::Value]),
        changed: impl Fn(VertexId),
    ) -> Result<()> {
        let mut old = Vec::new();
        let length = self.window_length::<P::Value>();
        for (stretch, latest) in interval.split(length).zip(latest.chunks(length as usize)) {
            read(file, stretch, &mut old)?;
            let mut any = false;
            for ((vertex, value), old) in stretch.iter().zip(latest).zip(&old) {
                if program.better(*value, *old) {
                    changed(vertex);
                    any = true;
                }
            }
            if any {
                file.write(u64::from(stretch.start), latest)?;
            }
        }
        Ok(())
    }
}

/// Improves `best` by what those of the sources offer that have something to offer.
#[inline]
fn take_best<P: Propagation>(program: &P, best: &mut P::Value, sources: &Sources<'_, P::Value>, offering: &BitSet) {
    sources.for_each_of(
        |id| offering.contains(id),
        |id, value, weight| {
            if let Some(offered) = program.relax(id, value, weight)
                && program.better(offered, *best)
            {
                *best = offered;
            }
        },
    );
}

/// Folds the lists of an interval into its Latest-copy.
struct Pull<'p, P: Propagation> {
    program: &'p P,
    start: VertexId,
    old: &'p [P::Value],
    latest: &'p [Atomic<P>],
    offering: &'p BitSet,
}

impl<P: Propagation> Pull<'_, P> {
    fn latest(&self, vertex: VertexId) -> &Atomic<P> {
        &self.latest[(vertex - self.start) as usize]
    }
}

impl<P: Propagation> FoldLists for Pull<'_, P> {
    /// The best so far.
    type Fold = P::Value;

    fn wants(&self, vertex: VertexId) -> bool {
        !self.program.settled(P::Value::load(self.latest(vertex)))
    }

    fn begin(&self, vertex: VertexId) -> P::Value {
        P::Value::load(self.latest(vertex))
    }

    #[inline]
    fn neighbours(&self, _: VertexId, best: &mut P::Value, piece: Neighbours<'_>) -> ControlFlow<()> {
        take_best(self.program, best, &Sources::window(piece, 0, self.old), self.offering);
        if self.program.settled(*best) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    #[inline]
    fn end(&self, vertex: VertexId, best: P::Value) {
        best.store(self.latest(vertex));
    }
}
