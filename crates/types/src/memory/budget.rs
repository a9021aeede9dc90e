//! Memory budget, from which all memory that grows with the graph is reserved.

use super::plan::{MemoryNeed, MemoryPlan, Purpose};
use super::reclaim::{Reclaim, Reclaimable};
use super::system::ask;
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
    /// Budget that a part also counts in; `None` unless this is a part.
    whole: Option<Mutex<MemoryBudget>>,
    reclaimable: Reclaimable,
}

/// A number of bytes that is never exceeded. Clones share one ledger.
#[derive(Clone, Debug)]
pub struct MemoryBudget(Arc<Ledger>);

impl MemoryBudget {
    /// A budget of `limit` bytes, nothing reserved yet.
    pub fn new(limit: u64) -> Self {
        Self::with_whole(limit, None)
    }

    /// Creates a budget that also counts in `whole`, if given.
    pub(super) fn with_whole(limit: u64, whole: Option<Self>) -> Self {
        let (total, by_purpose) = (Usage::default(), Default::default());
        let (whole, reclaimable) = (whole.map(Mutex::new), Reclaimable::default());
        Self(Arc::new(Ledger { limit, total, by_purpose, whole, reclaimable }))
    }

    /// The budget in bytes.
    pub fn limit(&self) -> u64 {
        self.0.limit
    }

    /// Bytes that are free or reclaimable ([`MemoryBudget::reclaim_from`]).
    pub fn available(&self) -> u64 {
        if let Some(whole) = self.whole() {
            return whole.available();
        }
        let kept = self.0.reclaimable.bytes();
        self.0.limit.saturating_sub(self.0.total.now.load(Relaxed).saturating_sub(kept))
    }

    /// Takes `bytes`, which are allocated next, until the reservation is dropped.
    ///
    /// # Errors
    /// [`Error::BudgetTooSmall`] naming what holds the budget now; [`Error::OutOfMemory`] where the system does not
    /// have them.
    pub fn reserve(&self, bytes: u64, purpose: Purpose) -> Result<Reservation> {
        let held = self.reserve_growing(bytes, purpose)?;
        self.ask(bytes, purpose)?;
        Ok(held)
    }

    /// Takes `bytes`, up to which something may grow: the system is asked when it grows ([`super::make_room`]).
    ///
    /// # Errors
    /// [`Error::BudgetTooSmall`] naming what holds the budget now.
    pub fn reserve_growing(&self, bytes: u64, purpose: Purpose) -> Result<Reservation> {
        self.take(bytes, purpose)?;
        Ok(Reservation { budget: self.clone(), bytes, purpose })
    }

    /// Asks the system for `bytes`, again once what is kept was given back.
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

    /// Refuses work before it starts where `plan` does not fit what is free.
    ///
    /// # Errors
    /// [`Error::BudgetTooSmall`] with the exact minimum: what is reserved already plus the plan.
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

    /// The most that was ever reserved at once, in bytes.
    pub fn peak(&self) -> u64 {
        self.0.total.peak.load(Relaxed)
    }

    /// Peak memory per purpose, in bytes.
    pub fn peak_by_purpose(&self) -> MemoryPlan {
        self.figures(|usage| &usage.peak)
    }

    /// The bytes reserved now, by purpose.
    pub(super) fn reserved(&self) -> MemoryPlan {
        self.figures(|usage| &usage.now)
    }

    /// The budget that a part counts in, which stays the same until the guard is dropped; none for a budget that is no
    /// part.
    pub(super) fn whole(&self) -> Option<MutexGuard<'_, Self>> {
        self.0.whole.as_ref().map(|whole| whole.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Has `from` give back what it keeps of this budget before anything is refused. What it keeps counts as available.
    /// Until it is dropped, or another takes its place.
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
            // Another thread may have had it given back since.
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

    /// Takes `bytes` where they are free; how many were taken before.
    fn take_free(&self, bytes: u64) -> Option<u64> {
        let fits = |now: u64| now.checked_add(bytes).filter(|sum| *sum <= self.0.limit);
        self.0.total.now.fetch_update(Relaxed, Relaxed, fits).ok()
    }

    /// Ends what [`MemoryBudget::take`] began.
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

/// Bytes taken from a [`MemoryBudget`]; dropping it gives them back.
#[derive(Debug)]
pub struct Reservation {
    budget: MemoryBudget,
    bytes: u64,
    purpose: Purpose,
}

impl Reservation {
    /// Number of reserved bytes.
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
    /// As for [`MemoryBudget::reserve`]; the reservation is then unchanged.
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
        assert_eq!(budget.available(), 6);
    }
}
