//! How many sources of betweenness are searched from at once.

use crate::graph::Graph;
use crate::lists::cache_bytes_for_all;
use crate::memory_size::CacheSize;
use crate::request::RunRequest;
use outcrop_algorithms::registry::Model;
use outcrop_algorithms::{Algorithm, bc};
use outcrop_types::{MemoryPlan, Purpose};

/// What is tried, best first.
const BATCHES: [u32; 4] = [16, 8, 4, 2];

/// Memory beyond what a run needs, in bytes.
struct Room {
    /// The whole budget.
    budget: u64,
    /// What the plan leaves.
    rest: u64,
    /// What the plan has for I/O.
    buffers: u64,
    page_cache: CacheSize,
    /// What holding all lists takes, at the most.
    lists: u64,
}

impl Room {
    /// What a batch may take: a quarter of what the plan leaves, the rest being for the page cache, or more where all lists are held
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
    /// The batch that `request` asks for; else the largest that fits into what `plan` leaves for it.
    pub(super) fn batch(&self, request: &RunRequest, plan: &MemoryPlan) -> u32 {
        let sources = request.count_sources(self.num_vertices());
        if request.algorithm != Algorithm::Betweenness || request.batch.is_some() {
            return request.batch.unwrap_or(1).min(sources).max(1);
        }
        let buffers = plan.needs().iter().filter(|need| need.purpose == Purpose::IoBuffers).map(|need| need.bytes);
        let lists = self
            .directions(request.needs(Model::EdgeMap))
            .into_iter()
            .map(|direction| cache_bytes_for_all(self, direction));
        let room = Room {
            budget: self.memory,
            rest: self.memory.saturating_sub(plan.total()),
            buffers: buffers.sum(),
            page_cache: self.page_cache,
            lists: lists.sum(),
        };
        let fits = |batch: &u32| self.bytes_beyond_one(*batch) <= room.for_batch();
        BATCHES.into_iter().map(|batch| batch.min(sources)).find(fits).unwrap_or(1).max(1)
    }

    /// What a batch that was not asked for takes beyond the plan, in bytes.
    pub(super) fn batch_bytes(&self, request: &RunRequest, batch: u32) -> u64 {
        if request.batch.is_some() { 0 } else { self.bytes_beyond_one(batch) }
    }

    fn bytes_beyond_one(&self, batch: u32) -> u64 {
        let bytes = |batch| bc::memory(self.num_vertices(), batch).total();
        bytes(batch) - bytes(1)
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
