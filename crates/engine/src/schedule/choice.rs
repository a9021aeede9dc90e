//! Choices of how an iteration goes through the edges.

use outcrop_io::Bandwidths;
use outcrop_types::{AccessMode, EdgeDirection};
use std::str::FromStr;

/// Choice between selecting the lists of what is active and sweeping over all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schedule {
    /// Whichever costs less, in each iteration.
    #[default]
    Auto,
    /// Always select.
    Select,
    /// Always sweep, over everything.
    Sweep,
}

impl Schedule {
    /// Every schedule.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Select, Self::Sweep];

    /// The name in run records, on the command line and in Python.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Select => "select",
            Self::Sweep => "sweep",
        }
    }
}

impl FromStr for Schedule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let named = Self::ALL.into_iter().find(|schedule| schedule.name() == text);
        named.ok_or_else(|| format!("expected a schedule: one of {}", Self::ALL.map(Self::name).join(", ")))
    }
}

/// Basis of the choice between selecting and sweeping.
#[derive(Clone, Debug, PartialEq)]
pub struct Scheduler {
    /// Requested schedule.
    pub schedule: Schedule,
    /// Speeds of the disk.
    pub bandwidths: Bandwidths,
}

impl Default for Scheduler {
    fn default() -> Self {
        Self { schedule: Schedule::Auto, bandwidths: Bandwidths::assumed() }
    }
}

/// Way that an iteration goes through the edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Along which lists.
    pub direction: EdgeDirection,
    /// Part of them that is read.
    pub access: AccessMode,
}
