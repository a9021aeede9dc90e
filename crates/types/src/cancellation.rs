//! Flag that stops work cleanly.

use crate::{Error, Result, memory};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// Cancellation flag, which every loop with I/O checks. Clones share the flag.
#[derive(Clone, Debug, Default)]
pub struct Cancellation(Arc<AtomicU8>);

/// The work is to stop at its next checkpoint.
const AT_CHECKPOINT: u8 = 1;
/// The work is to stop immediately.
const NOW: u8 = 2;

impl Cancellation {
    /// Creates an unset flag.
    pub fn new() -> Self {
        Self::default()
    }

    /// Requests the work to stop; safe in a signal handler.
    pub fn cancel(&self) {
        self.0.fetch_max(NOW, Relaxed);
    }

    /// Requests work with checkpoints to stop after its next one; safe in a signal handler.
    pub fn cancel_at_checkpoint(&self) {
        self.0.fetch_max(AT_CHECKPOINT, Relaxed);
    }

    /// Returns true if the work was requested to stop, immediately or after a checkpoint.
    pub fn is_stopping(&self) -> bool {
        self.0.load(Relaxed) >= AT_CHECKPOINT
    }

    /// Returns true if the work was requested to stop immediately.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Relaxed) == NOW
    }

    /// # Errors
    ///
    /// Returns [`Error::Interrupted`] if the flag is set, or [`Error::OutOfMemory`] if the system has refused a small
    /// allocation.
    pub fn check(&self) -> Result<()> {
        if self.is_cancelled() { Err(Error::Interrupted) } else { memory::check_refused_allocations() }
    }
}
