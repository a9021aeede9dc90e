//! Stopwatch, the only clock of the workspace.

use std::time::{Duration, Instant};

/// Stopwatch for observers and run records. Results never depend on it.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts a stopwatch.
    #[expect(clippy::disallowed_methods, reason = "this is the clock that the lint sends everybody to")]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// Returns the time since the start.
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }

    /// Returns the seconds since the start.
    pub fn seconds(&self) -> f64 {
        self.elapsed().as_secs_f64()
    }
}
