//! Settings of the `sliding` layout.

use super::intervals::{MAX_INTERVALS, intervals_for};
use outcrop_types::{Error, Result};

/// Settings of the `sliding` layout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SlidingSettings {
    /// Maximum number of vertex intervals; `None` for a number based on the number of edges.
    pub intervals: Option<u32>,
}

impl SlidingSettings {
    /// Rejects settings that the format does not support.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] with the supported values.
    pub fn validate(&self) -> Result<()> {
        match self.intervals {
            Some(found) if !(1..=MAX_INTERVALS).contains(&found) => {
                Err(Error::Usage(format!("invalid number of intervals {found}; expected 1 to {MAX_INTERVALS}")))
            }
            _ => Ok(()),
        }
    }

    /// Returns the maximum number of intervals of a graph with `arcs` arcs.
    pub(crate) fn intervals_for(&self, arcs: u64) -> u32 {
        self.intervals.unwrap_or_else(|| intervals_for(arcs))
    }
}
