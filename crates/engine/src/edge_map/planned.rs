//! Which way a map or visit goes through the edges, and what it was estimated to cost.
//!
//! Two ways are compared (LOSC, section 3.6): the lists of the frontier are selected and pushed, or a sweep is pulled, or pushed
//! where in-lists are not open or would not help. With everything in memory only computing is left to compare, and that is Ligra's
//! rule: a pull is worth it once the frontier and its edges are more than a part of all edges.

use super::program::{Dense, EdgeMapOptions};
use super::runner::Engine;
use crate::schedule::{CostModel, Decision, Estimates, Plan, Sample, Schedule, Seconds, Work, sample_of};
use outcrop_store::access::{Adjacency, IoCost};
use outcrop_types::{AccessMode, EdgeDirection, Stopwatch, VertexId, VertexSet};

/// A sample decides where the select is so many times cheaper than any sweep.
const SURE: f64 = 4.0;
/// The least that reading lists anywhere takes.
const LEAST_READ: IoCost = IoCost { arcs: 0, bytes: 4096, requests: 1, resident_bytes: 0 };

impl<A: Adjacency> Engine<'_, A> {
    /// Plans a map over `frontier`, in which `wanted` are the vertices that can still be updated.
    pub(super) fn plan_map(
        &self,
        out: &A,
        frontier: &VertexSet,
        options: EdgeMapOptions,
        wanted: impl Fn(VertexId) -> bool,
    ) -> (Plan, Estimates) {
        let watch = Stopwatch::start();
        let into = self.into.filter(|_| options.dense == Dense::Pull && self.may_sweep(options));
        let limit = out.num_arcs().checked_div(u64::from(options.large)).filter(|_| self.gains(options));
        let everything = into.map_or_else(|| out.cost_of_sweep(), Adjacency::cost_of_sweep);
        let steps = |select: &IoCost| limit.unwrap_or(u64::from(self.vertices) + self.steps(frontier, select));
        // A pull may read little, but it computes.
        let floor = |select: &IoCost| {
            let lists = if into.is_some() { IoCost::default() } else { everything };
            self.model().sweep(&Work { lists, streamed_bytes: 0, steps: steps(select) })
        };
        let select = self.cost_of(out, frontier, floor);
        let (lists, io) = match into {
            Some(into) if self.schedule() == Schedule::Auto => pull_cost(self.model(), into, everything, wanted),
            _ => (everything, self.model().sweep_seconds(&everything)),
        };
        let sweep = Seconds { io, cpu: self.model().cpu_seconds(steps(&select)) };
        let schedule = if self.may_sweep(options) { self.schedule() } else { Schedule::Select };
        let decision = Decision::between(schedule, self.seconds(frontier, &select), sweep);
        let direction = match (into, decision.access) {
            (Some(_), AccessMode::Sweep) => EdgeDirection::Pull,
            _ => EdgeDirection::Push,
        };
        let plan = Plan { direction, access: self.of_all(frontier, decision.access) };
        (plan, Estimates::new(select, lists, decision, watch))
    }

    /// Plans a visit of the lists of `set`, along which values flow in `direction`.
    pub(super) fn plan_visit(&self, lists: &A, set: &VertexSet, direction: EdgeDirection) -> (Plan, Estimates) {
        let watch = Stopwatch::start();
        let everything = lists.cost_of_sweep();
        let sweep = |select: &IoCost| {
            let steps = u64::from(self.vertices) + self.steps(set, select);
            self.model().sweep(&Work { lists: everything, streamed_bytes: 0, steps })
        };
        let select = self.cost_of(lists, set, sweep);
        let decision = Decision::between(self.schedule(), self.seconds(set, &select), sweep(&select));
        let plan = Plan { direction, access: self.of_all(set, decision.access) };
        (plan, Estimates::new(select, everything, decision, watch))
    }

    /// What visiting `set` costs where there is nothing to decide.
    pub(super) fn note_of(&self, lists: &A, set: &VertexSet) -> Estimates {
        let watch = Stopwatch::start();
        let select = self.cost_of(lists, set, |_| Seconds { io: f64::INFINITY, cpu: 0.0 });
        Estimates { select, seconds: watch.seconds(), ..Estimates::default() }
    }

    /// What selecting `set` costs, from a sample where that is certainly less than `floor`.
    fn cost_of(&self, lists: &A, set: &VertexSet, floor: impl Fn(&IoCost) -> Seconds) -> IoCost {
        if self.is_all(set) {
            return lists.cost_of_sweep();
        }
        if let Some(sample) = sample_of(set) {
            let cost = sample.scaled(lists.cost_of(&sample.set));
            if SURE * self.seconds(set, &cost).total() <= floor(&cost).total() {
                return cost;
            }
        }
        lists.cost_of(set)
    }

    fn seconds(&self, set: &VertexSet, select: &IoCost) -> Seconds {
        let work = Work { lists: *select, streamed_bytes: 0, steps: self.steps(set, select) };
        if self.is_all(set) { self.model().sweep(&work) } else { self.model().select(&work) }
    }

    fn steps(&self, set: &VertexSet, select: &IoCost) -> u64 {
        set.len() as u64 + select.arcs
    }

    /// A select of everything is a sweep, unless it was asked for.
    fn of_all(&self, set: &VertexSet, access: AccessMode) -> AccessMode {
        if self.is_all(set) && self.schedule() != Schedule::Select { AccessMode::Sweep } else { access }
    }

    /// Whether the program lets a frontier count as large, or the user does.
    fn may_sweep(&self, options: EdgeMapOptions) -> bool {
        options.large > 0 || self.schedule() == Schedule::Sweep
    }

    /// Whether a sweep is the way that the program prefers for large frontiers, and not only another way to read the same lists.
    fn gains(&self, options: EdgeMapOptions) -> bool {
        options.dense == Dense::PushSweep || self.into.is_some()
    }
}

/// What a pull reads, and how long that takes: the lists of vertices that are still open, of which some are looked at, or all
/// where that is quicker.
fn pull_cost<A: Adjacency>(
    model: &CostModel,
    into: &A,
    everything: IoCost,
    wanted: impl Fn(VertexId) -> bool,
) -> (IoCost, f64) {
    let sweep = model.sweep_seconds(&everything);
    if everything.bytes == 0 {
        return (everything, sweep);
    }
    let open = Sample::of_wanted(into.num_vertices(), wanted);
    if open.set.len() as u64 == open.drawn {
        return (everything, sweep);
    }
    let cost = into.cost_of(&open.set);
    // Where none of those is open, others may be.
    let cost = open.scaled(if cost.bytes == 0 { LEAST_READ } else { cost });
    let seconds = model.select_seconds(&cost);
    if seconds < sweep { (cost, seconds) } else { (everything, sweep) }
}
