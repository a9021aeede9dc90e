//! Records of iterations, reported to the observer.

use crate::progress::{Pace, UnderWay};
use crate::schedule::{Estimates, Plan};
use outcrop_store::access::AccessFigures;
use outcrop_types::{AccessMode, EdgeDirection, IterationRecord, Observer, Progress, RunEnd, Stopwatch};

/// Log of the current iteration.
#[derive(Debug)]
pub(crate) struct IterationLog {
    iteration: u32,
    started: Stopwatch,
    figures: AccessFigures,
    plan: Plan,
    active_vertices: u64,
    /// Bytes read and written of values on disk.
    values: (u64, u64),
    estimates: Estimates,
    /// Scheduling time of all previous iterations, in seconds.
    seconds_scheduling: f64,
    /// Maximum number of entries scanned by the maps of this iteration.
    entries: u64,
    pace: Pace,
}

impl IterationLog {
    pub(crate) fn new(figures: AccessFigures) -> Self {
        Self {
            iteration: 0,
            started: Stopwatch::start(),
            figures,
            plan: Plan { direction: EdgeDirection::Push, access: AccessMode::Select },
            active_vertices: 0,
            values: (0, 0),
            estimates: Estimates::default(),
            seconds_scheduling: 0.0,
            entries: 0,
            pace: Pace::new(figures),
        }
    }

    /// Returns the number of the last completed iteration; 0 before the first.
    pub(crate) const fn iteration(&self) -> u32 {
        self.iteration
    }

    /// Resumes after this iteration of an earlier run.
    pub(crate) fn resume_after(&mut self, iteration: u32) {
        self.iteration = iteration;
        self.pace.resume_after(iteration);
    }

    /// Sets the end of the run.
    pub(crate) fn set_end(&mut self, end: RunEnd) {
        self.pace.set_end(end, self.iteration);
    }

    /// Returns the end of the run as set.
    pub(crate) const fn end_of_run(&self) -> RunEnd {
        self.pace.end()
    }

    /// Records the amount `done`, in the unit that the end of the run counts.
    pub(crate) fn set_done(&mut self, done: u64) {
        self.pace.set_done(done);
    }

    /// Returns the state of the run `phase`, with the layouts' counts at `figures` and `arcs` entries in total, and the
    /// completed `parts` of the iteration if it is measured in parts.
    pub(crate) fn progress(
        &self,
        phase: &'static str,
        figures: AccessFigures,
        arcs: u64,
        parts: Option<f64>,
    ) -> Progress {
        let read = (figures - self.figures).entries;
        // An algorithm that reads lists without a plan reads each at most once.
        let of = if self.entries == 0 && read > 0 { arcs } else { self.entries };
        self.pace.progress(phase, figures, &UnderWay { iterations: self.iteration, read, of, parts })
    }

    /// Records that values on disk were read and written, in bytes.
    pub(crate) fn note_values(&mut self, read: u64, written: u64) {
        self.values = (self.values.0 + read, self.values.1 + written);
    }

    /// Records the start of a map; an iteration with several maps is described by its last and counts the edges and
    /// costs of all.
    pub(crate) fn note_map(&mut self, plan: Plan, active_vertices: u64, estimates: Estimates) {
        self.plan = plan;
        self.active_vertices = active_vertices;
        let all = &mut self.estimates;
        all.select = all.select + estimates.select;
        self.entries += match plan {
            Plan { direction: EdgeDirection::Pull, access: AccessMode::Sweep } => estimates.sweep_arcs,
            _ => estimates.select.arcs,
        };
        all.sweep_bytes += estimates.sweep_bytes;
        all.select_seconds += estimates.select_seconds;
        all.sweep_seconds += estimates.sweep_seconds;
        all.seconds += estimates.seconds;
    }

    /// Returns the seconds spent on estimates and decisions in all iterations.
    pub(crate) fn seconds_scheduling(&self) -> f64 {
        self.seconds_scheduling + self.estimates.seconds
    }

    /// Ends the iteration, with the layouts' counts at `figures`.
    pub(crate) fn end(&mut self, figures: AccessFigures, change: Option<f64>, observer: &dyn Observer) -> u32 {
        let spent = figures - self.figures;
        let iteration = self.iteration + 1;
        self.pace.end_iteration(spent.entries, self.estimates.select.arcs, change);
        observer.iteration(&IterationRecord {
            iteration,
            active_vertices: self.active_vertices,
            active_edges: self.estimates.select.arcs,
            select_bytes: self.estimates.select.bytes,
            sweep_bytes: self.estimates.sweep_bytes,
            select_seconds: self.estimates.select_seconds,
            sweep_seconds: self.estimates.sweep_seconds,
            seconds_scheduling: self.estimates.seconds,
            direction: self.plan.direction,
            access: self.plan.access,
            change,
            bytes_read: spent.bytes_read,
            value_bytes_read: self.values.0,
            bytes_written: self.values.1,
            requests: spent.requests,
            cache_hits: spent.cache_hits,
            cache_misses: spent.cache_misses,
            static_hits: spent.static_hits,
            static_misses: spent.static_misses,
            seconds_waiting: spent.waiting.as_secs_f64(),
            seconds: self.started.seconds(),
        });
        let (seconds_scheduling, pace) = (self.seconds_scheduling(), std::mem::take(&mut self.pace));
        *self = Self { iteration, seconds_scheduling, pace, ..Self::new(figures) };
        iteration
    }
}
