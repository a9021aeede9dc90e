//! Memory that is given back when a budget runs short.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Memory that is kept for later, and given back when it is needed.
pub trait Reclaim: Send + Sync {
    /// Bytes that are kept.
    fn kept_bytes(&self) -> u64;

    /// Gives all of them back.
    fn reclaim(&self);
}

/// Giver of memory where a budget runs short, if there is one.
#[derive(Default)]
pub(super) struct Reclaimable(Mutex<Option<Weak<dyn Reclaim>>>);

impl Reclaimable {
    pub(super) fn set(&self, from: Weak<dyn Reclaim>) {
        *self.lock() = Some(from);
    }

    /// Bytes that can be given back.
    pub(super) fn bytes(&self) -> u64 {
        Self::of(&self.lock()).map_or(0, |from| from.kept_bytes())
    }

    /// Has everything given back; whether that was anything. Whoever asks meanwhile waits until it is done.
    pub(super) fn reclaim(&self) -> bool {
        let from = self.lock();
        let Some(from) = Self::of(&from).filter(|from| from.kept_bytes() > 0) else { return false };
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
