//! Progress events, a few per second, for command lines and Python.

use crate::recorder::lock;
use outcrop_types::{IterationRecord, Observer, Phase, Progress, Stopwatch};
use serde_json::json;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Interval between two observations of a run in progress.
const PAUSE: Duration = Duration::from_millis(200);

/// Event that a user may want to see at once.
#[derive(Clone, Debug)]
pub enum Event<'e> {
    /// Start of a phase.
    Phase(&'e Phase),
    /// State of the phase, at most five per second.
    Progress(&'e Progress),
    /// End of an iteration.
    Iteration(&'e IterationRecord),
    /// Note for the user.
    Note(&'e str),
}

impl Event<'_> {
    /// Returns the event as one JSON object.
    pub fn to_json(&self) -> String {
        match self {
            Self::Phase(Phase { name, unit, total }) => {
                json!({ "event": "phase", "name": name, "unit": unit, "total": total }).to_string()
            }
            Self::Progress(progress) => {
                let mut event = json!(progress);
                event["event"] = "progress".into();
                event.to_string()
            }
            Self::Iteration(record) => json!({ "event": "iteration", "record": record }).to_string(),
            Self::Note(message) => json!({ "event": "note", "message": message }).to_string(),
        }
    }
}

/// Observer that converts observations to events and passes them to a function.
pub struct Meter<F> {
    take: F,
    under_way: Mutex<Option<UnderWay>>,
}

struct UnderWay {
    phase: Phase,
    began: Stopwatch,
    told: Option<Stopwatch>,
}

impl<F: Fn(&Event<'_>) + Send + Sync> Meter<F> {
    /// Creates a meter that calls `take` with its events, from any thread.
    pub const fn new(take: F) -> Self {
        Self { take, under_way: Mutex::new(None) }
    }
}

impl<F: Fn(&Event<'_>) + Send + Sync> Observer for Meter<F> {
    fn phase(&self, phase: &Phase) {
        *lock(&self.under_way) = Some(UnderWay { phase: *phase, began: Stopwatch::start(), told: None });
        (self.take)(&Event::Phase(phase));
    }

    fn progress(&self, done: u64) {
        let mut under_way = lock(&self.under_way);
        let Some(now) = &mut *under_way else { return };
        let ends = now.phase.total.is_some_and(|total| done >= total);
        if !ends && now.told.as_ref().is_some_and(|told| told.elapsed() < PAUSE) {
            return;
        }
        now.told = Some(Stopwatch::start());
        let progress = Progress::of_phase(&now.phase, done, now.began.seconds());
        drop(under_way);
        (self.take)(&Event::Progress(&progress));
    }

    fn watches_runs(&self) -> bool {
        true
    }

    fn run(&self, progress: &Progress) {
        (self.take)(&Event::Progress(progress));
    }

    fn iteration(&self, record: &IterationRecord) {
        (self.take)(&Event::Iteration(record));
    }

    fn note(&self, message: &str) {
        (self.take)(&Event::Note(message));
    }
}

/// Runs `work`. If the observer watches runs, a separate thread reports the `state` to it a few times per second and at
/// the end.
pub fn watched<T>(observer: &dyn Observer, state: &(dyn Fn() -> Progress + Sync), work: impl FnOnce() -> T) -> T {
    if !observer.watches_runs() {
        return work();
    }
    let (ended, wakes) = (Mutex::new(false), Condvar::new());
    let ends = || {
        let now = lock(&ended);
        *now || *wakes.wait_timeout(now, PAUSE).unwrap_or_else(PoisonError::into_inner).0
    };
    let tell = || {
        while !ends() {
            observer.run(&state());
        }
        observer.run(&state());
    };
    std::thread::scope(|scope| {
        // If the system cannot create the thread, the run proceeds without it.
        _ = std::thread::Builder::new().name("outcrop-progress".to_owned()).spawn_scoped(scope, tell);
        // End the thread even if the work panics.
        let _end = End(&ended, &wakes);
        work()
    })
}

/// Ends the reporting thread when it is dropped.
struct End<'w>(&'w Mutex<bool>, &'w Condvar);

impl Drop for End<'_> {
    fn drop(&mut self) {
        *lock(self.0) = true;
        self.1.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outcrop_types::ProgressUnit;

    #[test]
    fn a_phase_tells_its_first_and_its_last_step_and_few_between() {
        let told = Mutex::new(Vec::new());
        let meter = Meter::new(|event: &Event<'_>| told.lock().unwrap().push(event.to_json()));
        meter.progress(7);
        meter.phase(&Phase { name: "reading edges", unit: ProgressUnit::Bytes, total: Some(1000) });
        (1..=1000).for_each(|done| meter.progress(done));
        meter.note("done");
        let told = told.into_inner().unwrap();
        assert!(told.len() >= 4 && told.len() < 100, "{told:?}");
        assert!(told[0].contains("\"event\":\"phase\""), "{told:?}");
        let first: serde_json::Value = serde_json::from_str(&told[1]).unwrap();
        assert_eq!((&first["done"], &first["total"], &first["share"]), (&1.into(), &1000.into(), &0.001.into()));
        let last: serde_json::Value = serde_json::from_str(&told[told.len() - 2]).unwrap();
        assert_eq!((&last["share"], &last["seconds_left"]), (&1.0.into(), &0.0.into()));
    }

    #[test]
    fn work_is_watched_to_its_end_by_who_wants_to() {
        struct Count(Mutex<u32>, bool);
        impl Observer for Count {
            fn watches_runs(&self) -> bool {
                self.1
            }
            fn run(&self, _: &Progress) {
                *self.0.lock().unwrap() += 1;
            }
        }
        let phase = Phase { name: "bfs", unit: ProgressUnit::Iterations, total: None };
        let state = || Progress::of_phase(&phase, 1, 1.0);
        for wants in [true, false] {
            let count = Count(Mutex::new(0), wants);
            assert_eq!(watched(&count, &state, || 7), 7);
            assert_eq!(*count.0.lock().unwrap(), u32::from(wants));
            let panics = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                watched(&count, &state, || panic!("as it should"))
            }));
            assert!(panics.is_err());
        }
    }
}
