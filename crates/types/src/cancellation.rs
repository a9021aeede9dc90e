//! A flag that stops work cleanly.

use crate::{Error, Result, memory};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// Set once by whoever wants the work to stop; looked at by every loop that does I/O. Clones share the flag.
#[derive(Clone, Debug, Default)]
pub struct Cancellation(Arc<AtomicU8>);

/// The work is to stop at its next checkpoint.
const AT_CHECKPOINT: u8 = 1;
/// The work is to stop.
const NOW: u8 = 2;

impl Cancellation {
    /// A flag that is not set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the work to stop; safe in a signal handler.
    pub fn cancel(&self) {
        self.0.fetch_max(NOW, Relaxed);
    }

    /// Asks work that saves checkpoints to stop behind its next; safe in a signal handler.
    pub fn cancel_at_checkpoint(&self) {
        self.0.fetch_max(AT_CHECKPOINT, Relaxed);
    }

    /// True if the work was asked to stop, behind a checkpoint at the latest.
    pub fn is_stopping(&self) -> bool {
        self.0.load(Relaxed) >= AT_CHECKPOINT
    }

    /// True if the work was asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Relaxed) == NOW
    }

    /// # Errors
    /// [`Error::Interrupted`] once the flag is set; [`Error::OutOfMemory`] where the system has no memory for small
    /// things.
    pub fn check(&self) -> Result<()> {
        if self.is_cancelled() { Err(Error::Interrupted) } else { memory::check_refused() }
    }
}
