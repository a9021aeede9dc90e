//! Single log of all messages, the baseline for the multi-log (GraFBoost: Jun et al., ISCA 2018): messages are sorted
//! in memory, spilled as sorted runs, and merged at the end of a superstep into one run sorted by destination;
//! messages to the same vertex are combined each time.

mod entry;
mod log;
mod merge;
mod output;
mod sort;
mod sorted;

#[cfg(test)]
mod tests;

use log::SortedLog;
use outcrop_messages::log::{BackendLog, LogBackend, LogSetup};
use outcrop_types::Result;

/// Backend that opens sorted logs.
#[derive(Clone, Copy, Debug)]
pub struct SingleLog;

impl LogBackend for SingleLog {
    fn name(&self) -> &'static str {
        "single"
    }

    fn open(&self, setup: &LogSetup<'_>, entry_bytes: usize) -> Result<Box<dyn BackendLog>> {
        Ok(Box::new(SortedLog::new(setup, entry_bytes)))
    }
}
