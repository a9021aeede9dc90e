//! Part of a budget that can move to another budget, for memory that outlives one piece of work.

use super::budget::MemoryBudget;
use crate::Result;
use std::ops::Deref;

/// Part of a budget: its reservations also count in the whole, and move to another budget together.
#[derive(Debug)]
pub struct BudgetPart(MemoryBudget);

impl BudgetPart {
    /// Creates a part of `whole` without reservations.
    pub fn of(whole: &MemoryBudget) -> Self {
        Self(MemoryBudget::with_whole(whole.limit(), Some(whole.clone())))
    }

    /// Returns the bytes reserved in this part.
    pub fn bytes(&self) -> u64 {
        self.0.reserved().total()
    }

    /// Moves the reservations of this part to `other`. No other thread may use the part meanwhile.
    ///
    /// # Errors
    ///
    /// Returns [`crate::Error::BudgetTooSmall`]; the reservations are then unchanged.
    pub fn move_to(&self, other: &MemoryBudget) -> Result<()> {
        let Some(mut whole) = self.0.whole() else { return Ok(()) };
        let held = self.0.reserved();
        other.require(&held)?;
        for (moved, need) in held.needs().iter().enumerate() {
            if let Err(error) = other.take(need.bytes, need.purpose) {
                held.needs().iter().take(moved).for_each(|need| other.give_back(need.bytes, need.purpose));
                return Err(error);
            }
        }
        held.needs().iter().for_each(|need| whole.give_back(need.bytes, need.purpose));
        *whole = other.clone();
        Ok(())
    }
}

impl Deref for BudgetPart {
    type Target = MemoryBudget;

    fn deref(&self) -> &MemoryBudget {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Error, MemoryPlan, Purpose, Reclaim, Reservation};
    use std::sync::{Arc, Mutex, Weak};

    /// Holds a reservation until it is reclaimed.
    struct Kept(Mutex<Option<Reservation>>);

    impl Reclaim for Kept {
        fn reclaimable_bytes(&self) -> u64 {
            self.0.lock().unwrap().as_ref().map_or(0, Reservation::bytes)
        }

        fn reclaim(&self) {
            *self.0.lock().unwrap() = None;
        }
    }

    fn kept(held: Reservation, budget: &MemoryBudget) -> Arc<Kept> {
        let kept = Arc::new(Kept(Mutex::new(Some(held))));
        let weak: Weak<Kept> = Arc::downgrade(&kept);
        budget.reclaim_from(weak);
        kept
    }

    #[test]
    fn a_part_counts_in_one_whole_after_the_other() {
        let (first, second) = (MemoryBudget::new(100), MemoryBudget::new(100));
        let part = BudgetPart::of(&first);
        let held = part.reserve(60, Purpose::Index).unwrap();
        let more = part.reserve(20, Purpose::PageCache).unwrap();
        assert!(matches!(part.reserve(21, Purpose::Index), Err(Error::BudgetTooSmall { .. })));
        assert_eq!((first.available(), part.available(), part.bytes()), (20, 20, 80));
        part.move_to(&second).unwrap();
        assert_eq!((first.available(), second.available(), part.available()), (100, 20, 20));
        assert_eq!(second.peak_by_purpose().total(), 80);
        drop(more);
        assert_eq!((second.available(), part.bytes()), (40, 60));
        let _others = first.reserve(50, Purpose::Index).unwrap();
        assert!(part.move_to(&first).is_err());
        assert_eq!((first.available(), second.available()), (50, 40));
        drop(held);
        assert_eq!((first.available(), second.available(), part.bytes()), (50, 100, 0));
    }

    #[test]
    fn what_is_kept_is_given_back_before_anything_is_refused() {
        let budget = MemoryBudget::new(100);
        let shelf = kept(budget.reserve(80, Purpose::PageCache).unwrap(), &budget);
        let small = budget.reserve(20, Purpose::Index).unwrap();
        assert_eq!((shelf.reclaimable_bytes(), budget.available()), (80, 80));
        let large = budget.reserve(70, Purpose::Index).unwrap();
        assert_eq!((shelf.reclaimable_bytes(), budget.available(), budget.peak()), (0, 10, 100));
        assert!(budget.reserve(11, Purpose::Index).is_err());
        drop((small, large));
        let shelf = kept(budget.reserve(80, Purpose::PageCache).unwrap(), &budget);
        budget.require(&MemoryPlan::new().with(Purpose::Index, 20)).unwrap();
        assert_eq!(shelf.reclaimable_bytes(), 80);
        budget.require(&MemoryPlan::new().with(Purpose::Index, 100)).unwrap();
        assert_eq!(shelf.reclaimable_bytes(), 0);
        let Err(Error::BudgetTooSmall { plan, .. }) = budget.require(&MemoryPlan::new().with(Purpose::Index, 101))
        else {
            panic!()
        };
        assert_eq!(plan.total(), 101);
    }

    #[test]
    fn a_refused_reservation_names_nothing_that_was_kept() {
        let budget = MemoryBudget::new(100);
        let _shelf = kept(budget.reserve(80, Purpose::PageCache).unwrap(), &budget);
        let Err(Error::BudgetTooSmall { plan, .. }) = budget.reserve(101, Purpose::Index) else { panic!() };
        assert_eq!(plan.total(), 0);
    }

    #[test]
    fn all_threads_that_run_short_get_what_is_given_back() {
        for _ in 0..200 {
            let budget = MemoryBudget::new(100);
            let _shelf = kept(budget.reserve(100, Purpose::PageCache).unwrap(), &budget);
            std::thread::scope(|scope| {
                let take = || budget.reserve(25, Purpose::Index).unwrap();
                let threads: Vec<_> = (0..4).map(|_| scope.spawn(take)).collect();
                let held: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
                assert_eq!((held.len(), budget.available()), (4, 0));
            });
        }
    }

    #[test]
    fn a_reservation_grows_where_there_is_room() {
        let budget = MemoryBudget::new(100);
        let mut held = budget.reserve(10, Purpose::IoBuffers).unwrap();
        held.grow_to(60).unwrap();
        assert_eq!((held.bytes(), budget.available()), (60, 40));
        held.grow_to(5).unwrap();
        assert!(held.grow_to(101).is_err());
        assert_eq!((held.bytes(), budget.available()), (60, 40));
    }
}
