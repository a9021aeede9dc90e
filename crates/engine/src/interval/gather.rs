//! Gathers: a new value of each vertex from those of its neighbours.

use super::cursors::Cursors;
use super::engine::IntervalEngine;
use super::program::IntervalGather;
use super::sources::Sources;
use super::windows::BLOCK;
use crate::schedule::{Estimates, Plan};
use crate::values::{Number, VertexArray, read};
use bytemuck::Zeroable;
use outcrop_io::ValueFile;
use outcrop_store::access::{FoldLists, Neighbours};
use outcrop_types::{AccessMode, Direction, EdgeDirection, Error, Result, VertexId, VertexRange};
use std::ops::ControlFlow;

type AtomicTarget<P> = <<P as IntervalGather>::Target as Number>::Atomic;

impl IntervalEngine<'_> {
    /// Gives every vertex the value that `program` makes from those of the neighbours in its list of `direction`: in-lists for what
    /// flows along edges.
    ///
    /// With values in memory lists are folded as they arrive, and the answer does not depend on threads. With values on disk the lists
    /// of an interval are constructed in memory and the values of all sources stream by, so that lists are folded in other stretches:
    /// sums of floats may differ in their last bits from those in memory, and with the memory that is given, but not with threads.
    ///
    /// # Errors
    /// Lists of `direction` are not open, or vectors are of another length or in another place than the engine's; a failed or damaged
    /// read, a full disk, interruption.
    pub fn gather<P: IntervalGather>(
        &self,
        program: &P,
        direction: Direction,
        sources: &VertexArray<P::Source>,
        targets: &mut VertexArray<P::Target>,
    ) -> Result<()> {
        let lists = self.lists(direction)?;
        let plan = Plan {
            direction: match direction {
                Direction::Out => EdgeDirection::Push,
                Direction::In => EdgeDirection::Pull,
            },
            access: AccessMode::Sweep,
        };
        self.note_map(plan, u64::from(self.vertices()), Estimates::of(lists.cost_of_sweep()));
        self.check(sources)?;
        self.check(targets)?;
        match (sources, targets) {
            (VertexArray::Memory(sources), VertexArray::Memory(targets)) => {
                targets.lend(P::Target::into_atomic, P::Target::from_atomic, |targets| {
                    lists.sweep(self.everything(), &InMemory { program, sources, targets })
                })
            }
            (VertexArray::Disk(from), VertexArray::Disk(to)) => {
                self.counting(from, || self.counting(to, || self.gather_on_disk(program, direction, from, to)))
            }
            _ => Err(Error::internal("a gather has one array in memory and one on disk")),
        }
    }
}

/// Folds lists as they arrive.
struct InMemory<'p, P: IntervalGather> {
    program: &'p P,
    sources: &'p [P::Source],
    targets: &'p [AtomicTarget<P>],
}

impl<P: IntervalGather> FoldLists for InMemory<'_, P> {
    type Fold = P::Sum;

    fn selective(&self) -> bool {
        self.program.selective()
    }

    fn wants(&self, vertex: VertexId) -> bool {
        self.program.wants(vertex)
    }

    fn begin(&self, vertex: VertexId) -> P::Sum {
        self.program.begin(vertex)
    }

    #[inline]
    fn neighbours(&self, _: VertexId, sum: &mut P::Sum, piece: Neighbours<'_>) -> ControlFlow<()> {
        self.program.gather(sum, &Sources::window(piece, 0, self.sources));
        ControlFlow::Continue(())
    }

    #[inline]
    fn end(&self, vertex: VertexId, sum: P::Sum) {
        let target = &self.targets[vertex as usize];
        self.program.apply(vertex, P::Target::load(target), sum).store(target);
    }
}

impl IntervalEngine<'_> {
    fn gather_on_disk<P: IntervalGather>(
        &self,
        program: &P,
        direction: Direction,
        sources: &ValueFile<P::Source>,
        targets: &ValueFile<P::Target>,
    ) -> Result<()> {
        self.prepared(&[direction], size_of::<P::Sum>())?;
        for interval in &self.intervals {
            self.workers().cancellation().check()?;
            if program.selective() && !interval.iter().any(|vertex| program.wants(vertex)) {
                continue;
            }
            let sums = self.sums(program, direction, *interval, sources)?;
            self.apply(program, *interval, sums, targets)?;
        }
        Ok(())
    }

    /// Folds the lists of an interval while the values of all sources stream by.
    fn sums<P: IntervalGather>(
        &self,
        program: &P,
        direction: Direction,
        interval: VertexRange,
        sources: &ValueFile<P::Source>,
    ) -> Result<Vec<P::Sum>> {
        let lists = self.construct(direction, interval, |vertex| program.wants(vertex))?;
        let cursors = Cursors::new(&lists, self.workers());
        let mut sums: Vec<P::Sum> = interval.iter().map(|vertex| program.begin(vertex)).collect();
        self.stream(
            sources,
            |_| true,
            |window, values| {
                self.workers().for_each_value(&mut sums, |position, sum| {
                    if let Some((_, stretch)) = cursors.advance(position as usize, window) {
                        program.gather(sum, &Sources::window(stretch, window.start, values));
                    }
                });
                Ok(())
            },
        )?;
        Ok(sums)
    }

    /// Replaces the values of an interval by what its sums make of them.
    fn apply<P: IntervalGather>(
        &self,
        program: &P,
        interval: VertexRange,
        mut sums: Vec<P::Sum>,
        targets: &ValueFile<P::Target>,
    ) -> Result<()> {
        let mut values = Vec::new();
        for stretch in interval.split(self.window_length::<P::Target>()) {
            match program.looks_at_targets() || program.selective() {
                true => read(targets, stretch, &mut values)?,
                false => values.resize(stretch.len(), P::Target::zeroed()),
            }
            let begin = (stretch.start - interval.start) as usize;
            let of_run = |first: usize, values: &mut [P::Target], sums: &mut [P::Sum]| {
                for ((vertex, value), sum) in (stretch.start..).skip(first).zip(values).zip(sums) {
                    if program.wants(vertex) {
                        *value = program.apply(vertex, *value, std::mem::replace(sum, program.begin(vertex)));
                    }
                }
            };
            let sums = &mut sums[begin..begin + stretch.len()];
            self.workers().map_runs(BLOCK as usize, &mut values, sums, of_run);
            targets.write(u64::from(stretch.start), &values)?;
        }
        Ok(())
    }
}
