//! The interval model (LOSC): engine requirements, division of memory, and location of values on disk.

use super::context::{Finished, ModelRun, Reading, RunContext};
use super::model::Planned;
use super::named_vertices::NamedVertices;
use super::purposes::{bytes_of, positive, with_some};
use crate::lists;
use crate::memory_size::CacheSize;
use outcrop_algorithms::models::IntervalWork;
use outcrop_algorithms::{IntervalDriver, VertexVector};
use outcrop_engine::interval::{Constructs, IntervalEngine, IntervalSetup};
use outcrop_io::SpillFolder;
use outcrop_store::layout::StoredLists;
use outcrop_types::{Direction, MemoryPlan, Purpose, Result};

/// Total memory of the largest windows of values on disk, in bytes.
const LARGEST_WINDOWS: u64 = 16 << 20;

impl ModelRun for Planned<'_, IntervalWork, IntervalDriver> {
    fn memory(&self) -> Result<MemoryPlan> {
        let least = positive(&self.work.requirements.least());
        let plan = if self.on_disk { least } else { least.with(Purpose::VertexValues, self.vectors()) };
        let plan = self.with_degrees(self.with_lists(plan), |direction| self.reads_degrees(direction));
        let constructed = [Direction::Out, Direction::In].into_iter().filter(|direction| self.constructs(*direction));
        let longest = constructed.map(|direction| self.longest_list(direction)).collect::<Result<Vec<_>>>()?;
        if longest.is_empty() {
            return Ok(plan);
        }
        let held = bytes_of(&plan, Purpose::HeldLists);
        let more = self.work.requirements.one_vertex_bytes(&longest).saturating_sub(held);
        Ok(with_some(plan, Purpose::HeldLists, more))
    }

    fn useful_memory(&self, _caches: u64) -> u64 {
        0
    }

    fn temporary_bytes(&self) -> u64 {
        self.value_room(self.vectors(), self.work.requirements.value_bytes)
    }

    fn spill_folder(&self) -> Result<Option<SpillFolder>> {
        self.on_disk.then(|| self.folder_with_room(self.temporary_bytes())).transpose()
    }

    fn execute(
        &self,
        run: &RunContext<'_>,
        named: &NamedVertices,
        vector: Option<VertexVector>,
    ) -> Result<(Finished, Reading)> {
        run.on_lists(
            vector,
            |rest| self.constructed_bytes(rest),
            |lists, ranks, vector| {
                let unmade = self.vectors() - vector.as_ref().map_or(0, VertexVector::bytes);
                let engine = self.engine(run, lists, unmade)?;
                let (outcome, seconds) =
                    run.compute(&engine, || (self.driver)(&engine, run.session(ranks, named, vector)))?;
                let (seconds_scheduling, value_traffic) = (engine.seconds_scheduling(), engine.value_traffic());
                Ok(Finished { seconds_scheduling, value_traffic, ..Finished::new(outcome, seconds, engine.figures()) })
            },
        )
    }
}

impl Planned<'_, IntervalWork, IntervalDriver> {
    /// Returns the bytes of all simultaneous vectors of values.
    fn vectors(&self) -> u64 {
        u64::from(self.work.requirements.vertices) * self.work.value_bytes
    }

    /// Returns true if lists of `direction` are constructed.
    fn constructs(&self, direction: Direction) -> bool {
        match self.work.requirements.constructs {
            Constructs::Nothing => false,
            Constructs::One(one) => one == direction,
            Constructs::Both => self.graph.store.manifest().graph.directed || direction == Direction::Out,
        }
    }

    /// Returns true if the engine reads the degrees of `direction`.
    fn reads_degrees(&self, direction: Direction) -> bool {
        self.constructs(direction) || (self.work.requirements.degrees && direction == Direction::Out)
    }

    /// Returns the part of the `rest` bytes beyond the plan that the engine gets for constructed lists. The page cache
    /// gets the remainder.
    ///
    /// With values on disk, each interval reads all source values: twice as many edges in memory halve these reads,
    /// while a page cache saves at most its own size. With values in memory, reading values is free, and most programs
    /// construct no lists.
    fn constructed_bytes(&self, rest: u64) -> u64 {
        let (requirements, graph) = (&self.work.requirements, self.graph);
        let entry = if requirements.weighted { 12 } else { 4 };
        let vertices = u64::from(graph.num_vertices()) * (requirements.copy_bytes + 24);
        let everything = self.arcs().saturating_mul(entry).saturating_add(vertices).saturating_add(LARGEST_WINDOWS);
        let share = match (self.on_disk, requirements.constructs, graph.page_cache) {
            (false, Constructs::Nothing, _) => 0,
            (false, _, CacheSize::Rest) => rest / 2,
            _ => graph.page_cache.leaves(graph.memory, rest).unwrap_or(rest),
        };
        share.min(everything)
    }

    /// Creates an engine over open lists with the remaining budget, of which `unmade` bytes for values are not reserved
    /// yet.
    fn engine<'s>(&self, run: &'s RunContext<'_>, lists: &'s [StoredLists], unmade: u64) -> Result<IntervalEngine<'s>> {
        let RunContext { graph, budget, observer, .. } = *run;
        let degrees = self.degrees(budget, |direction| self.reads_degrees(direction))?;
        // The engine itself reserves this part of its minimum, whatever memory it gets for lists.
        let least = self.work.requirements.least();
        let beside_lists = least.total() - bytes_of(&least, Purpose::HeldLists);
        let beside = if self.on_disk { 0 } else { unmade + beside_lists };
        let (out, into) = lists::sides(lists, self.needs);
        let setup = IntervalSetup {
            out,
            into,
            degrees,
            requirements: self.work.requirements,
            memory: budget.available().saturating_sub(beside),
            spill: run.spill.as_ref(),
            workers: &graph.workers,
            budget,
            observer,
        };
        Ok(IntervalEngine::new(setup)?.scheduled_by(run.scheduler()?))
    }
}
