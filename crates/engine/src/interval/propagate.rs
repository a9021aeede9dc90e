//! Propagations: values that only get better, from active vertices to their neighbours (LOSC sections 3.6 to 3.8).

use super::engine::IntervalEngine;
use super::program::{Along, Propagation};
use super::value::IntervalValue;
use super::values::{IntervalValues, Place};
use crate::edge_map::FrontierBuilder;
use crate::schedule::{Estimates, Plan, Work};
use outcrop_store::access::{Adjacency, FoldLists, IoCost, Neighbours, Visit};
use outcrop_types::{AccessMode, Direction, EdgeDirection, Result, Stopwatch, VertexId, VertexRange, VertexSet};
use std::ops::ControlFlow;

type Cell<P> = <<P as Propagation>::Value as IntervalValue>::Cell;

impl IntervalEngine<'_> {
    /// One iteration: `active` vertices offer what their values make of their edges; the vertices whose values got better, to be active
    /// next.
    ///
    /// Either the lists of active vertices are selected, and offers are pushed to their targets as atomic updates; or everything is
    /// swept over, interval by interval, and each vertex pulls the best offer. Values of an interval are replaced once it is done
    /// (Latest-copy and Old-copy, section 3.7), and intervals after it are offered the new ones already. Where a pull lacks lists, a
    /// sweep pushes, past intervals without an active vertex. A push in memory may hand on a value that got better in the same
    /// iteration, so that the number of iterations may vary between runs; the values at the end do not.
    ///
    /// # Errors
    /// Lists along which values go are not open, or `values` are of another length than the engine's; a failed or damaged read, a full
    /// disk, interruption.
    pub fn propagate<P: Propagation>(
        &self,
        program: &P,
        along: Along,
        values: &mut IntervalValues<P::Value>,
        active: &VertexSet,
    ) -> Result<VertexSet> {
        let ways = self.ways(along);
        let plan = self.plan_propagation(ways, active)?;
        let place = self.fitting(values)?.place();
        self.collecting(|better| match (place, plan.direction) {
            (Place::Memory(cells), EdgeDirection::Pull) => self.pull(program, ways.pull, (cells, active), better),
            (Place::Memory(cells), EdgeDirection::Push) => {
                self.push(plan.access, ways.push, active, &Push { program, cells, active, better })
            }
            (Place::Disk(file), EdgeDirection::Pull) => {
                self.counting(values, || self.pull_on_disk(program, ways.pull, (file, active), better))
            }
            (Place::Disk(file), EdgeDirection::Push) => {
                self.counting(values, || self.push_on_disk(program, (plan.access, ways.push), (file, active), better))
            }
        })
    }

    /// The lists along which values go. Those of an undirected graph hold both ends of every edge.
    fn ways(&self, along: Along) -> Ways {
        match along {
            Along::Both if !self.undirected() => Ways { push: &BOTH, pull: &BOTH },
            _ => Ways { push: &BOTH[..1], pull: &BOTH[1..] },
        }
    }

    /// Decides how an iteration goes through the edges, and notes it (sections 3.5 and 3.6).
    fn plan_propagation(&self, ways: Ways, active: &VertexSet) -> Result<Plan> {
        let watch = Stopwatch::start();
        let constructed = !self.setup.demand.on_disk || self.prepared(ways.pull, 0).is_ok();
        let can_pull = constructed && ways.pull.iter().all(|way| self.lists(*way).is_ok());
        let all = active.len() == self.vertices() as usize;
        let cost = |lists: &dyn Adjacency| if all { lists.cost_of_sweep() } else { lists.cost_of(active) };
        let select = self.sum_of(ways.push, cost)?;
        let everything = self.sum_of(if can_pull { ways.pull } else { ways.push }, |lists| lists.cost_of_sweep())?;
        let decision = self.model.choose(
            self.schedule,
            &Work {
                lists: select,
                streamed_bytes: self.pushed_value_bytes(active.len() as u64, select.arcs),
                steps: active.len() as u64 + self.offer_steps(select.arcs),
                decoded: active.len() as u64,
            },
            &Work {
                lists: everything,
                streamed_bytes: self.pulled_value_bytes(),
                steps: u64::from(self.vertices()) + everything.arcs,
                decoded: u64::from(self.vertices()),
            },
        );
        let direction = match (decision.access, can_pull) {
            (AccessMode::Sweep, true) => EdgeDirection::Pull,
            _ => EdgeDirection::Push,
        };
        let plan = Plan { direction, access: decision.access };
        self.log().note_map(plan, active.len() as u64, Estimates::new(select, everything, decision, watch));
        Ok(plan)
    }

    fn sum_of(&self, ways: &[Direction], cost: impl Fn(&dyn Adjacency) -> IoCost) -> Result<IoCost> {
        ways.iter().try_fold(IoCost::default(), |sum, way| Ok(sum + cost(self.lists(*way)?)))
    }

    /// Bytes of values on disk that a pull reads and writes: all for each interval, and once more each interval's own.
    fn pulled_value_bytes(&self) -> u64 {
        if self.setup.demand.on_disk { self.value_bytes() * (self.intervals.len() as u64 + 2) } else { 0 }
    }

    pub(super) const fn value_bytes(&self) -> u64 {
        self.vertices() as u64 * self.setup.demand.value_bytes
    }

    /// Pushes along lists of `ways`: those of active vertices, or all that lie in intervals with an active vertex.
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

const BOTH: [Direction; 2] = [Direction::Out, Direction::In];

/// Along which lists values are pushed and pulled.
#[derive(Clone, Copy)]
struct Ways {
    push: &'static [Direction],
    pull: &'static [Direction],
}

/// True if `set` has members in `range`: a bit of LOSC's interval bitmap.
pub(super) fn holds_any(set: &VertexSet, range: VertexRange) -> bool {
    match set {
        VertexSet::Sparse { members, .. } => {
            members.get(members.partition_point(|member| *member < range.start)).is_some_and(|next| *next < range.end)
        }
        VertexSet::Dense { bits, .. } => bits.iter_range(range).next().is_some(),
    }
}

/// Offers to the targets of a list, whose values are in memory.
struct Push<'p, P: Propagation> {
    program: &'p P,
    cells: &'p [Cell<P>],
    active: &'p VertexSet,
    better: &'p FrontierBuilder,
}

impl<P: Propagation> Push<'_, P> {
    #[inline]
    fn offer(&self, target: VertexId, offered: P::Value) {
        let cell = &self.cells[target as usize];
        let mut known = P::Value::load(cell);
        while self.program.better(offered, known) {
            match offered.exchange(known, cell) {
                Ok(()) => return self.better.add(target),
                Err(now) => known = now,
            }
        }
    }
}

impl<P: Propagation> FoldLists for Push<'_, P> {
    /// The value of the source.
    type Fold = P::Value;

    fn wants(&self, vertex: VertexId) -> bool {
        self.active.contains(vertex)
    }

    fn begin(&self, source: VertexId) -> P::Value {
        P::Value::load(&self.cells[source as usize])
    }

    #[inline]
    fn neighbours(&self, source: VertexId, value: &mut P::Value, piece: Neighbours<'_>) -> ControlFlow<()> {
        piece.try_for_each(|target, weight| {
            if let Some(offered) = self.program.offer(source, *value, weight) {
                self.offer(target, offered);
            }
            ControlFlow::Continue(())
        })
    }

    fn end(&self, _: VertexId, _: P::Value) {}
}
