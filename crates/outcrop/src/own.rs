//! Algorithms of one's own.

use crate::graph::Graph;
use crate::lists::{self, Reads};
use crate::result::{ResultTable, TableSource, by_rank};
use outcrop_algorithms::Column;
use outcrop_algorithms::registry::Needs;
use outcrop_engine::Engine;
use outcrop_engine::schedule::Scheduler;
use outcrop_store::OriginalIdReader;
use outcrop_store::layout::StoredLists;
use outcrop_store::layout::compact::IndexResidence;
use outcrop_types::{Error, MemoryBudget, MemoryPlan, Purpose, Result, VertexId};

/// An algorithm of one's own, over any layout; `examples/popularity.rs` is one.
pub trait OwnAlgorithm {
    /// What it reads. Ranks are not loaded.
    fn needs(&self) -> Needs;

    /// Memory that it reserves itself, over so many vertices, without lists and frontiers.
    fn memory(&self, vertices: u32) -> MemoryPlan;

    /// Original ids whose vertices it wants to know; none.
    fn ids(&self) -> Vec<String> {
        Vec::new()
    }

    /// Computes the columns of the result: values by vertex. `vertices` are those of [`OwnAlgorithm::ids`].
    ///
    /// # Errors
    /// What the engine's maps return, or its own.
    fn run(&self, engine: &Engine<'_>, vertices: &[VertexId]) -> Result<Vec<Column>>;
}

/// What an algorithm of one's own gave.
pub struct OwnResult {
    columns: Vec<Column>,
    source: TableSource,
}

impl OwnResult {
    pub(crate) const fn new(columns: Vec<Column>, source: TableSource) -> Self {
        Self { columns, source }
    }

    /// The values, with the user's own ids.
    pub fn table(&self) -> ResultTable<'_> {
        ResultTable::new(&self.columns, &self.source)
    }
}

impl Graph {
    /// Runs an algorithm of one's own within the graph's budget.
    ///
    /// # Errors
    /// A budget that does not hold what the algorithm says that it needs; an id that the graph does not have; a damaged store; what
    /// the algorithm returns.
    pub fn run_own(&self, algorithm: &impl OwnAlgorithm) -> Result<OwnResult> {
        let (budget, needs) = (MemoryBudget::new(self.memory), algorithm.needs());
        let plan = self.plan_own(algorithm);
        budget.require(&plan)?;
        let vertices = self.find_all(&algorithm.ids(), &budget)?;
        let reads = Reads { needs, follows_frontiers: false, index: IndexResidence::Resident };
        let lists = self.open_lists(reads, &plan, plan.total(), &budget, &*self.observer)?;
        self.tell_notes();
        let columns = self.run_over(algorithm, &lists, &vertices, &budget)?;
        drop(lists);
        let source = TableSource::new(self, budget);
        Ok(OwnResult::new(by_rank(columns, &source)?.0, source))
    }

    fn run_over(
        &self,
        algorithm: &impl OwnAlgorithm,
        lists: &[StoredLists],
        vertices: &[VertexId],
        budget: &MemoryBudget,
    ) -> Result<Vec<Column>> {
        let needs = algorithm.needs();
        let (out, into) = lists::sides(lists, needs);
        let engine = Engine::new(self.num_vertices(), out, into, &self.workers, budget, &*self.observer)
            .scheduled_by(Scheduler { bandwidths: self.bandwidths()?, ..Scheduler::default() });
        algorithm.run(&engine, vertices)
    }

    fn plan_own(&self, algorithm: &impl OwnAlgorithm) -> MemoryPlan {
        let (vertices, needs) = (self.num_vertices(), algorithm.needs());
        let mut plan = algorithm.memory(vertices).with(Purpose::Results, crate::result::BATCH_MEMORY);
        for direction in self.directions(needs) {
            plan = plan.and(&lists::memory(self, direction));
        }
        if needs.frontiers {
            plan = plan.with(Purpose::Frontier, Engine::frontier_bytes(vertices));
        }
        plan
    }

    pub(crate) fn find_all(&self, ids: &[String], budget: &MemoryBudget) -> Result<Vec<VertexId>> {
        let _readers = budget.reserve(OriginalIdReader::MEMORY_BYTES, Purpose::IoBuffers)?;
        let mut reader = OriginalIdReader::open(&self.store, self.io)?;
        let missing = |id: &str| Error::Usage(format!("the graph has no vertex {id:?}"));
        ids.iter().map(|id| reader.find(id)?.ok_or_else(|| missing(id))).collect()
    }
}
