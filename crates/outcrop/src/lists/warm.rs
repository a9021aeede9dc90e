//! Lists of a run, and IDs and ranks that queries read, that stay in memory for the next run, if the memory of both
//! allows it.

use super::opened::{ListShape, Lists};
use outcrop_io::IoChoice;
use outcrop_store::Store;
use outcrop_store::access::Workers;
use outcrop_types::{BudgetPart, Cancellation, Error, MemoryBudget, Reclaim, Result, VertexId, VertexValues};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Reciprocal of the share of page cache that a run forgoes rather than start with an empty cache.
const MISSING_SHARE: u64 = 4;

/// Slot for the lists, IDs and ranks that stay in memory between the runs of a handle; they never cause a run to be
/// refused.
#[derive(Default)]
pub(crate) struct Warm {
    lists: Mutex<Option<Lists>>,
    ids: Mutex<Option<KeptIds>>,
    ranks: Mutex<Option<KeptRanks>>,
}

/// Ranks of all vertices, which move from budget to budget.
pub(crate) struct KeptRanks {
    ranks: VertexValues<u32>,
    part: BudgetPart,
}

impl KeptRanks {
    /// Reads the ranks of `store` into memory from `budget`; returns `None` if the rank of every vertex is its number.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget is too small or a table is damaged.
    fn read(store: &Store, io: IoChoice, budget: &MemoryBudget, cancellation: &Cancellation) -> Result<Option<Self>> {
        let part = BudgetPart::of(budget);
        let ranks = outcrop_store::ranks(store, io, &part, cancellation)?;
        Ok(ranks.map(|ranks| Self { ranks, part }))
    }

    /// Moves the reservation to `budget`.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget is too small.
    pub(crate) fn charge_to(&self, budget: &MemoryBudget) -> Result<()> {
        self.part.move_to(budget)
    }

    /// Returns the reserved memory, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.part.bytes()
    }

    /// Returns the rank of `vertex`.
    #[inline]
    pub(crate) fn rank(&self, vertex: VertexId) -> u32 {
        self.ranks[vertex as usize]
    }
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
        Self::default().reclaimed_by(budget)
    }

    /// Lets `budget` reclaim the contents.
    fn reclaimed_by(self, budget: &MemoryBudget) -> Arc<Self> {
        let warm = Arc::new(self);
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

    /// Takes the ranks of all vertices of `store`, or reads them; `None` if the rank of every vertex is its number.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget is too small or a table is damaged.
    pub(crate) fn take_ranks(
        &self,
        store: &Store,
        io: IoChoice,
        budget: &MemoryBudget,
        cancellation: &Cancellation,
    ) -> Result<Option<KeptRanks>> {
        let kept = lock(&self.ranks).take();
        if kept.is_some() { Ok(kept) } else { KeptRanks::read(store, io, budget, cancellation) }
    }

    /// Keeps `ranks` for the next query if `budget` has room for them.
    pub(crate) fn put_ranks(&self, ranks: KeptRanks, budget: &MemoryBudget) {
        if ranks.charge_to(budget).is_ok() {
            *lock(&self.ranks) = Some(ranks);
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
    /// same size; they then reserve the memory that new lists would. Decoded lists suit if they fit in `decoded` bytes
    /// and have weights, if the run is `weighted`; without `page_caches`, only they suit. Closes lists that do not
    /// suit.
    pub(super) fn take_over(
        &self,
        shape: &ListShape,
        workers: &Workers,
        decoded: u64,
        weighted: bool,
        page_caches: Option<impl Fn(&Lists) -> Vec<u64>>,
    ) -> Option<Lists> {
        let mut lists = self.take().filter(|lists| lists.shape() == Some(shape))?;
        let wanted = match lists.decoded_bytes(false) {
            Some(bytes) if bytes <= decoded && lists.decoded_bytes(weighted).is_some() => lists.page_caches().to_vec(),
            Some(_) => return None,
            None => page_caches?(&lists),
        };
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
        let ranks = lock(&self.ranks).as_ref().map_or(0, KeptRanks::bytes);
        lock(&self.lists).as_ref().map_or(0, Lists::reserved_bytes) + ids + ranks
    }

    fn reclaim(&self) {
        drop((self.take(), lock(&self.ids).take(), lock(&self.ranks).take()));
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
        let ranks = lock(&kept.ranks).take().filter(|ranks| ranks.charge_to(budget).is_ok());
        Warm { lists: Mutex::new(lists), ids: Mutex::new(ids), ranks: Mutex::new(ranks) }.reclaimed_by(budget)
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
