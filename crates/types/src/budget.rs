//! The memory budget: the only road to memory that grows with the graph.

mod part;

pub use part::{BudgetPart, Reclaim};

use crate::{Error, Result, memory};
use part::{Reclaimable, Whole};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Purpose of a piece of memory; shown to the user in refusals, estimates and run records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// One or more numbers a vertex, kept by an algorithm.
    VertexValues,
    /// Start of each vertex's list.
    Index,
    /// Degrees of all vertices.
    Degrees,
    /// Changes of lists that are not in the files of the lists yet.
    Updates,
    /// Sets of active vertices.
    Frontier,
    /// Lists that an algorithm holds to look at them together.
    HeldLists,
    /// Resident pages of the store.
    PageCache,
    /// Lists of pre-selected vertices, held beside the page cache.
    StaticCache,
    /// Buffers of reads and writes under way.
    IoBuffers,
    /// Space to sort in.
    SortSpace,
    /// Maps between the user's ids and vertices.
    IdMap,
    /// Parsed input that waits to be sorted.
    InputBuffers,
    /// Rows on their way into a result file or table.
    Results,
}

impl Purpose {
    /// All purposes, in the order in which they are shown.
    pub const ALL: [Self; 13] = [
        Self::VertexValues,
        Self::Index,
        Self::Degrees,
        Self::Updates,
        Self::Frontier,
        Self::HeldLists,
        Self::PageCache,
        Self::StaticCache,
        Self::IoBuffers,
        Self::SortSpace,
        Self::IdMap,
        Self::InputBuffers,
        Self::Results,
    ];

    /// The purpose in words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::VertexValues => "vertex values",
            Self::Index => "index",
            Self::Degrees => "degrees",
            Self::Updates => "updates",
            Self::Frontier => "frontier",
            Self::HeldLists => "held lists",
            Self::PageCache => "page cache",
            Self::StaticCache => "static cache",
            Self::IoBuffers => "I/O buffers",
            Self::SortSpace => "sort space",
            Self::IdMap => "id map",
            Self::InputBuffers => "input buffers",
            Self::Results => "results",
        }
    }

    const fn slot(self) -> usize {
        self as usize
    }
}

/// Bytes for one purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryNeed {
    /// Purpose of the bytes.
    pub purpose: Purpose,
    /// Number of bytes.
    pub bytes: u64,
}

/// Needs of a piece of work at its peak, by purpose: the same figures refuse a run, estimate it and describe it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MemoryPlan(Vec<MemoryNeed>);

impl MemoryPlan {
    /// A plan that needs nothing.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// The plan with `bytes` more for `purpose`.
    #[must_use]
    pub fn with(mut self, purpose: Purpose, bytes: u64) -> Self {
        match self.0.iter_mut().find(|need| need.purpose == purpose) {
            Some(need) => need.bytes = need.bytes.saturating_add(bytes),
            None => self.0.push(MemoryNeed { purpose, bytes }),
        }
        self
    }

    /// Both plans at once.
    #[must_use]
    pub fn and(self, other: &Self) -> Self {
        other.0.iter().fold(self, |plan, need| plan.with(need.purpose, need.bytes))
    }

    /// Bytes over all purposes.
    pub fn total(&self) -> u64 {
        self.0.iter().fold(0, |sum, need| sum.saturating_add(need.bytes))
    }

    /// The needs, in the order in which they were named.
    pub fn needs(&self) -> &[MemoryNeed] {
        &self.0
    }
}

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
    /// Of a part: the budget that it counts in.
    whole: Whole,
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

    fn with_whole(limit: u64, whole: Option<Self>) -> Self {
        let (total, by_purpose) = (Usage::default(), Default::default());
        let (whole, reclaimable) = (Whole::new(whole), Reclaimable::default());
        Self(Arc::new(Ledger { limit, total, by_purpose, whole, reclaimable }))
    }

    /// The budget in bytes.
    pub fn limit(&self) -> u64 {
        self.0.limit
    }

    /// Bytes that are not reserved, or would be given back ([`MemoryBudget::reclaim_from`]).
    pub fn available(&self) -> u64 {
        if let Some(whole) = self.0.whole.lock() {
            return whole.available();
        }
        let kept = self.0.reclaimable.bytes();
        self.0.limit.saturating_sub(self.0.total.now.load(Relaxed).saturating_sub(kept))
    }

    /// Takes `bytes`, which are allocated next, until the reservation is dropped.
    ///
    /// # Errors
    /// [`Error::BudgetTooSmall`] naming what holds the budget now; [`Error::OutOfMemory`] where the system does not have them.
    pub fn reserve(&self, bytes: u64, purpose: Purpose) -> Result<Reservation> {
        let held = self.reserve_growing(bytes, purpose)?;
        self.ask(bytes, purpose)?;
        Ok(held)
    }

    /// Takes `bytes`, up to which something may grow: the system is asked when it grows ([`memory::make_room`]).
    ///
    /// # Errors
    /// [`Error::BudgetTooSmall`] naming what holds the budget now.
    pub fn reserve_growing(&self, bytes: u64, purpose: Purpose) -> Result<Reservation> {
        self.take(bytes, purpose)?;
        Ok(Reservation { budget: self.clone(), bytes, purpose })
    }

    /// Asks the system for `bytes`, again once what is kept was given back.
    fn ask(&self, bytes: u64, purpose: Purpose) -> Result<()> {
        if let Some(whole) = self.0.whole.lock() {
            return whole.ask(bytes, purpose);
        }
        memory::ask(bytes, purpose).or_else(|refusal| match self.0.reclaimable.reclaim() {
            true => memory::ask(bytes, purpose),
            false => Err(refusal),
        })
    }

    fn refusal(&self, bytes: u64, purpose: Purpose) -> Error {
        let (plan, retry) = (self.figures(|usage| &usage.now), Some(MemoryNeed { purpose, bytes }));
        Error::BudgetTooSmall { budget: self.0.limit, plan, retry, hint: None }
    }

    /// Refuses work before it starts where `plan` does not fit what is free.
    ///
    /// # Errors
    /// [`Error::BudgetTooSmall`] with the exact minimum: what is reserved already plus the plan.
    pub fn require(&self, plan: &MemoryPlan) -> Result<()> {
        let with_plan = || self.figures(|usage| &usage.now).and(plan);
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

    /// The most that each purpose ever held, in bytes.
    pub fn peak_by_purpose(&self) -> MemoryPlan {
        self.figures(|usage| &usage.peak)
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
    /// Number of bytes that are held.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Gives back all but `bytes`; no effect where fewer are held.
    pub fn shrink_to(&mut self, bytes: u64) {
        let surplus = self.bytes.saturating_sub(bytes);
        self.release(surplus);
        self.bytes -= surplus;
    }

    /// Takes what is missing to `bytes`; no effect where more are held.
    ///
    /// # Errors
    /// As for [`MemoryBudget::reserve`]: then as many are held as before.
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
