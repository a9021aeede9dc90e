//! Progress of work: completed amount and remaining time.

use serde::{Deserialize, Serialize};

/// Unit of the numbers of a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProgressUnit {
    /// Bytes of a file.
    Bytes,
    /// Edges.
    Edges,
    /// Vertices.
    Vertices,
    /// Iterations of an algorithm.
    Iterations,
    /// Source vertices of an algorithm.
    Sources,
}

impl ProgressUnit {
    /// Returns the noun for the unit.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Edges => "edges",
            Self::Vertices => "vertices",
            Self::Iterations => "iterations",
            Self::Sources => "sources",
        }
    }
}

/// Named phase of work.
#[derive(Clone, Copy, Debug)]
pub struct Phase {
    /// Name of the work, as shown to the user: `reading edges`.
    pub name: &'static str,
    /// Unit of the work.
    pub unit: ProgressUnit,
    /// Amount of work, if known.
    pub total: Option<u64>,
}

/// End of a run, as far as the algorithm knows it in advance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum RunEnd {
    /// Unknown: the run ends once nothing changes.
    #[default]
    Unknown,
    /// After this number of iterations, or once the change of one is less than the tolerance.
    Iterations {
        /// Maximum number of iterations.
        most: u32,
        /// Tolerance, if there is one.
        tolerance: Option<f64>,
    },
    /// After this amount of work.
    Count {
        /// Unit of the count.
        unit: ProgressUnit,
        /// Total count.
        total: u64,
        /// True if the run may end before the total.
        at_most: bool,
    },
}

/// State of a phase in progress.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Progress {
    /// Name of the phase or, for a run, of the algorithm.
    pub phase: &'static str,
    /// Unit of the work.
    pub unit: ProgressUnit,
    /// Completed amount.
    pub done: u64,
    /// Total amount, if it is known or can be estimated.
    pub total: Option<u64>,
    /// True if the end may come before the total.
    pub at_most: bool,
    /// Completed fraction of the total, from 0 to 1, including the current iteration.
    pub share: Option<f64>,
    /// Seconds since the start of the phase.
    pub seconds: f64,
    /// Seconds until the end, at the current rate.
    pub seconds_left: Option<f64>,
    /// Units per second so far.
    pub per_second: f64,
    /// Details of a run.
    #[serde(flatten)]
    pub run: Option<RunProgress>,
}

/// State of a run in progress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct RunProgress {
    /// Number of completed iterations.
    pub iterations: u32,
    /// Fraction of the current iteration's lists that was read, from 0 to 1.
    pub iteration_share: Option<f64>,
    /// Change of the last iteration, if the algorithm has one.
    pub change: Option<f64>,
    /// Change below which the run ends.
    pub tolerance: Option<f64>,
    /// List entries read per second.
    pub edges_per_second: f64,
    /// Bytes read from the store.
    pub bytes_read: u64,
    /// Bytes read from the store per second.
    pub bytes_read_per_second: f64,
}

impl Progress {
    /// Minimum time for computing a rate, in seconds.
    const LEAST_SECONDS: f64 = 1e-6;

    /// Returns the state of a phase with `done` units completed in `seconds`.
    pub fn of_phase(phase: &Phase, done: u64, seconds: f64) -> Self {
        let total = phase.total.map(|total| total.max(done));
        let share = total.filter(|total| *total > 0).map(|total| done as f64 / total as f64);
        Self {
            phase: phase.name,
            unit: phase.unit,
            done,
            total,
            at_most: false,
            share,
            seconds,
            seconds_left: share.and_then(|share| Self::seconds_left(seconds, 0.0, share)),
            per_second: Self::rate(done as f64, seconds),
            run: None,
        }
    }

    /// Returns an amount per second.
    pub fn rate(amount: f64, seconds: f64) -> f64 {
        amount / seconds.max(Self::LEAST_SECONDS)
    }

    /// Returns the seconds until the end, given that the completed fraction grew from `begun` to `share` in `seconds`;
    /// `None` before any progress.
    pub fn seconds_left(seconds: f64, begun: f64, share: f64) -> Option<f64> {
        (share > begun).then(|| seconds * (1.0 - share).max(0.0) / (share - begun))
    }
}
