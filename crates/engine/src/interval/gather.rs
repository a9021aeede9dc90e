//! Gathers: compute each vertex's value from its neighbors' values.

use super::engine::IntervalEngine;
use super::program::IntervalProgram;
use super::sources::Sources;
use crate::schedule::{Estimates, Plan};
use crate::values::{Number, VertexArray};
use outcrop_io::ValueFile;
use outcrop_store::access::{FoldLists, Neighbors};
use outcrop_types::{AccessMode, Direction, EdgeDirection, Error, Result, VertexId, VertexRange};
use std::ops::ControlFlow;

type AtomicTarget<P> = <<P as IntervalProgram>::Target as Number>::Atomic;

impl IntervalEngine<'_> {
    /// Computes the value of every vertex with `program` from the values of the neighbors in its `direction` list:
    /// in-lists for values that flow along edges.
    ///
    /// With values in memory, lists are folded as they arrive, and the result does not depend on threads. With values
    /// on disk, the lists of an interval are constructed in memory while the values of all sources stream by, so that
    /// lists are folded in other stretches: sums of floats may differ in the last bits from in-memory sums, and with
    /// the memory size, but not with threads.
    ///
    /// # Errors
    /// Returns an error if the lists of `direction` are not open, if a vector differs from the engine's in length or
    /// location, if a read fails or is damaged, if the disk is full, or on interruption.
    pub fn gather<P: IntervalProgram>(
        &self,
        program: &P,
        direction: Direction,
        sources: &VertexArray<P::Source>,
        targets: &mut VertexArray<P::Target>,
    ) -> Result<()> {
        self.gather_in_pieces(program, direction, sources, targets, None)
    }

    /// Like [`IntervalEngine::gather`], with a checkpoint position ([`crate::EngineContext::in_pieces`]), for programs
    /// that do not read targets.
    ///
    /// # Errors
    /// Returns the errors of [`IntervalEngine::gather`] and [`crate::EngineContext::checkpoint`].
    pub fn gather_in_pieces<P: IntervalProgram>(
        &self,
        program: &P,
        direction: Direction,
        sources: &VertexArray<P::Source>,
        targets: &mut VertexArray<P::Target>,
        place: Option<&str>,
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
                    let fold = InMemory { program, direction, sources, targets };
                    let work = |piece: VertexRange| lists.sweep(piece, &fold).map(|()| piece.end);
                    self.in_pieces(place, work, |state| state.numbers::<P::Target>(targets))
                })
            }
            (VertexArray::Disk(from), VertexArray::Disk(to)) => {
                self.counting(from, || self.counting(to, || self.gather_on_disk(program, direction, from, to, place)))
            }
            _ => Err(Error::internal("a gather uses one array in memory and one on disk")),
        }
    }
}

/// Folds lists as they arrive.
struct InMemory<'p, P: IntervalProgram> {
    program: &'p P,
    direction: Direction,
    sources: &'p [P::Source],
    targets: &'p [AtomicTarget<P>],
}

impl<P: IntervalProgram> FoldLists for InMemory<'_, P> {
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
    fn neighbors(&self, _: VertexId, sum: &mut P::Sum, piece: Neighbors<'_>) -> ControlFlow<()> {
        self.program.gather_list(sum, &Sources::new(self.direction, piece, 0, self.sources));
        ControlFlow::Continue(())
    }

    #[inline]
    fn end(&self, vertex: VertexId, sum: P::Sum) {
        let target = &self.targets[vertex as usize];
        self.program.apply(vertex, P::Target::load(target), sum).store(target);
    }
}

impl IntervalEngine<'_> {
    fn gather_on_disk<P: IntervalProgram>(
        &self,
        program: &P,
        direction: Direction,
        sources: &ValueFile<P::Source>,
        targets: &ValueFile<P::Target>,
        place: Option<&str>,
    ) -> Result<()> {
        self.prepared(&[direction], size_of::<P::Sum>())?;
        let gather_interval = |rest: VertexRange| {
            let of_next = self.intervals.iter().find(|interval| rest.start < interval.end);
            let interval = *of_next.ok_or_else(|| Error::internal("the intervals do not cover all vertices"))?;
            if program.selective() && !interval.iter().any(|vertex| program.wants(vertex)) {
                return Ok(interval.end);
            }
            let lists = self.construct_all(&[direction], interval, |vertex| program.wants(vertex))?;
            let mut sums: Vec<P::Sum> = interval.iter().map(|vertex| program.begin(vertex)).collect();
            self.fold(program, &lists, sources, None, &mut sums)?;
            drop(lists);
            self.apply(program, interval, &sums, targets, &|_| ())?;
            Ok(interval.end)
        };
        self.in_pieces(place, gather_interval, |state| state.file(targets))
    }
}
