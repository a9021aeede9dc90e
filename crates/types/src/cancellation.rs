//! A flag that stops work cleanly.

use crate::{Error, Result, memory};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Set once by whoever wants the work to stop; looked at by every loop that does I/O. Clones share the flag.
#[derive(Clone, Debug, Default)]
pub struct Cancellation(Arc<AtomicBool>);

impl Cancellation {
    /// A flag that is not set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the work to stop; safe in a signal handler.
    pub fn cancel(&self) {
        self.0.store(true, Relaxed);
    }

    /// True if the work was asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Relaxed)
    }

    /// # Errors
    /// [`Error::Interrupted`] once the flag is set; [`Error::OutOfMemory`] where the system has no memory for small things.
    pub fn check(&self) -> Result<()> {
        if self.is_cancelled() { Err(Error::Interrupted) } else { memory::check_refused() }
    }
}
