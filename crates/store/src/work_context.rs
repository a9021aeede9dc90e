//! Resources of work on stores.

use crate::access::Workers;
use outcrop_io::{IoChoice, Storage};
use outcrop_types::{Cancellation, MemoryBudget, Observer};

/// Resources of work on a store: everything that building, converting, updating and checking stores need besides the
/// stores and the options, as `Session` is for algorithms.
#[derive(Clone, Copy)]
pub struct WorkContext<'w> {
    /// Storage of the files that are written.
    pub storage: &'w dyn Storage,
    /// I/O backend of the files that are read.
    pub io: IoChoice,
    /// Memory.
    pub budget: &'w MemoryBudget,
    /// Threads, with the flag that cancels the work.
    pub workers: &'w Workers,
    /// Receiver of progress and notes.
    pub observer: &'w dyn Observer,
}

impl<'w> WorkContext<'w> {
    /// The flag that cancels the work.
    pub const fn cancellation(&self) -> &'w Cancellation {
        self.workers.cancellation()
    }
}
