//! Propagations of monotonically improving values from active vertices to their neighbors (LOSC sections 3.6 to 3.8).

use crate::directions::Directions;
use crate::frontier::FrontierBuilder;
use crate::interval::engine::IntervalEngine;
use crate::interval::program::{IntervalProgram, Propagated};
use crate::schedule::{AccessWork, Decision, Estimates, Plan, Schedule, Seconds, pull_cost};
use crate::values::{Number, VertexArray};
use outcrop_store::access::{Adjacency, FoldLists, IoCost, Neighbors, Visit};
use outcrop_types::{AccessMode, Direction, EdgeDirection, Result, Stopwatch, VertexId, VertexRange, VertexSet};
use std::ops::ControlFlow;

type Atomic<P> = <<P as Propagated>::Value as Number>::Atomic;

impl IntervalEngine<'_> {
    /// Runs one iteration: propagates the values of `active` vertices, and returns the vertices whose values improved.
    ///
    /// Either the iteration selects the lists of active vertices and pushes offers to their targets as atomic updates;
    /// or it sweeps over everything, interval by interval, and each vertex pulls the best offer. The values of an
    /// interval are replaced once it is done (Latest-copy and Old-copy, section 3.7), so that later intervals are
    /// offered the new ones already. If lists for a pull are missing, a sweep pushes, and skips intervals without an
    /// active vertex. A push in memory may propagate a value that improved in the same iteration, so that the number of
    /// iterations may vary between runs; the final values do not.
    ///
    /// The sums of `program` are its values: gathering onto a value gives the better of it and the neighbors' offers,
    /// and applying gives the better of two, so that neither order nor repetition matters.
    ///
    /// # Errors
    /// Returns an error if the lists for propagation are not open, if `values` differs from the engine's in length, if
    /// a read fails or is damaged, if the disk is full, or on interruption.
    pub fn propagate<P, V: Number>(
        &self,
        program: &P,
        along: Directions,
        values: &mut VertexArray<V>,
        active: &VertexSet,
    ) -> Result<VertexSet>
    where
        P: IntervalProgram<Source = V, Target = V, Sum = V>,
    {
        let lists = |along: Directions| along.lists(self.undirected());
        let ways = PushPullDirections { push: lists(along), pull: lists(along.reversed()) };
        self.check(values)?;
        let plan = match values {
            VertexArray::Memory(values) => {
                let open = |vertex: VertexId| !program.settled(values[vertex as usize]);
                self.plan_propagation(ways, active, Some(&open))?
            }
            VertexArray::Disk(_) => self.plan_propagation(ways, active, None)?,
        };
        self.collecting(|better| match (values, plan.direction) {
            (VertexArray::Memory(values), EdgeDirection::Pull) => self.pull(program, ways.pull, values, active, better),
            (VertexArray::Memory(values), EdgeDirection::Push) => {
                values.lend(V::into_atomic, V::from_atomic, |values| {
                    self.push(plan.access, ways.push, active, &Push { program, values, active, better })
                })
            }
            (VertexArray::Disk(file), EdgeDirection::Pull) => {
                self.counting(file, || self.pull_on_disk(program, ways.pull, file, active, better))
            }
            (VertexArray::Disk(file), EdgeDirection::Push) => {
                self.counting(file, || self.push_on_disk(program, plan.access, ways.push, file, active, better))
            }
        })
    }

    /// Chooses the strategy of an iteration and records it (sections 3.5 and 3.6). `open` returns true for vertices
    /// that a pull visits; it is `None` if their values are on disk.
    fn plan_propagation(
        &self,
        ways: PushPullDirections,
        active: &VertexSet,
        open: Option<&dyn Fn(VertexId) -> bool>,
    ) -> Result<Plan> {
        let watch = Stopwatch::start();
        let constructed = !self.requirements.on_disk || self.prepared(ways.pull, 0).is_ok();
        let can_pull = constructed && ways.pull.iter().all(|way| self.lists(*way).is_ok());
        let all = active.len() == self.vertices() as usize;
        let cost = |lists: &dyn Adjacency| if all { lists.cost_of_sweep() } else { lists.cost_of(active) };
        let select = self.sum_of(ways.push, cost)?;
        let everything = self.sum_of(if can_pull { ways.pull } else { ways.push }, |lists| lists.cost_of_sweep())?;
        let selecting = self.model.select(&AccessWork {
            lists: select,
            streamed_bytes: self.pushed_value_bytes(active.len() as u64, select.arcs),
            vertices: active.len() as u64,
            entries: self.offer_steps(select.arcs),
            decoded: active.len() as u64,
        });
        let sweep = |lists: IoCost, decoded| AccessWork {
            lists,
            streamed_bytes: self.pulled_value_bytes(),
            vertices: self.vertices().into(),
            entries: lists.arcs,
            decoded,
        };
        let most = self.model.sweep(&sweep(everything, u64::from(self.vertices())));
        let (lists, sweeping) = match open.filter(|_| can_pull && self.schedule == Schedule::Auto) {
            Some(open) => {
                let at_stake = selecting.total().min(most.total());
                let (mut lists, mut io, mut decoded) = (IoCost::default(), 0.0, 0);
                for way in ways.pull {
                    let pull = self.lists(*way)?;
                    let pulled = pull_cost(&self.model, pull, pull.cost_of_sweep(), at_stake, open);
                    (lists, io, decoded) = (lists + pulled.lists, io + pulled.io, decoded + pulled.open);
                }
                (lists, Seconds { io, cpu: self.model.cpu_seconds(&sweep(lists, decoded)) })
            }
            None => (everything, most),
        };
        let mut decision = Decision::between(self.schedule, selecting, sweeping);
        // A push in memory propagates what improved in the same iteration, and saves iterations.
        if open.is_some() && self.schedule == Schedule::Auto && decision.select_seconds <= decision.sweep_seconds {
            decision.access = AccessMode::Select;
        }
        let direction = match (decision.access, can_pull) {
            (AccessMode::Sweep, true) => EdgeDirection::Pull,
            _ => EdgeDirection::Push,
        };
        let plan = Plan { direction, access: decision.access };
        self.note_map(plan, active.len() as u64, Estimates::new(select, lists, decision, watch));
        Ok(plan)
    }

    pub(in crate::interval) fn sum_of(
        &self,
        ways: &[Direction],
        cost: impl Fn(&dyn Adjacency) -> IoCost,
    ) -> Result<IoCost> {
        ways.iter().try_fold(IoCost::default(), |sum, way| Ok(sum + cost(self.lists(*way)?)))
    }

    /// Returns the bytes of values on disk that a pull reads and writes: all values per interval, plus each interval's
    /// own.
    fn pulled_value_bytes(&self) -> u64 {
        if self.requirements.on_disk { self.value_bytes() * (self.intervals.len() as u64 + 2) } else { 0 }
    }

    pub(super) fn value_bytes(&self) -> u64 {
        self.vertices() as u64 * self.requirements.value_bytes
    }

    /// Pushes along lists of `ways`: the lists of active vertices, or all lists of intervals with an active vertex.
    pub(super) fn push(
        &self,
        access: AccessMode,
        ways: &[Direction],
        active: &VertexSet,
        visit: &impl Visit,
    ) -> Result<()> {
        for way in ways {
            let lists = self.lists(*way)?;
            match access {
                AccessMode::Select => lists.select(active, visit)?,
                AccessMode::Sweep => {
                    let mut idle = self.intervals.iter().filter(|interval| holds_any(active, **interval));
                    idle.try_for_each(|interval| lists.sweep(*interval, visit))?;
                }
            }
        }
        Ok(())
    }
}

/// Directions of the lists for pushing and pulling.
#[derive(Clone, Copy)]
struct PushPullDirections {
    push: &'static [Direction],
    pull: &'static [Direction],
}

/// Returns true if `set` has members in `range`: a bit of LOSC's interval bitmap.
pub(super) fn holds_any(set: &VertexSet, range: VertexRange) -> bool {
    match set {
        VertexSet::Sparse { members, .. } => {
            members.get(members.partition_point(|member| *member < range.start)).is_some_and(|next| *next < range.end)
        }
        VertexSet::Dense { bits, .. } => bits.iter_range(range).next().is_some(),
    }
}

/// Pushes offers to the targets of a list, with values in memory.
struct Push<'p, P: Propagated> {
    program: &'p P,
    values: &'p [Atomic<P>],
    active: &'p VertexSet,
    better: &'p FrontierBuilder,
}

impl<P: Propagated> Push<'_, P> {
    #[inline]
    fn improve(&self, target: VertexId, source: VertexId, value: P::Value, weight: f64) {
        let place = &self.values[target as usize];
        let mut known = P::Value::load(place);
        loop {
            let mut best = known;
            self.program.gather(&mut best, source, value, weight);
            if best == known {
                return;
            }
            match best.exchange(known, place) {
                Ok(()) => return self.better.add(target),
                Err(now) => known = now,
            }
        }
    }
}

impl<P: Propagated> FoldLists for Push<'_, P> {
    /// Value of the source.
    type Fold = P::Value;

    fn wants(&self, vertex: VertexId) -> bool {
        self.active.contains(vertex)
    }

    fn begin(&self, source: VertexId) -> P::Value {
        P::Value::load(&self.values[source as usize])
    }

    #[inline]
    fn neighbors(&self, source: VertexId, value: &mut P::Value, piece: Neighbors<'_>) -> ControlFlow<()> {
        piece.try_for_each(|target, weight| {
            self.improve(target, source, *value, weight);
            ControlFlow::Continue(())
        })
    }

    fn end(&self, _: VertexId, _: P::Value) {}
}
