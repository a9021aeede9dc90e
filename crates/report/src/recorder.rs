//! Observer that records events.

use crate::record::PhaseRecord;
use crate::thread_times::ThreadTimes;
use outcrop_types::{IterationRecord, Observer, Phase, Progress, Stopwatch};
use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Observer that stores notes and the records of iterations and, if requested, of phases, and forwards everything to
/// another observer.
pub struct Recorder<'o> {
    next: &'o dyn Observer,
    iterations: Mutex<Vec<IterationRecord>>,
    /// Phases with the processor time of each, which takes many small reads to find out.
    phases: Option<Mutex<Phases>>,
    notes: Mutex<Vec<String>>,
    /// Progress of the current phase.
    done: AtomicU64,
}

#[derive(Default)]
struct Phases {
    ended: Vec<PhaseRecord>,
    under_way: Option<(Phase, Stopwatch, ThreadTimes)>,
}

impl Phases {
    fn end(&mut self, done: u64) {
        let Some((phase, started, threads)) = self.under_way.take() else { return };
        let (cpu_seconds, busiest_thread_seconds) = threads.end().unzip();
        // Each phase of a build occurs once; limit the number in case of other callers.
        if self.ended.len() < Recorder::MOST {
            self.ended.push(PhaseRecord {
                name: Cow::Borrowed(phase.name),
                unit: phase.unit,
                total: phase.total,
                done,
                seconds: started.seconds(),
                cpu_seconds,
                busiest_thread_seconds,
            });
        }
    }
}

impl<'o> Recorder<'o> {
    /// Maximum number of recorded iterations: runs on road networks have thousands, and records are in memory.
    pub const MOST: usize = 10_000;

    /// Creates a recorder that forwards to `next` and does not record phases.
    pub fn new(next: &'o dyn Observer) -> Self {
        Self { next, iterations: Mutex::default(), phases: None, notes: Mutex::default(), done: AtomicU64::new(0) }
    }

    /// Creates a recorder that forwards to `next` and records phases.
    pub fn of_phases(next: &'o dyn Observer) -> Self {
        Self { phases: Some(Mutex::default()), ..Self::new(next) }
    }

    /// Takes the recorded iterations: the first [`Recorder::MOST`].
    pub fn take_iterations(&self) -> Vec<IterationRecord> {
        std::mem::take(&mut *lock(&self.iterations))
    }

    /// Takes the recorded notes.
    pub fn take_notes(&self) -> Vec<String> {
        std::mem::take(&mut *lock(&self.notes))
    }

    /// Returns true once a phase has started.
    pub fn has_phases(&self) -> bool {
        self.phases.as_ref().map(lock).is_some_and(|phases| phases.under_way.is_some() || !phases.ended.is_empty())
    }

    /// Takes the recorded phases; ends the current one.
    pub fn take_phases(&self) -> Vec<PhaseRecord> {
        let Some(mut phases) = self.phases.as_ref().map(lock) else { return Vec::new() };
        phases.end(self.done.swap(0, Relaxed));
        std::mem::take(&mut phases.ended)
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Observer for Recorder<'_> {
    fn phase(&self, phase: &Phase) {
        if let Some(mut phases) = self.phases.as_ref().map(lock) {
            phases.end(self.done.swap(0, Relaxed));
            phases.under_way = Some((*phase, Stopwatch::start(), ThreadTimes::start()));
        }
        self.next.phase(phase);
    }

    fn progress(&self, done: u64) {
        self.done.fetch_max(done, Relaxed);
        if let Some(Ok(mut phases)) = self.phases.as_ref().map(Mutex::try_lock) {
            phases.under_way.iter_mut().for_each(|(_, _, threads)| threads.sample());
        }
        self.next.progress(done);
    }

    fn watches_runs(&self) -> bool {
        self.next.watches_runs()
    }

    fn run(&self, progress: &Progress) {
        self.next.run(progress);
    }

    fn iteration(&self, record: &IterationRecord) {
        let mut kept = lock(&self.iterations);
        if kept.len() < Self::MOST {
            kept.push(record.clone());
        }
        drop(kept);
        self.next.iteration(record);
    }

    fn note(&self, message: &str) {
        let mut kept = lock(&self.notes);
        if kept.len() < Self::MOST {
            kept.push(message.to_owned());
        }
        drop(kept);
        self.next.note(message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outcrop_types::{ProgressUnit, Silent};

    #[test]
    fn a_phase_ends_where_the_next_begins() {
        let recorder = Recorder::of_phases(&Silent);
        assert!(recorder.take_phases().is_empty());
        recorder.progress(9);
        for (name, done) in [("reading", 7), ("writing", 5)] {
            recorder.phase(&Phase { name, unit: ProgressUnit::Edges, total: Some(8) });
            recorder.progress(done);
            recorder.progress(done - 1);
        }
        let phases = recorder.take_phases();
        let told: Vec<_> = phases.iter().map(|phase| (&*phase.name, phase.done, phase.total)).collect();
        assert_eq!(told, [("reading", 7, Some(8)), ("writing", 5, Some(8))]);
        assert!(recorder.take_phases().is_empty());
    }
}
