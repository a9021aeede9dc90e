//! Memory budget, from which all memory that grows with the graph is reserved.

use super::allocation_refusals::ask;
use super::plan::{MemoryNeed, MemoryPlan, Purpose};
use super::reclaim::{Reclaim, Reclaimable};
use crate::{Error, Result};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

#[derive(Debug, Default)]
struct Usage {
    now: AtomicU64,
    peak: AtomicU64,
}

impl Usage {
    fn grow(&self, bytes: u64) {
        self.peak.fetch_max(self.now.fetch_add(bytes, Relaxed) + bytes, Relaxed);
    }
}

#[derive(Debug)]
struct Ledger {
    limit: u64,
    total: Usage,
    by_purpose: [Usage; Purpose::ALL.len()],
    /// Budget that also counts this part; `None` unless this is a part.
    whole: Option<Mutex<MemoryBudget>>,
    reclaimable: Reclaimable,
}

/// Memory limit that is never exceeded. Clones share one ledger.
#[derive(Clone, Debug)]
pub struct MemoryBudget(Arc<Ledger>);

impl MemoryBudget {
    /// Creates a budget of `limit` bytes without reservations.
    pub fn new(limit: u64) -> Self {
        Self::with_whole(limit, None)
    }

    /// Creates a budget that also counts in `whole`, if given.
    pub(super) fn with_whole(limit: u64, whole: Option<Self>) -> Self {
        let (total, by_purpose) = (Usage::default(), Default::default());
        let (whole, reclaimable) = (whole.map(Mutex::new), Reclaimable::default());
        Self(Arc::new(Ledger { limit, total, by_purpose, whole, reclaimable }))
    }

    /// Returns the limit in bytes.
    pub fn limit(&self) -> u64 {
        self.0.limit
    }

    /// Returns the bytes that are free or reclaimable ([`MemoryBudget::reclaim_from`]).
    pub fn available(&self) -> u64 {
        if let Some(whole) = self.whole() {
            return whole.available();
        }
        let kept = self.0.reclaimable.bytes();
        self.0.limit.saturating_sub(self.0.total.now.load(Relaxed).saturating_sub(kept))
    }

    /// Reserves `bytes`, which the caller allocates next, until the reservation is dropped.
    ///
    /// # Errors
    ///
    /// Returns [`Error::BudgetTooSmall`] with the current reservations, or [`Error::OutOfMemory`] if the system does
    /// not have the memory.
    pub fn reserve(&self, bytes: u64, purpose: Purpose) -> Result<Reservation> {
        let held = self.reserve_growing(bytes, purpose)?;
        self.ask(bytes, purpose)?;
        Ok(held)
    }

    /// Reserves `bytes` for a growing allocation: the system is asked for memory when it grows ([`super::make_room`]).
    ///
    /// # Errors
    ///
    /// Returns [`Error::BudgetTooSmall`] with the current reservations.
    pub fn reserve_growing(&self, bytes: u64, purpose: Purpose) -> Result<Reservation> {
        self.take(bytes, purpose)?;
        Ok(Reservation { budget: self.clone(), bytes, purpose })
    }

    /// Checks that the system has `bytes`, if necessary after reclaiming memory.
    fn ask(&self, bytes: u64, purpose: Purpose) -> Result<()> {
        if let Some(whole) = self.whole() {
            return whole.ask(bytes, purpose);
        }
        ask(bytes, purpose).or_else(|refusal| match self.0.reclaimable.reclaim() {
            true => ask(bytes, purpose),
            false => Err(refusal),
        })
    }

    fn refusal(&self, bytes: u64, purpose: Purpose) -> Error {
        let (plan, retry) = (self.reserved(), Some(MemoryNeed { purpose, bytes }));
        Error::BudgetTooSmall { budget: self.0.limit, plan, retry, hint: None }
    }

    /// Refuses work before it starts if `plan` exceeds the free memory.
    ///
    /// # Errors
    ///
    /// Returns [`Error::BudgetTooSmall`] with the exact minimum: current reservations plus the plan.
    pub fn require(&self, plan: &MemoryPlan) -> Result<()> {
        let with_plan = || self.reserved().and(plan);
        let mut whole = with_plan();
        if whole.total() > self.0.limit && self.0.reclaimable.reclaim() {
            whole = with_plan();
        }
        if whole.total() <= self.0.limit {
            return Ok(());
        }
        Err(Error::BudgetTooSmall { budget: self.0.limit, plan: whole, retry: None, hint: None })
    }

    /// Returns the peak of all reservations, in bytes.
    pub fn peak(&self) -> u64 {
        self.0.total.peak.load(Relaxed)
    }

    /// Returns the peak memory per purpose, in bytes.
    pub fn peak_by_purpose(&self) -> MemoryPlan {
        self.figures(|usage| &usage.peak)
    }

    /// Returns the current reservations, by purpose.
    pub(super) fn reserved(&self) -> MemoryPlan {
        self.figures(|usage| &usage.now)
    }

    /// Returns the budget that also counts a part, which cannot change until the guard is dropped; `None` unless this
    /// is a part.
    pub(super) fn whole(&self) -> Option<MutexGuard<'_, Self>> {
        self.0.whole.as_ref().map(|whole| whole.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Registers `from`, which releases its memory in this budget before a reservation is refused. Its memory counts as
    /// available. Valid until `from` is dropped or replaced.
    pub fn reclaim_from(&self, from: Weak<dyn Reclaim>) {
        self.0.reclaimable.set(from);
    }

    /// Counts `bytes` as reserved, here and in the whole of a part.
    pub(super) fn take(&self, bytes: u64, purpose: Purpose) -> Result<()> {
        if let Some(whole) = self.whole() {
            whole.take(bytes, purpose)?;
            self.0.total.grow(bytes);
        } else {
            let mut taken = self.take_free(bytes);
            // Another thread may have triggered the reclaim.
            if taken.is_none() {
                self.0.reclaimable.reclaim();
                taken = self.take_free(bytes);
            }
            let before = taken.ok_or_else(|| self.refusal(bytes, purpose))?;
            self.0.total.peak.fetch_max(before + bytes, Relaxed);
        }
        self.0.by_purpose[purpose.slot()].grow(bytes);
        Ok(())
    }

    /// Takes `bytes` if they are free; returns the number of bytes reserved before.
    fn take_free(&self, bytes: u64) -> Option<u64> {
        let fits = |now: u64| now.checked_add(bytes).filter(|sum| *sum <= self.0.limit);
        self.0.total.now.fetch_update(Relaxed, Relaxed, fits).ok()
    }

    /// Reverses [`MemoryBudget::take`].
    pub(super) fn give_back(&self, bytes: u64, purpose: Purpose) {
        let shrink = |usage: &Usage| usage.now.fetch_sub(bytes, Relaxed);
        let whole = self.whole();
        shrink(&self.0.total);
        shrink(&self.0.by_purpose[purpose.slot()]);
        if let Some(whole) = whole {
            whole.give_back(bytes, purpose);
        }
    }

    fn figures(&self, of: impl Fn(&Usage) -> &AtomicU64) -> MemoryPlan {
        let bytes = |purpose: &Purpose| of(&self.0.by_purpose[purpose.slot()]).load(Relaxed);
        Purpose::ALL
            .iter()
            .filter(|purpose| bytes(purpose) > 0)
            .fold(MemoryPlan::new(), |plan, purpose| plan.with(*purpose, bytes(purpose)))
    }
}

/// Reserved bytes of a [`MemoryBudget`], released on drop.
#[derive(Debug)]
pub struct Reservation {
    budget: MemoryBudget,
    bytes: u64,
    purpose: Purpose,
}

impl Reservation {
    /// Returns the number of reserved bytes.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Shrinks to `bytes`; no effect if fewer are reserved.
    pub fn shrink_to(&mut self, bytes: u64) {
        let surplus = self.bytes.saturating_sub(bytes);
        self.release(surplus);
        self.bytes -= surplus;
    }

    /// Grows to `bytes`; no effect if more are reserved.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`MemoryBudget::reserve`]; the reservation is then unchanged.
    pub fn grow_to(&mut self, bytes: u64) -> Result<()> {
        let mut more = self.budget.reserve(bytes.saturating_sub(self.bytes), self.purpose)?;
        self.bytes += std::mem::take(&mut more.bytes);
        Ok(())
    }

    fn release(&self, bytes: u64) {
        self.budget.give_back(bytes, self.purpose);
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.release(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_reserved_is_never_more_than_the_limit() {
        let budget = MemoryBudget::new(100);
        let first = budget.reserve(60, Purpose::Index).unwrap();
        assert!(matches!(budget.reserve(41, Purpose::PageCache), Err(Error::BudgetTooSmall { .. })));
        let second = budget.reserve(40, Purpose::PageCache).unwrap();
        assert_eq!(budget.available(), 0);
        drop(first);
        drop(second);
        assert_eq!((budget.available(), budget.peak()), (100, 100));
        assert_eq!(budget.peak_by_purpose().total(), 100);
    }

    #[test]
    fn an_overflowing_reservation_is_refused_not_wrapped() {
        let budget = MemoryBudget::new(u64::MAX);
        let _one = budget.reserve(1, Purpose::Index).unwrap();
        assert!(budget.reserve(u64::MAX, Purpose::Index).is_err());
    }

    #[test]
    fn a_plan_is_refused_with_its_total() {
        let budget = MemoryBudget::new(10);
        let plan = MemoryPlan::new().with(Purpose::Index, 6).with(Purpose::Frontier, 5);
        let Err(Error::BudgetTooSmall { plan: shown, retry: None, .. }) = budget.require(&plan) else { panic!() };
        assert_eq!(shown.total(), 11);
        assert!(budget.require(&MemoryPlan::new().with(Purpose::Index, 10)).is_ok());
    }

    #[test]
    fn shrinking_gives_back() {
        let budget = MemoryBudget::new(10);
        let mut held = budget.reserve(10, Purpose::SortSpace).unwrap();
        held.shrink_to(4);
        assert_eq!((budget.available(), held.bytes()), (6, 4));
        held.shrink_to(5);
        held.grow_to(3).unwrap();
        assert_eq!((budget.available(), held.bytes()), (6, 4));
        held.grow_to(7).unwrap();
        assert_eq!((budget.available(), held.bytes()), (3, 7));
        drop(held);
        assert_eq!((budget.available(), budget.limit()), (10, 10));
    }
}
