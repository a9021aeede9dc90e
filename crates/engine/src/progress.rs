//! Progress of a run, for observers.

use outcrop_store::access::AccessFigures;
use outcrop_types::{Progress, ProgressUnit, RunEnd, RunProgress, Stopwatch};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Maximum number of changes used for an estimate.
const CHANGES: usize = 6;

/// Parts of an iteration that is not measured by list entries alone. Threads add to them.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    done: AtomicU64,
    all: AtomicU64,
}

impl Parts {
    pub(crate) fn begin(&self, all: u64) {
        self.done.store(0, Relaxed);
        self.all.store(all, Relaxed);
    }

    pub(crate) fn end(&self, parts: u64) {
        self.done.fetch_add(parts, Relaxed);
    }

    /// Returns the completed fraction, from 0 to 1; `None` if there are no parts.
    pub(crate) fn share(&self) -> Option<f64> {
        share_of(self.done.load(Relaxed), self.all.load(Relaxed))
    }
}

/// Current iteration.
pub(crate) struct UnderWay {
    /// Number of iterations before it.
    pub(crate) iterations: u32,
    /// Number of entries read.
    pub(crate) read: u64,
    /// Maximum number of entries to read, as far as known.
    pub(crate) of: u64,
    /// Completed fraction of its parts.
    pub(crate) parts: Option<f64>,
}

/// Pace of a run.
#[derive(Debug)]
pub(crate) struct Pace {
    began: Stopwatch,
    /// Counts of the layouts at the start of the run.
    figures: AccessFigures,
    end: RunEnd,
    /// Completed amount, in the unit that the end of the run counts.
    done: u64,
    /// Amount completed before this process started: a resumed run does not start at 0.
    done_before: Option<u64>,
    iterations_before: u32,
    /// Changes of the last iterations.
    changes: VecDeque<f64>,
    /// Number of entries read by the previous iteration.
    entries_before: u64,
    /// Number of edges processed by iterations, for models that do not read lists.
    edges: u64,
}

impl Default for Pace {
    fn default() -> Self {
        Self::new(AccessFigures::default())
    }
}

impl Pace {
    pub(crate) fn new(figures: AccessFigures) -> Self {
        Self {
            began: Stopwatch::start(),
            figures,
            end: RunEnd::Unknown,
            done: 0,
            done_before: None,
            iterations_before: 0,
            changes: VecDeque::new(),
            entries_before: 0,
            edges: 0,
        }
    }

    /// Sets the end of the run, which has completed `iterations` iterations.
    pub(crate) fn set_end(&mut self, end: RunEnd, iterations: u32) {
        (self.end, self.iterations_before) = (end, iterations);
    }

    pub(crate) const fn end(&self) -> RunEnd {
        self.end
    }

    pub(crate) fn set_done(&mut self, done: u64) {
        self.done_before.get_or_insert(done);
        self.done = done;
    }

    /// Resumes from a checkpoint.
    pub(crate) fn resume_after(&mut self, iteration: u32) {
        (self.iterations_before, self.done_before) = (iteration, None);
    }

    pub(crate) fn end_iteration(&mut self, entries: u64, edges: u64, change: Option<f64>) {
        self.entries_before = entries;
        self.edges += edges;
        if let Some(change) = change {
            if self.changes.len() == CHANGES {
                self.changes.pop_front();
            }
            self.changes.push_back(change);
        }
    }

    /// Returns the state of the run `phase`.
    pub(crate) fn progress(&self, phase: &'static str, figures: AccessFigures, now: &UnderWay) -> Progress {
        let (seconds, spent) = (self.began.seconds(), figures - self.figures);
        let iteration_share = self.iteration_share(now);
        let iterations = now.iterations;
        // Default: nothing is known about the current iteration.
        let come = f64::from(iterations) + iteration_share.unwrap_or(0.0);
        let (unit, done, total, at_most) = match self.end {
            RunEnd::Count { unit, total, at_most } => (unit, self.done.min(total), Some(total), at_most),
            RunEnd::Unknown => (ProgressUnit::Iterations, iterations.into(), None, false),
            RunEnd::Iterations { most, .. } => {
                let left = self.iterations_left(most.saturating_sub(iterations));
                let (left, at_most) = left.map_or((most.saturating_sub(iterations), true), |left| (left, false));
                (ProgressUnit::Iterations, iterations.into(), Some(u64::from(iterations) + u64::from(left)), at_most)
            }
        };
        let counts = matches!(self.end, RunEnd::Count { .. });
        // Default: nothing was counted before the first time.
        let before = if counts { self.done_before.unwrap_or(0) } else { self.iterations_before.into() };
        let part = |amount: f64| total.filter(|total| *total > 0).map(|total| (amount / total as f64).min(1.0));
        let share = part(if counts { done as f64 } else { come });
        let edges = if spent.entries == 0 { self.edges } else { spent.entries };
        let left = |share| Progress::seconds_left(seconds, part(before as f64)?, share);
        Progress {
            phase,
            unit,
            done,
            total,
            at_most,
            share,
            seconds,
            seconds_left: share.filter(|_| !at_most).and_then(left),
            per_second: Progress::rate(done.saturating_sub(before) as f64, seconds),
            run: Some(RunProgress {
                iterations,
                iteration_share,
                change: self.changes.back().copied(),
                tolerance: self.tolerance(),
                edges_per_second: Progress::rate(edges as f64, seconds),
                bytes_read: spent.bytes_read,
                bytes_read_per_second: Progress::rate(spent.bytes_read as f64, seconds),
            }),
        }
    }

    fn iteration_share(&self, now: &UnderWay) -> Option<f64> {
        // Counted iterations take equally long.
        let alike = match self.end {
            RunEnd::Iterations { .. } if now.of > 0 => self.entries_before,
            _ => 0,
        };
        now.parts.or_else(|| share_of(now.read, now.of.max(alike)))
    }

    const fn tolerance(&self) -> Option<f64> {
        match self.end {
            RunEnd::Iterations { tolerance, .. } => tolerance,
            RunEnd::Unknown | RunEnd::Count { .. } => None,
        }
    }

    /// Returns the number of iterations until the tolerance is reached, at most `most`, if changes keep falling at the
    /// current rate; `most` without a tolerance, and `None` before a rate is known.
    fn iterations_left(&self, most: u32) -> Option<u32> {
        let Some(tolerance) = self.tolerance() else { return Some(most) };
        let (first, last) = (*self.changes.front()?, *self.changes.back()?);
        if last < tolerance {
            return Some(0);
        }
        let steps = self.changes.len() - 1;
        let rate = (last / first).ln() / steps as f64;
        let left = ((tolerance / last).ln() / rate).floor() + 1.0;
        // Saturates; a change of 0 that is not below a tolerance of 0 has no logarithm.
        (steps > 0 && rate < 0.0 && left.is_finite()).then(|| (left as u32).clamp(1, most.max(1)).min(most))
    }
}

fn share_of(done: u64, all: u64) -> Option<f64> {
    (all > 0).then(|| (done as f64 / all as f64).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn under_way(iterations: u32, read: u64, of: u64) -> UnderWay {
        UnderWay { iterations, read, of, parts: None }
    }

    fn pace(end: RunEnd) -> Pace {
        let mut pace = Pace::new(AccessFigures::default());
        pace.set_end(end, 0);
        pace
    }

    fn of(pace: &Pace, now: &UnderWay) -> Progress {
        pace.progress("pagerank", AccessFigures::default(), now)
    }

    #[test]
    fn iterations_are_counted_with_the_part_of_the_one_under_way() {
        let mut pace = pace(RunEnd::Iterations { most: 20, tolerance: None });
        let progress = of(&pace, &under_way(4, 50, 100));
        assert_eq!((progress.done, progress.total, progress.share), (4, Some(20), Some(4.5 / 20.0)));
        let (left, seconds) = (progress.seconds_left.unwrap(), progress.seconds);
        assert!((left - seconds * 15.5 / 4.5).abs() < 1e-9 * left.max(1.0), "{left} after {seconds}");
        // If an iteration consists of two maps, the previous iteration shows their total.
        pace.end_iteration(200, 0, None);
        assert_eq!(of(&pace, &under_way(5, 50, 100)).run.unwrap().iteration_share, Some(0.25));
    }

    #[test]
    fn a_rate_of_changes_tells_when_the_tolerance_is_reached() {
        let mut pace = pace(RunEnd::Iterations { most: 100, tolerance: Some(1e-6) });
        let told = |pace: &Pace, iterations| {
            let progress = of(pace, &under_way(iterations, 0, 0));
            (progress.total, progress.at_most, progress.seconds_left.is_some())
        };
        assert_eq!(told(&pace, 0), (Some(100), true, false));
        for iteration in 1..=3 {
            pace.end_iteration(0, 0, Some(0.5_f64.powi(iteration)));
        }
        // The first power of a half below a millionth is the 20th.
        assert_eq!(told(&pace, 3), (Some(20), false, true));
        pace.end_iteration(0, 0, Some(1e-7));
        assert_eq!(told(&pace, 20), (Some(20), false, true));
        for _ in 0..CHANGES {
            pace.end_iteration(0, 0, Some(0.5));
        }
        assert_eq!(told(&pace, 30), (Some(100), true, false));
        let falls_slowly = [0.5, 0.499_999];
        falls_slowly.into_iter().for_each(|change| pace.end_iteration(0, 0, Some(change)));
        assert_eq!(told(&pace, 32).0, Some(100));
    }

    #[test]
    fn a_run_that_goes_on_is_not_quicker_for_what_was_done_before() {
        let mut pace = pace(RunEnd::Count { unit: ProgressUnit::Sources, total: 100, at_most: false });
        pace.set_done(90);
        assert_eq!(of(&pace, &under_way(0, 0, 0)).seconds_left, None);
        pace.set_done(95);
        let progress = of(&pace, &under_way(0, 0, 0));
        let (left, seconds) = (progress.seconds_left.unwrap(), progress.seconds);
        assert!((left - seconds).abs() < 1e-6 * seconds, "{left} after {seconds}");
        assert_eq!((progress.done, progress.share), (95, Some(0.95)));
    }
}
