//! The edge-map model.

use super::context::{Finished, ModelRun, Reading, RunContext};
use super::model::Planned;
use super::named_vertices::NamedVertices;
use super::purposes::{bytes_of, with_some};
use crate::lists::{self, cache_bytes_for_all};
use crate::memory_size::CacheSize;
use crate::result::StepRows;
use outcrop_algorithms::{Batch, EdgeMapDriver, EdgeMapWork, InMemoryListBytes, Session, VertexVector};
use outcrop_engine::Engine;
use outcrop_io::SpillFolder;
use outcrop_types::{MemoryPlan, Purpose, Result};

/// Numbers of concurrent sources to try, best first.
const BATCHES: [u32; 4] = [16, 8, 4, 2];

/// Memory beyond the minimum of a run, in bytes.
struct Room {
    /// Total budget.
    budget: u64,
    /// Memory that the plan leaves.
    rest: u64,
    /// I/O buffers in the plan.
    buffers: u64,
    page_cache: CacheSize,
    /// Maximum memory for caching all lists.
    lists: u64,
}

impl Room {
    /// Returns the memory for a batch: a quarter of what the plan leaves, with the rest for the page cache, or more if
    /// all lists are cached anyway. With a page cache of a fixed size, everything it leaves.
    ///
    /// If the page cache takes the rest, I/O buffers count as free although a batch must fit in addition to them.
    /// Except in tight budgets, the choice, and with it the rounding of sums, then does not depend on the number of
    /// threads.
    fn for_batch(&self) -> u64 {
        let left = self.rest.saturating_add(self.buffers);
        let share = (left / 4).max(left.saturating_sub(self.lists)).min(self.rest);
        self.page_cache.leaves(self.budget, self.rest).unwrap_or(share)
    }
}

impl ModelRun for Planned<'_, EdgeMapWork, EdgeMapDriver> {
    fn memory(&self) -> Result<MemoryPlan> {
        let plan = with_some(self.work.memory.clone(), Purpose::HeldLists, self.work.held.least);
        let plan = self.with_lists(plan);
        Ok(match self.needs.frontiers {
            true => plan.with(Purpose::Frontier, Engine::frontier_bytes(self.graph.num_vertices())),
            false => plan,
        })
    }

    fn useful_memory(&self, _caches: u64) -> u64 {
        0
    }

    fn temporary_bytes(&self) -> u64 {
        self.work.temporary_bytes
    }

    /// Returns the folder. How much space a run needs of the maximum is known only during the run.
    fn spill_folder(&self) -> Result<Option<SpillFolder>> {
        (self.work.temporary_bytes > 0).then(|| self.folder_with_room(0)).transpose()
    }

    fn execute(
        &self,
        run: &RunContext<'_>,
        named: &NamedVertices,
        vector: Option<VertexVector>,
    ) -> Result<(Finished, Reading)> {
        let plan = &run.choice.plan;
        let batch = self.work.batch.map(|batch| self.batch(&batch, plan));
        let at_once = batch.unwrap_or(1);
        let rest = run.graph.memory.saturating_sub(plan.total());
        let growth = run.choice.growth_within(run.graph, rest);
        let beside = |rest| self.extra_list_bytes(rest) + self.batch_bytes(at_once) + growth;
        run.on_lists(vector, beside, |opened, ranks, vector| {
            let (out, into) = lists::sides(opened, self.needs);
            let RunContext { graph, budget, observer, .. } = *run;
            let engine = Engine::new(graph.num_vertices(), out, into, &graph.workers, budget, observer)
                .scheduled_by(run.scheduler()?);
            let held = self.work.held.least + self.extra_list_bytes(rest);
            let base = run.session(ranks, named, vector);
            let session = Session { lists: [out, into], held, batch: at_once, growth, ..base };
            let (mut outcome, seconds) = run.compute(&engine, || (self.driver)(&engine, session))?;
            let seconds_scheduling = engine.seconds_scheduling();
            let several = outcome.paths.take().map(StepRows::of_paths);
            let rows = outcome.path.take().map(StepRows::of_path).or(several);
            Ok(Finished { seconds_scheduling, batch, rows, ..Finished::new(outcome, seconds, engine.figures()) })
        })
    }
}

impl Planned<'_, EdgeMapWork, EdgeMapDriver> {
    /// Returns the part of the remaining `rest` bytes for cached lists: half, or nearly all if they save passes.
    fn extra_list_bytes(&self, rest: u64) -> u64 {
        let InMemoryListBytes { least, most } = self.work.held;
        let share = if self.work.passes { rest / 16 * 15 } else { rest / 2 };
        let free = self.graph.page_cache.leaves(self.graph.memory, rest).unwrap_or(share);
        free.min(most.saturating_sub(least))
    }

    /// Returns the number of concurrent sources: the requested number, or the maximum that fits in the memory that
    /// `plan` leaves.
    fn batch(&self, batch: &Batch, plan: &MemoryPlan) -> u32 {
        if let Some(asked) = batch.requested {
            return asked.min(batch.sources).max(1);
        }
        let graph = self.graph;
        let lists = graph.directions(self.needs).into_iter().map(|direction| cache_bytes_for_all(graph, direction));
        let room = Room {
            budget: graph.memory,
            rest: graph.memory.saturating_sub(plan.total()),
            buffers: bytes_of(plan, Purpose::IoBuffers),
            page_cache: graph.page_cache,
            lists: lists.sum(),
        };
        let fits = |count: &u32| self.bytes_beyond_one(batch, *count) <= room.for_batch();
        BATCHES.into_iter().map(|count| count.min(batch.sources)).find(fits).unwrap_or(1).max(1)
    }

    /// Returns the memory for `count` concurrent sources beyond the plan, in bytes; 0 if that number was requested.
    fn batch_bytes(&self, count: u32) -> u64 {
        let chosen = self.work.batch.filter(|batch| batch.requested.is_none());
        chosen.map_or(0, |batch| self.bytes_beyond_one(&batch, count))
    }

    fn bytes_beyond_one(&self, batch: &Batch, count: u32) -> u64 {
        let bytes = |count| (batch.bytes)(self.graph.num_vertices(), count);
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
