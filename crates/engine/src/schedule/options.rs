//! Choice between select and sweep.

use outcrop_io::Bandwidths;
use outcrop_types::{AccessMode, EdgeDirection};
use std::str::FromStr;

/// Choice between selecting the lists of active vertices and sweeping over all lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schedule {
    /// The cheaper one, chosen per iteration.
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

    /// Returns the name in run records, on the command line and in Python.
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
    /// Bandwidths of the disk.
    pub bandwidths: Bandwidths,
}

impl Default for Scheduler {
    fn default() -> Self {
        Self { schedule: Schedule::Auto, bandwidths: Bandwidths::assumed() }
    }
}

/// Planned traversal of an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Direction of the value flow.
    pub direction: EdgeDirection,
    /// Access mode of the lists.
    pub access: AccessMode,
}
