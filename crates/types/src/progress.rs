//! State of work under way: how much of it is done, and when it will have ended.

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
    /// Vertices that an algorithm starts from.
    Sources,
}

impl ProgressUnit {
    /// Noun for what is counted.
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

/// A stretch of work with one name.
#[derive(Clone, Copy, Debug)]
pub struct Phase {
    /// Name of the work, as shown to the user: `reading edges`.
    pub name: &'static str,
    /// Unit of the work.
    pub unit: ProgressUnit,
    /// Amount of work, if known.
    pub total: Option<u64>,
}

/// End of a run, as far as an algorithm knows it beforehand.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum RunEnd {
    /// Not known: the run ends once nothing changes any more.
    #[default]
    Unknown,
    /// After this number of iterations, or once the change of one is below the tolerance.
    Iterations {
        /// The most iterations.
        most: u32,
        /// The tolerance, if there is one.
        tolerance: Option<f64>,
    },
    /// After this amount of work.
    Count {
        /// Unit of the count.
        unit: ProgressUnit,
        /// The number of them.
        total: u64,
        /// True if the run may end before all are done.
        at_most: bool,
    },
}

/// State of a phase in progress.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Progress {
    /// Name of the phase; of a run, the algorithm.
    pub phase: &'static str,
    /// Unit of what is done.
    pub unit: ProgressUnit,
    /// Amount that is done.
    pub done: u64,
    /// Total amount, if it is known or can be estimated.
    pub total: Option<u64>,
    /// True if the end may come before the total.
    pub at_most: bool,
    /// Completed fraction of the total, from 0 to 1, including the current iteration.
    pub share: Option<f64>,
    /// Seconds since the phase began.
    pub seconds: f64,
    /// Seconds to the end, at the rate so far.
    pub seconds_left: Option<f64>,
    /// Units a second so far.
    pub per_second: f64,
    /// Details of a run.
    #[serde(flatten)]
    pub run: Option<RunProgress>,
}

/// State of a run in progress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct RunProgress {
    /// Iterations that have ended.
    pub iterations: u32,
    /// Fraction of the current iteration's lists that was read, from 0 to 1.
    pub iteration_share: Option<f64>,
    /// The change of the last iteration, if the algorithm has one.
    pub change: Option<f64>,
    /// The change below which the run ends.
    pub tolerance: Option<f64>,
    /// List entries that were read a second.
    pub edges_per_second: f64,
    /// Bytes that were read from the store.
    pub bytes_read: u64,
    /// Bytes that were read from the store a second.
    pub bytes_read_per_second: f64,
}

impl Progress {
    /// The least time that a rate is taken over, in seconds.
    const LEAST_SECONDS: f64 = 1e-6;

    /// State of a phase of which so much was done in so many seconds.
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

    /// An amount a second.
    pub fn rate(amount: f64, seconds: f64) -> f64 {
        amount / seconds.max(Self::LEAST_SECONDS)
    }

    /// Seconds to the end where a share of `begun` came to `share` in so many; none before anything is done.
    pub fn seconds_left(seconds: f64, begun: f64, share: f64) -> Option<f64> {
        (share > begun).then(|| seconds * (1.0 - share).max(0.0) / (share - begun))
    }
}
