//! Pulls: every vertex of an interval takes the best offer of its active neighbors (LOSC section 3.7).

use crate::frontier::FrontierBuilder;
use crate::interval::engine::IntervalEngine;
use crate::interval::program::Propagated;
use crate::interval::sources::Sources;
use crate::values::{Number, read};
use outcrop_io::ValueFile;
use outcrop_store::access::{FoldLists, Neighbors};
use outcrop_types::{BitSet, Direction, Result, VertexId, VertexSet};
use std::ops::ControlFlow;

type Atomic<P> = <<P as Propagated>::Value as Number>::Atomic;

impl IntervalEngine<'_> {
    /// Pulls along the lists of `ways`, with values in memory.
    pub(super) fn pull<P: Propagated>(
        &self,
        program: &P,
        ways: &[Direction],
        values: &mut [P::Value],
        active: &VertexSet,
        better: &FrontierBuilder,
    ) -> Result<()> {
        let offering = active.to_bits();
        for interval in &self.intervals {
            self.workers().cancellation().check()?;
            let (start, end) = (interval.start as usize, interval.end as usize);
            let latest: Vec<Atomic<P>> = values[start..end].iter().map(|value| value.into_atomic()).collect();
            for way in ways {
                let visit = Pull {
                    program,
                    way: *way,
                    start: interval.start,
                    old: values,
                    latest: &latest,
                    offering: &offering,
                };
                self.lists(*way)?.sweep(*interval, &visit)?;
            }
            self.workers().for_each_value(&mut values[start..end], |position, old| {
                let value = P::Value::load(&latest[position as usize]);
                if value != *old {
                    *old = value;
                    offering.insert(interval.start + position);
                    better.add(interval.start + position);
                }
            });
        }
        Ok(())
    }

    /// Pulls along the lists of `ways`, with values on disk.
    pub(super) fn pull_on_disk<P: Propagated>(
        &self,
        program: &P,
        ways: &[Direction],
        file: &ValueFile<P::Value>,
        active: &VertexSet,
        better: &FrontierBuilder,
    ) -> Result<()> {
        self.prepared(ways, size_of::<P::Value>())?;
        let offering = active.to_bits();
        for interval in &self.intervals {
            let mut latest = Vec::new();
            read(file, *interval, &mut latest)?;
            let unsettled = |vertex: VertexId| !program.settled(latest[(vertex - interval.start) as usize]);
            let lists = self.construct_all(ways, *interval, unsettled)?;
            if lists.iter().all(|(_, lists)| lists.entries() == 0) {
                continue;
            }
            self.fold(program, &lists, file, Some(&offering), &mut latest)?;
            self.apply(program, *interval, &latest, file, &|vertex| {
                offering.insert(vertex);
                better.add(vertex);
            })?;
        }
        Ok(())
    }
}

/// Folds the lists of an interval into its Latest-copy.
struct Pull<'p, P: Propagated> {
    program: &'p P,
    way: Direction,
    start: VertexId,
    old: &'p [P::Value],
    latest: &'p [Atomic<P>],
    offering: &'p BitSet,
}

impl<P: Propagated> Pull<'_, P> {
    fn latest(&self, vertex: VertexId) -> &Atomic<P> {
        &self.latest[(vertex - self.start) as usize]
    }
}

impl<P: Propagated> FoldLists for Pull<'_, P> {
    /// Best offer so far.
    type Fold = P::Value;

    fn wants(&self, vertex: VertexId) -> bool {
        !self.program.settled(P::Value::load(self.latest(vertex)))
    }

    fn begin(&self, vertex: VertexId) -> P::Value {
        P::Value::load(self.latest(vertex))
    }

    #[inline]
    fn neighbors(&self, _: VertexId, best: &mut P::Value, piece: Neighbors<'_>) -> ControlFlow<()> {
        let sources = Sources::new(self.way, piece, 0, self.old);
        self.program.gather_list(best, &sources.offering(Some(self.offering)));
        if self.program.settled(*best) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    #[inline]
    fn end(&self, vertex: VertexId, best: P::Value) {
        best.store(self.latest(vertex));
    }
}
