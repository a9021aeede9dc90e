//! Choice of the direction and access mode of an edge map or visit, with cost estimates.
//!
//! Two options are compared (LOSC, section 3.6): either the lists of the frontier are selected and pushed, or a sweep
//! is pulled (pushed if in-lists are not open or would not help). If everything is in memory, only computation is
//! compared, which is Ligra's rule: a pull pays off once the frontier and its edges exceed a fraction of all edges.

use super::program::{Dense, EdgeMapOptions};
use super::runner::Engine;
use crate::schedule::{AccessWork, Decision, Estimates, Plan, Pulled, Schedule, Seconds, pull_cost, sample_of};
use outcrop_store::access::{Adjacency, IoCost};
use outcrop_types::{AccessMode, EdgeDirection, Stopwatch, VertexId, VertexSet};

/// Cost ratio from which an estimate by sampling decides.
const SURE: f64 = 4.0;
/// Number of vertices that can be tested for being open in the time it takes to decode a list.
const ASKED_A_LIST: u64 = 10;

impl Engine<'_> {
    /// Plans a map over `frontier` with the lists `out`, and `back` in the opposite direction; `wanted` are the
    /// vertices that can still be updated.
    pub(super) fn plan_map(
        &self,
        out: &dyn Adjacency,
        back: Option<&dyn Adjacency>,
        frontier: &VertexSet,
        options: EdgeMapOptions,
        wanted: impl Fn(VertexId) -> bool,
    ) -> (Plan, Estimates) {
        let watch = Stopwatch::start();
        let into = back.filter(|_| options.dense == Dense::Pull && self.may_sweep(options));
        let limit = out.num_arcs().checked_div(u64::from(options.large)).filter(|_| Self::gains(back, options));
        let everything = into.map_or_else(|| out.cost_of_sweep(), Adjacency::cost_of_sweep);
        let steps = |select: &IoCost| match limit {
            Some(looks) => (looks, 0),
            None => (u64::from(self.vertices()) + frontier.len() as u64, select.arcs),
        };
        // A pull may read little, but it also computes.
        let reads_at_least = if into.is_some() { IoCost::default() } else { everything };
        let sweeping = |lists: IoCost, select: &IoCost| {
            let ((vertices, entries), decoded) = (steps(select), u64::from(self.vertices()));
            self.model.sweep(&AccessWork { lists, streamed_bytes: 0, vertices, entries, decoded })
        };
        let bounds = |select: &IoCost| [sweeping(reads_at_least, select), sweeping(everything, select)];
        let select = self.cost_of(out, frontier, bounds);
        let selecting = self.seconds(frontier, &select);
        let [least, most] = bounds(&select);
        let doubtful = self.schedule == Schedule::Auto && selecting.total() > least.total();
        let (lists, sweeping) = match into.filter(|_| doubtful) {
            Some(into) => {
                let at_stake = selecting.total().min(most.total());
                let Pulled { lists, io, open } = pull_cost(&self.model, into, everything, at_stake, wanted);
                let decoded = open + u64::from(self.vertices()) / ASKED_A_LIST;
                let (vertices, entries) = steps(&select);
                let work = AccessWork { lists, streamed_bytes: 0, vertices, entries, decoded };
                (lists, Seconds { io, cpu: self.model.cpu_seconds(&work) })
            }
            None => (everything, most),
        };
        let schedule = if self.may_sweep(options) { self.schedule } else { Schedule::Select };
        let decision = Decision::between(schedule, selecting, sweeping);
        let direction = match (into, decision.access) {
            (Some(_), AccessMode::Sweep) => EdgeDirection::Pull,
            _ => EdgeDirection::Push,
        };
        let plan = Plan { direction, access: self.of_all(frontier, decision.access) };
        (plan, Estimates::new(select, lists, decision, watch))
    }

    /// Plans a visit of the lists of `set`, along which values flow in `direction`.
    pub fn plan_visit(&self, lists: &dyn Adjacency, set: &VertexSet, direction: EdgeDirection) -> (Plan, Estimates) {
        let watch = Stopwatch::start();
        let everything = lists.cost_of_sweep();
        let sweep = |select: &IoCost| {
            let (decoded, entries) = (set.len() as u64, select.arcs);
            let vertices = u64::from(self.vertices()) + decoded;
            self.model.sweep(&AccessWork { lists: everything, streamed_bytes: 0, vertices, entries, decoded })
        };
        let select = self.cost_of(lists, set, |select| [sweep(select); 2]);
        let decision = Decision::between(self.schedule, self.seconds(set, &select), sweep(&select));
        let plan = Plan { direction, access: self.of_all(set, decision.access) };
        (plan, Estimates::new(select, everything, decision, watch))
    }

    /// Returns the cost of visiting `set` without a choice.
    pub(super) fn note_of(&self, lists: &dyn Adjacency, set: &VertexSet) -> Estimates {
        let watch = Stopwatch::start();
        let select = self.cost_of(lists, set, |_| [Seconds { io: f64::INFINITY, cpu: 0.0 }; 2]);
        Estimates { seconds: watch.seconds(), ..Estimates::of(select) }
    }

    /// Returns the cost of selecting `set`, estimated from a sample if it is certainly less than the minimum or greater
    /// than the maximum cost of a sweep, which `bounds` returns.
    fn cost_of(&self, lists: &dyn Adjacency, set: &VertexSet, bounds: impl Fn(&IoCost) -> [Seconds; 2]) -> IoCost {
        if self.is_all(set) {
            return lists.cost_of_sweep();
        }
        if let Some(sample) = sample_of(set) {
            let cost = sample.scaled(lists.cost_of(&sample.set), lists.num_arcs());
            // Requests of a sample are not merged, so its reading cost is too high; its computing cost is not.
            let (selecting, [least, most]) = (self.seconds(set, &cost), bounds(&cost));
            if SURE * selecting.total() <= least.total() || selecting.cpu >= SURE * most.total() {
                return cost;
            }
        }
        lists.cost_of(set)
    }

    fn seconds(&self, set: &VertexSet, select: &IoCost) -> Seconds {
        let vertices = set.len() as u64;
        let work = AccessWork { lists: *select, streamed_bytes: 0, vertices, entries: select.arcs, decoded: vertices };
        if self.is_all(set) { self.model.sweep(&work) } else { self.model.select(&work) }
    }

    /// Returns a sweep for a select of everything, unless a select was requested.
    fn of_all(&self, set: &VertexSet, access: AccessMode) -> AccessMode {
        if self.is_all(set) && self.schedule != Schedule::Select { AccessMode::Sweep } else { access }
    }

    /// Returns true if the program or the user permits a sweep for a large frontier.
    fn may_sweep(&self, options: EdgeMapOptions) -> bool {
        options.large > 0 || self.schedule == Schedule::Sweep
    }

    /// Returns true if a sweep has advantages for large frontiers beyond reading the same lists in another order.
    fn gains(into: Option<&dyn Adjacency>, options: EdgeMapOptions) -> bool {
        options.dense == Dense::PushSweep || into.is_some()
    }
}
