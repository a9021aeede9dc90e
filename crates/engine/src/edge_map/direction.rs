//! Choice of the way that a map or visit goes through the edges, and its estimated cost.
//!
//! Two ways are compared (LOSC, section 3.6): the lists of the frontier are selected and pushed, or a sweep is pulled,
//! or pushed where in-lists are not open or would not help. With everything in memory only computing is left to
//! compare, and that is Ligra's rule: a pull is worth it once the frontier and its edges are more than a part of all
//! edges.

use super::program::{Dense, EdgeMapOptions};
use super::runner::Engine;
use crate::schedule::{CostModel, Decision, Estimates, Plan, Sample, Schedule, Seconds, Work, sample_of};
use outcrop_store::access::{Adjacency, IoCost};
use outcrop_types::{AccessMode, EdgeDirection, Stopwatch, VertexId, VertexSet};

/// A sample decides where one way is so many times cheaper than the other.
const SURE: f64 = 4.0;
/// The part of the time at stake that looking for open vertices may take, and the seconds that looking at one takes,
/// about.
const LOOKING: f64 = 0.01;
const SECONDS_A_LOOK: f64 = 50e-9;
/// The least and the most vertices that are looked at.
const LOOKS: std::ops::RangeInclusive<u32> = 64..=1024;
/// Number of vertices that can be tested for being open in the time it takes to decode a list.
const ASKED_A_LIST: u64 = 10;
/// The least that reading lists anywhere takes.
const LEAST_READ: IoCost = IoCost { arcs: 0, bytes: 4096, requests: 1, resident_bytes: 0 };

impl Engine<'_> {
    /// Plans a map over `frontier`, whose lists are in `out`, and in `back` those of the other direction; `wanted` are
    /// the vertices that can still be updated.
    pub(super) fn plan_map(
        &self,
        (out, back): (&dyn Adjacency, Option<&dyn Adjacency>),
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
        // A pull may read little, but it computes.
        let reads_at_least = if into.is_some() { IoCost::default() } else { everything };
        let sweeping = |lists: IoCost, select: &IoCost| {
            let ((vertices, entries), decoded) = (steps(select), u64::from(self.vertices()));
            self.model.sweep(&Work { lists, streamed_bytes: 0, vertices, entries, decoded })
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
                let work = Work { lists, streamed_bytes: 0, vertices, entries, decoded };
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
    pub(super) fn plan_visit(
        &self,
        lists: &dyn Adjacency,
        set: &VertexSet,
        direction: EdgeDirection,
    ) -> (Plan, Estimates) {
        let watch = Stopwatch::start();
        let everything = lists.cost_of_sweep();
        let sweep = |select: &IoCost| {
            let (decoded, entries) = (set.len() as u64, select.arcs);
            let vertices = u64::from(self.vertices()) + decoded;
            self.model.sweep(&Work { lists: everything, streamed_bytes: 0, vertices, entries, decoded })
        };
        let select = self.cost_of(lists, set, |select| [sweep(select); 2]);
        let decision = Decision::between(self.schedule, self.seconds(set, &select), sweep(&select));
        let plan = Plan { direction, access: self.of_all(set, decision.access) };
        (plan, Estimates::new(select, everything, decision, watch))
    }

    /// Cost of visiting `set` where there is nothing to decide.
    pub(super) fn note_of(&self, lists: &dyn Adjacency, set: &VertexSet) -> Estimates {
        let watch = Stopwatch::start();
        let select = self.cost_of(lists, set, |_| [Seconds { io: f64::INFINITY, cpu: 0.0 }; 2]);
        Estimates { seconds: watch.seconds(), ..Estimates::of(select) }
    }

    /// Cost of selecting `set`: from a sample where that is certainly less than a sweep takes, or more, which takes
    /// what `bounds` says at the least and at the most.
    fn cost_of(&self, lists: &dyn Adjacency, set: &VertexSet, bounds: impl Fn(&IoCost) -> [Seconds; 2]) -> IoCost {
        if self.is_all(set) {
            return lists.cost_of_sweep();
        }
        if let Some(sample) = sample_of(set) {
            let cost = sample.scaled(lists.cost_of(&sample.set), lists.num_arcs());
            // Requests of a sample are not merged, so that reading looks slower than it is; computing does not.
            let (selecting, [least, most]) = (self.seconds(set, &cost), bounds(&cost));
            if SURE * selecting.total() <= least.total() || selecting.cpu >= SURE * most.total() {
                return cost;
            }
        }
        lists.cost_of(set)
    }

    fn seconds(&self, set: &VertexSet, select: &IoCost) -> Seconds {
        let vertices = set.len() as u64;
        let work = Work { lists: *select, streamed_bytes: 0, vertices, entries: select.arcs, decoded: vertices };
        if self.is_all(set) { self.model.sweep(&work) } else { self.model.select(&work) }
    }

    /// A select of everything is a sweep, unless it was asked for.
    fn of_all(&self, set: &VertexSet, access: AccessMode) -> AccessMode {
        if self.is_all(set) && self.schedule != Schedule::Select { AccessMode::Sweep } else { access }
    }

    /// True if the program lets a frontier count as large, or the user does.
    fn may_sweep(&self, options: EdgeMapOptions) -> bool {
        options.large > 0 || self.schedule == Schedule::Sweep
    }

    /// True if a sweep is the way that the program prefers for large frontiers, and not only another way to read the
    /// same lists.
    fn gains(into: Option<&dyn Adjacency>, options: EdgeMapOptions) -> bool {
        options.dense == Dense::PushSweep || into.is_some()
    }
}

/// Reads of a pull.
struct Pulled {
    lists: IoCost,
    /// Seconds that reading takes.
    io: f64,
    /// Vertices whose lists are gone through.
    open: u64,
}

/// Reads of a pull: the lists of vertices that are still open, or all where that is quicker. As many vertices are
/// looked at as a hundredth of the seconds `at_stake` pays for.
fn pull_cost(
    model: &CostModel,
    into: &dyn Adjacency,
    everything: IoCost,
    at_stake: f64,
    wanted: impl Fn(VertexId) -> bool,
) -> Pulled {
    let vertices = u64::from(into.num_vertices());
    let all = Pulled { lists: everything, io: model.sweep_seconds(&everything), open: vertices };
    let looks = ((at_stake * LOOKING / SECONDS_A_LOOK) as u32).min(*LOOKS.end());
    if everything.bytes == 0 || looks < *LOOKS.start() {
        return all;
    }
    let sample = Sample::of_wanted(into.num_vertices(), looks, wanted);
    if sample.set.len() as u64 == sample.drawn {
        return all;
    }
    let cost = into.cost_of(&sample.set);
    // Where none of those is open, others may be.
    let lists = sample.scaled(if cost.bytes == 0 { LEAST_READ } else { cost }, everything.arcs);
    let open = (vertices as f64 * sample.set.len() as f64 / sample.drawn.max(1) as f64) as u64;
    let seconds = model.select_seconds(&lists);
    match seconds < all.io {
        true => Pulled { lists, io: seconds, open },
        false => Pulled { lists: IoCost { arcs: lists.arcs, ..everything }, open, ..all },
    }
}
