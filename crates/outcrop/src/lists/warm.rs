//! Lists of a run that stay open for the next run, if the memory of both allows it.

use super::opened::{ListShape, Lists};
use outcrop_store::access::Workers;
use outcrop_types::{MemoryBudget, Reclaim};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Reciprocal of the share of page cache that a run forgoes rather than start with an empty cache.
const MISSING_SHARE: u64 = 4;

/// Slot for the lists that stay open between the runs of a handle; they never cause a run to be refused.
#[derive(Default)]
pub(crate) struct Warm(Mutex<Option<Lists>>);

impl Warm {
    /// Stores `lists` for the next run.
    pub(crate) fn put(&self, mut lists: Lists) {
        let suspended = lists.suspend();
        *self.lock() = suspended.ok().map(|()| lists);
    }

    /// Takes the stored lists if they suit a run that would open lists of this `shape`, with `page_caches` of about the
    /// same size; they then reserve the memory that new lists would. Closes lists that do not suit.
    pub(super) fn take_over(
        &self,
        shape: &ListShape,
        workers: &Workers,
        page_caches: impl Fn(&Lists) -> Vec<u64>,
    ) -> Option<Lists> {
        let mut lists = self.take().filter(|lists| lists.shape() == Some(shape))?;
        let wanted = page_caches(&lists);
        let serves = |(kept, wanted): (&u64, &u64)| kept <= wanted && wanted - kept <= wanted / MISSING_SHARE;
        if !lists.page_caches().iter().zip(&wanted).all(serves) {
            return None;
        }
        lists.resume(workers, &wanted).ok()?;
        Some(lists)
    }

    fn take(&self) -> Option<Lists> {
        self.lock().take()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Lists>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reclaim for Warm {
    fn reclaimable_bytes(&self) -> u64 {
        self.lock().as_ref().map_or(0, Lists::reserved_bytes)
    }

    fn reclaim(&self) {
        drop(self.take());
    }
}

/// Lists that a handle keeps after its last run.
#[derive(Default)]
pub(crate) struct LastRun(Mutex<Arc<Warm>>);

impl LastRun {
    /// Passes the stored lists to a run with `budget`, which accounts for their memory and can reclaim it. They are
    /// dropped unless the run calls [`LastRun::keep`].
    pub(crate) fn hand_over(&self, budget: &MemoryBudget) -> Arc<Warm> {
        let kept = self.release().take();
        let kept = kept.filter(|lists| lists.charge_to(budget).is_ok());
        let warm = Arc::new(Warm(Mutex::new(kept)));
        let weak: std::sync::Weak<Warm> = Arc::downgrade(&warm);
        budget.reclaim_from(weak);
        warm
    }

    /// Keeps the lists that a run has put into `warm` until the next run.
    pub(crate) fn keep(&self, warm: Arc<Warm>) {
        *self.lock() = warm;
    }

    /// Returns the bytes of the stored lists.
    pub(crate) fn bytes(&self) -> u64 {
        self.lock().reclaimable_bytes()
    }

    pub(crate) fn release(&self) -> Arc<Warm> {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, Arc<Warm>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
