//! Settings of the `sliding` layout.

use super::intervals::{MAX_INTERVALS, intervals_for};
use outcrop_types::{Error, Result};

/// Settings of the `sliding` layout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SlidingSettings {
    /// Into how many intervals vertices are split, at the most; `None` for as many as the number of edges suggests.
    pub intervals: Option<u32>,
}

impl SlidingSettings {
    /// Refuses settings that the format cannot hold.
    ///
    /// # Errors
    /// [`Error::Usage`] with what was expected.
    pub fn validate(&self) -> Result<()> {
        match self.intervals {
            Some(found) if !(1..=MAX_INTERVALS).contains(&found) => {
                Err(Error::Usage(format!("invalid number of intervals {found}; expected 1 to {MAX_INTERVALS}")))
            }
            _ => Ok(()),
        }
    }

    /// Number of intervals of a graph of `arcs` arcs, at the most.
    pub(crate) fn intervals_for(&self, arcs: u64) -> u32 {
        self.intervals.unwrap_or_else(|| intervals_for(arcs))
    }
}
