//! Memory that is reclaimed when a budget is exhausted.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Owner of memory that is kept for later use and can be reclaimed.
pub trait Reclaim: Send + Sync {
    /// Returns the number of bytes kept.
    fn reclaimable_bytes(&self) -> u64;

    /// Releases all of them.
    fn reclaim(&self);
}

/// Registered owner of reclaimable memory, if any.
#[derive(Default)]
pub(super) struct Reclaimable(Mutex<Option<Weak<dyn Reclaim>>>);

impl Reclaimable {
    pub(super) fn set(&self, from: Weak<dyn Reclaim>) {
        *self.lock() = Some(from);
    }

    /// Returns the number of reclaimable bytes.
    pub(super) fn bytes(&self) -> u64 {
        Self::of(&self.lock()).map_or(0, |from| from.reclaimable_bytes())
    }

    /// Reclaims all memory; returns true if there was any. Concurrent callers wait until it is done.
    pub(super) fn reclaim(&self) -> bool {
        let from = self.lock();
        let Some(from) = Self::of(&from).filter(|from| from.reclaimable_bytes() > 0) else { return false };
        from.reclaim();
        true
    }

    fn of(from: &Option<Weak<dyn Reclaim>>) -> Option<Arc<dyn Reclaim>> {
        from.as_ref().and_then(Weak::upgrade)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Weak<dyn Reclaim>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Reclaimable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Reclaimable").field(&self.bytes()).finish()
    }
}
