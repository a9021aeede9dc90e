//! Opens shards: those of the store, or new ones written from lists.

use super::plan::{Gas, more_and_more};
use super::shards::{Expected, Open, OpenShards, ShardSource};
use crate::graph::Graph;
use crate::lists::{self, IndexParts, Reads};
use crate::memory_size::CacheSize;
use crate::run::context::{Reading, RunContext, index_residence};
use crate::run::model::Planned;
use outcrop_algorithms::{GasDriver, ListUse};
use outcrop_engine::DegreeSource;
use outcrop_gas::{Preparation, prepare_shards};
use outcrop_io::PageUse;
use outcrop_store::access::{AccessFigures, Adjacency};
use outcrop_store::layout::sliding::{PreparedShards, ShardPreparation, StoredShards};
use outcrop_store::layout::{DegreeReader, StoredLists};
use outcrop_types::{Error, Phase, ProgressUnit, Purpose, Result, Stopwatch};

impl Planned<'_, Gas, GasDriver> {
    /// Opens the shards of the edges that the program follows: those of the store, or new ones written from lists,
    /// which are then closed.
    ///
    /// # Errors
    /// Returns an error if the budget is too small for a block, if the disk is full, if a read fails or finds damage,
    /// or on interruption.
    pub(super) fn open_shards(&self, run: &RunContext<'_>) -> Result<OpenShards> {
        let RunContext { graph, budget, observer, .. } = *run;
        let expected = match self.shard_source() {
            ShardSource::Stored(_) => return open_stored(run),
            ShardSource::Prepared(expected) => expected,
        };
        let (watch, plan) = (Stopwatch::start(), self.plan_preparing(expected));
        let running = budget.available();
        // If the lists of an interval fit in memory, every list is read once: a page cache is useless, unless it was
        // requested.
        let rest = budget.available().saturating_sub(plan.total());
        let unheld = if graph.page_cache == CacheSize::Rest { budget.available() } else { budget.available() - rest };
        let index = IndexParts::all(index_residence(self.on_disk));
        let reads =
            Reads { needs: self.needs, follows_frontiers: false, list_use: ListUse::Few, weighted: false, index };
        let lists = graph.open_lists(&reads, &plan, unheld, budget, None, observer)?;
        let (shards, figures) = self.prepare(run, expected, &lists, running)?;
        let (shards, reading) = (Open::Prepared(shards), Reading::of(&lists));
        Ok(OpenShards { shards, figures, reading, seconds: watch.seconds() })
    }

    /// Writes shards with which the run fits in `running` bytes, with more intervals than expected if necessary.
    fn prepare(
        &self,
        run: &RunContext<'_>,
        mut expected: Expected,
        lists: &[StoredLists],
        running: u64,
    ) -> Result<(PreparedShards, AccessFigures)> {
        let RunContext { budget, observer, .. } = *run;
        let _readers = budget.reserve(2 * DegreeReader::MEMORY_BYTES, Purpose::IoBuffers)?;
        let degrees = self.degrees(budget, |_| true)?;
        observer.phase(&Phase { name: "writing shards", unit: ProgressUnit::Edges, total: None });
        expected.intervals = self.first_intervals(expected, running);
        let shards = loop {
            let written = self.write_shards(run, expected, lists, &degrees);
            let more = match &written {
                Ok(shards) => self.more_intervals(shards, expected.intervals, running),
                // A block could not be sorted.
                Err(Error::BudgetTooSmall { .. }) => {
                    more_and_more(expected.intervals, self.work.requirements.vertices).nth(1)
                }
                Err(_) => None,
            };
            match more {
                Some(intervals) => expected.intervals = intervals,
                None => break written?,
            }
            observer.phase(&Phase { name: "writing smaller shards", unit: ProgressUnit::Edges, total: None });
        };
        let read = lists.iter().map(|lists| lists.statistics().figures());
        Ok((shards, read.fold(AccessFigures::default(), |sum, one| sum + one)))
    }

    fn write_shards(
        &self,
        run: &RunContext<'_>,
        expected: Expected,
        lists: &[StoredLists],
        degrees: &DegreeSource<'_>,
    ) -> Result<PreparedShards> {
        let RunContext { graph, budget, .. } = *run;
        let beside = ShardPreparation::BUFFER_BYTES + PreparedShards::bytes(expected.intervals);
        let useful = expected.useful_sorting(self.work.requirements.vertices, graph.workers.slots());
        let (out, into) = lists::sides(lists, self.needs);
        prepare_shards(&Preparation {
            out,
            into,
            degrees,
            directed: graph.store.manifest().graph.directed,
            along: self.work.requirements.along,
            weights: expected.weights,
            intervals: Some(expected.intervals),
            memory: budget.available().saturating_sub(beside).min(useful),
            folder: run.spill()?,
            workers: &graph.workers,
            budget,
        })
    }
}

/// Opens the shards of the store.
fn open_stored(run: &RunContext<'_>) -> Result<OpenShards> {
    let Graph { store, io, workers, .. } = run.graph;
    let shards = StoredShards::open(store, *io, workers.threads(), run.budget, workers.cancellation())?;
    let reading = Reading { backend: Some(shards.backend()), pages: PageUse::default(), static_bytes: 0 };
    Ok(OpenShards { shards: Open::Stored(shards), figures: AccessFigures::default(), reading, seconds: 0.0 })
}
