//! The model of maps over edges: who gets which memory beside lists.

use crate::graph::Graph;
use crate::lists::{self, cache_bytes_for_all};
use crate::memory_size::CacheSize;
use outcrop_algorithms::{Batch, EdgeMapWork, HeldBytes, Needs};
use outcrop_engine::Engine;
use outcrop_types::{MemoryPlan, Purpose};

/// Numbers of sources to try to search from at once, best first.
const BATCHES: [u32; 4] = [16, 8, 4, 2];

/// Memory beyond what a run needs, in bytes.
struct Room {
    /// The whole budget.
    budget: u64,
    /// Memory that the plan leaves.
    rest: u64,
    /// Memory that the plan has for I/O.
    buffers: u64,
    page_cache: CacheSize,
    /// Memory that holding all lists takes, at the most.
    lists: u64,
}

impl Room {
    /// Memory that a batch may take: a quarter of what the plan leaves, the rest being for the page cache, or more where all lists are held
    /// all the same; all that a page cache of a given size leaves.
    ///
    /// Beside a page cache of the rest, I/O buffers count as left, though a batch must fit beside them: in all but tight budgets
    /// the choice, and with it how sums are rounded, does not depend on the number of threads.
    fn for_batch(&self) -> u64 {
        let left = self.rest.saturating_add(self.buffers);
        match self.page_cache {
            CacheSize::Rest => (left / 4).max(left.saturating_sub(self.lists)).min(self.rest),
            size => self.rest.saturating_sub(size.bytes(self.budget, self.rest)),
        }
    }
}

impl Graph {
    /// Memory that a run reserves at the least, lists included.
    pub(super) fn plan_edge_map(&self, work: &EdgeMapWork, needs: Needs) -> MemoryPlan {
        let held = work.held.least;
        let plan = if held > 0 { work.memory.clone().with(Purpose::HeldLists, held) } else { work.memory.clone() };
        let plan = self.directions(needs).into_iter().fold(plan, |plan, d| plan.and(&lists::memory(self, d)));
        match needs.frontiers {
            true => plan.with(Purpose::Frontier, Engine::frontier_bytes(self.num_vertices())),
            false => plan,
        }
    }

    /// Memory that held lists take of the `rest` bytes that a plan leaves.
    pub(super) fn held_beyond_least(&self, work: &EdgeMapWork, rest: u64) -> u64 {
        let HeldBytes { least, most } = work.held;
        let free = match self.page_cache {
            CacheSize::Rest => rest / 2,
            cache => rest.saturating_sub(cache.bytes(self.memory, rest)),
        };
        free.min(most.saturating_sub(least))
    }

    /// Number of sources searched from at once: as many as are asked for, else the most that fit into what `plan` leaves for them.
    pub(super) fn batch(&self, batch: &Batch, needs: Needs, plan: &MemoryPlan) -> u32 {
        if let Some(asked) = batch.asked {
            return asked.min(batch.sources).max(1);
        }
        let buffers = plan.needs().iter().filter(|need| need.purpose == Purpose::IoBuffers).map(|need| need.bytes);
        let lists = self.directions(needs).into_iter().map(|direction| cache_bytes_for_all(self, direction));
        let room = Room {
            budget: self.memory,
            rest: self.memory.saturating_sub(plan.total()),
            buffers: buffers.sum(),
            page_cache: self.page_cache,
            lists: lists.sum(),
        };
        let fits = |count: &u32| self.bytes_beyond_one(batch, *count) <= room.for_batch();
        BATCHES.into_iter().map(|count| count.min(batch.sources)).find(fits).unwrap_or(1).max(1)
    }

    /// Memory that searching from `count` sources at once takes beyond the plan, in bytes, where so many were not asked for.
    pub(super) fn batch_bytes(&self, work: &EdgeMapWork, count: u32) -> u64 {
        work.batch.filter(|batch| batch.asked.is_none()).map_or(0, |batch| self.bytes_beyond_one(&batch, count))
    }

    fn bytes_beyond_one(&self, batch: &Batch, count: u32) -> u64 {
        let bytes = |count| (batch.bytes)(self.num_vertices(), count);
        bytes(count).saturating_sub(bytes(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_gets_a_quarter_of_the_rest_or_what_the_lists_or_the_page_cache_that_is_asked_for_leave() {
        let of = |rest, buffers, page_cache| Room { budget: 2000, rest, buffers, page_cache, lists: 1000 }.for_batch();
        assert_eq!(of(800, 100, CacheSize::Rest), 225);
        assert_eq!((of(50, 850, CacheSize::Rest), of(0, 900, CacheSize::Rest)), (50, 0));
        assert_eq!((of(1000, 0, CacheSize::Rest), of(1700, 100, CacheSize::Rest)), (250, 800));
        assert_eq!(of(300, 1700, CacheSize::Rest), 300);
        assert_eq!((of(800, 100, CacheSize::Bytes(0)), of(800, 100, CacheSize::Bytes(300))), (800, 500));
        assert_eq!((of(400, 100, CacheSize::Bytes(500)), of(800, 0, CacheSize::Percent(20.0))), (0, 400));
    }
}
