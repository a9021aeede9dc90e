//! Processor time of the threads of this process, where the system tells it.

use outcrop_types::Stopwatch;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;

/// Seconds between two samples. A thread that ends in between loses the rest of its time.
const INTERVAL: f64 = 0.05;

/// Processor times of threads, in nanoseconds, since a point in time.
pub(crate) struct ThreadTimes {
    start: BTreeMap<OsString, u64>,
    latest: BTreeMap<OsString, u64>,
    sampled: Stopwatch,
}

impl ThreadTimes {
    /// Starts now.
    pub(crate) fn start() -> Self {
        let start = times();
        Self { latest: start.clone(), start, sampled: Stopwatch::start() }
    }

    /// Notes the times, unless that was done just before.
    pub(crate) fn sample(&mut self) {
        if self.sampled.seconds() >= INTERVAL {
            self.latest.extend(times());
            self.sampled = Stopwatch::start();
        }
    }

    /// Returns the seconds of all threads, and of the one that took the most; `None` if the system does not tell them.
    pub(crate) fn end(mut self) -> Option<(f64, f64)> {
        self.latest.extend(times());
        let start = |thread| self.start.get(thread).copied().unwrap_or(0);
        let seconds = self.latest.iter().map(|(thread, time)| time.saturating_sub(start(thread)) as f64 / 1e9);
        let (sum, most) = seconds.fold((0.0, 0.0_f64), |(sum, most), seconds| (sum + seconds, most.max(seconds)));
        (!self.latest.is_empty()).then_some((sum, most))
    }
}

/// Returns the processor time of each thread that runs; none on systems without `/proc`.
fn times() -> BTreeMap<OsString, u64> {
    let time = |thread: &fs::DirEntry| {
        let times = fs::read_to_string(thread.path().join("schedstat")).ok()?;
        times.split(' ').next()?.parse().ok()
    };
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    threads.filter_map(|thread| Some((thread.file_name(), time(&thread)?))).collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::hint::black_box;

    #[test]
    fn the_busiest_thread_has_a_part_of_the_time_of_all() {
        let mut times = ThreadTimes::start();
        (0..1 << 26).for_each(|number| _ = black_box(number));
        times.sample();
        let (all, most) = times.end().unwrap();
        assert!(most > 0.0 && most <= all, "{most} {all}");
    }
}
