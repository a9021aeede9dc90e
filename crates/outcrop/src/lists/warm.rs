//! Lists of a run, and IDs that queries read, that stay in memory for the next run, if the memory of both allows it.

use super::opened::{ListShape, Lists};
use outcrop_io::IoChoice;
use outcrop_store::Store;
use outcrop_store::access::Workers;
use outcrop_types::{BudgetPart, Error, MemoryBudget, Reclaim, Result};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Reciprocal of the share of page cache that a run forgoes rather than start with an empty cache.
const MISSING_SHARE: u64 = 4;

/// Slot for the lists and IDs that stay in memory between the runs of a handle; they never cause a run to be refused.
#[derive(Default)]
pub(crate) struct Warm {
    lists: Mutex<Option<Lists>>,
    ids: Mutex<Option<KeptIds>>,
}

/// IDs of a store and its vertex order, in memory as far as queries have read them; released on drop.
struct KeptIds {
    store: Arc<Store>,
    part: BudgetPart,
}

impl Drop for KeptIds {
    fn drop(&mut self) {
        self.store.release_ids();
    }
}

impl Warm {
    /// Creates an empty slot whose contents `budget` accounts for and can reclaim.
    pub(crate) fn in_budget(budget: &MemoryBudget) -> Arc<Self> {
        Self::holding(None, None, budget)
    }

    fn holding(lists: Option<Lists>, ids: Option<KeptIds>, budget: &MemoryBudget) -> Arc<Self> {
        let warm = Arc::new(Self { lists: Mutex::new(lists), ids: Mutex::new(ids) });
        let weak: std::sync::Weak<Self> = Arc::downgrade(&warm);
        budget.reclaim_from(weak);
        warm
    }

    /// Keeps the IDs that are read from `store` in memory from `budget`, if there is enough.
    ///
    /// # Errors
    ///
    /// Returns an error if an ID component of the store is missing or has the wrong length.
    pub(crate) fn keep_ids(&self, store: Arc<Store>, io: IoChoice, budget: &MemoryBudget) -> Result<()> {
        let part = BudgetPart::of(budget);
        match store.keep_ids(io, &part) {
            Err(Error::BudgetTooSmall { .. } | Error::OutOfMemory { .. }) => Ok(()),
            outcome => outcome.map(|()| *lock(&self.ids) = Some(KeptIds { store, part })),
        }
    }

    /// Returns true if IDs that were read stay in memory.
    pub(crate) fn keeps_ids(&self) -> bool {
        lock(&self.ids).is_some()
    }

    /// Stores `lists` for the next run.
    pub(crate) fn put(&self, mut lists: Lists) {
        let suspended = lists.suspend();
        *lock(&self.lists) = suspended.ok().map(|()| lists);
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
        lock(&self.lists).take()
    }
}

fn lock<T>(slot: &Mutex<T>) -> MutexGuard<'_, T> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Reclaim for Warm {
    fn reclaimable_bytes(&self) -> u64 {
        let ids = lock(&self.ids).as_ref().map_or(0, |ids| ids.part.bytes());
        lock(&self.lists).as_ref().map_or(0, Lists::reserved_bytes) + ids
    }

    fn reclaim(&self) {
        drop((self.take(), lock(&self.ids).take()));
    }
}

/// Lists and IDs that a handle keeps after its last run.
#[derive(Default)]
pub(crate) struct LastRun(Mutex<Arc<Warm>>);

impl LastRun {
    /// Passes the stored lists and IDs to a run with `budget`, which accounts for their memory and can reclaim it. They
    /// are dropped unless the run calls [`LastRun::keep`].
    pub(crate) fn hand_over(&self, budget: &MemoryBudget) -> Arc<Warm> {
        let kept = self.release();
        let lists = kept.take().filter(|lists| lists.charge_to(budget).is_ok());
        let ids = lock(&kept.ids).take().filter(|ids| ids.part.move_to(budget).is_ok());
        Warm::holding(lists, ids, budget)
    }

    /// Keeps the lists that a run has put into `warm` until the next run.
    pub(crate) fn keep(&self, warm: Arc<Warm>) {
        *lock(&self.0) = warm;
    }

    /// Returns the bytes of the stored lists and IDs.
    pub(crate) fn bytes(&self) -> u64 {
        lock(&self.0).reclaimable_bytes()
    }

    pub(crate) fn release(&self) -> Arc<Warm> {
        std::mem::take(&mut *lock(&self.0))
    }
}
