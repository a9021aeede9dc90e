//! Programs of one's own in the interval model.

use crate::graph::Graph;
use crate::lists::{Lists, Reads};
use crate::own::OwnResult;
use crate::request::ValuePlace;
use crate::result::{TableSource, by_rank};
use crate::run::{IntervalWork, index_residence, with_results};
use outcrop_algorithms::registry::Needs;
use outcrop_algorithms::{Column, Values};
use outcrop_engine::interval::{Constructs, Demand, IntervalEngine, IntervalValues, Storage, VertexProgram};
use outcrop_engine::schedule::Schedule;
use outcrop_types::{MemoryBudget, MemoryPlan, Result, VertexId};

/// An algorithm of one's own in the interval model, over any layout, with values in memory or on disk.
pub trait OwnIntervalAlgorithm {
    /// What it reads.
    fn needs(&self) -> Needs;

    /// What it asks of the engine, over so many vertices.
    fn demand(&self, vertices: u32, on_disk: bool) -> Demand;

    /// Bytes a vertex of all [`IntervalValues`] that exist at once.
    fn value_bytes(&self) -> u64;

    /// Original ids whose vertices it wants to know; none.
    fn ids(&self) -> Vec<String> {
        Vec::new()
    }

    /// Computes the columns of the result: values by vertex. `vertices` are those of [`OwnIntervalAlgorithm::ids`].
    ///
    /// # Errors
    /// What the engine's operations return, or its own.
    fn run(&self, engine: &IntervalEngine<'_>, vertices: &[VertexId]) -> Result<Vec<Column>>;
}

/// Where a [`VertexProgram`] begins and when it ends.
pub struct VertexRun<'r, T> {
    /// The name of the values in the result.
    pub column: &'r str,
    /// The value that each vertex begins with.
    pub start: &'r (dyn Fn(VertexId) -> T + Sync),
    /// The most iterations; fewer where nothing changes any more.
    pub at_most: u32,
    /// Where values are kept.
    pub values: ValuePlace,
}

impl Graph {
    /// Updates every vertex by `program`, again and again until nothing changes; `examples/hubs.rs` does.
    ///
    /// # Errors
    /// As for [`Graph::run_own_intervals`].
    pub fn run_vertex_program<P: VertexProgram>(&self, program: &P, run: &VertexRun<'_, P::Value>) -> Result<OwnResult>
    where
        Values: From<Storage<P::Value>>,
    {
        let weighted = self.store.manifest().weighted;
        self.run_own_intervals(&WholeVertices { program, run, weighted }, run.values)
    }

    /// Runs an algorithm of one's own in the interval model within the graph's budget.
    ///
    /// # Errors
    /// A budget that does not hold what the algorithm says that it needs, no room on disk for its values, an id that the graph does not
    /// have, a damaged store; what the algorithm returns.
    pub fn run_own_intervals(&self, algorithm: &impl OwnIntervalAlgorithm, values: ValuePlace) -> Result<OwnResult> {
        let budget = MemoryBudget::new(self.memory);
        let (work, plan) = self.own_work(algorithm, values)?;
        budget.require(&plan)?;
        let spill = self.spill_folder(&work)?;
        let vertices = self.find_all(&algorithm.ids(), &budget)?;
        let lists = self.open_for_intervals(&work, &plan, &budget)?;
        self.tell_notes();
        let options = (Schedule::Auto, spill.as_ref());
        let engine = self.interval_engine((&work, work.vectors()), &lists, options, (&budget, &*self.observer))?;
        let columns = algorithm.run(&engine, &vertices)?;
        drop(engine);
        drop(lists);
        let source = TableSource::new(self, budget);
        Ok(OwnResult::new(by_rank(columns, &source)?.0, source))
    }

    /// With values in memory where that fits, or is asked for.
    fn own_work(
        &self,
        algorithm: &impl OwnIntervalAlgorithm,
        values: ValuePlace,
    ) -> Result<(IntervalWork, MemoryPlan)> {
        let planned = |on_disk| {
            let demand = algorithm.demand(self.num_vertices(), on_disk);
            let work = IntervalWork { needs: algorithm.needs(), demand, value_bytes: algorithm.value_bytes() };
            Ok((work, with_results(self.plan_intervals(&work)?)))
        };
        if values == ValuePlace::Disk {
            return planned(true);
        }
        let held: (IntervalWork, MemoryPlan) = planned(false)?;
        let fits = values == ValuePlace::Memory || held.1.total() <= self.memory;
        if fits { Ok(held) } else { planned(true) }
    }

    fn open_for_intervals(&self, work: &IntervalWork, plan: &MemoryPlan, budget: &MemoryBudget) -> Result<Lists> {
        let beside = self.constructed_bytes(work, budget.available().saturating_sub(plan.total()));
        let reads = Reads { needs: work.needs, follows_frontiers: false, index: index_residence(work.demand.on_disk) };
        self.open_lists(reads, plan, plan.total() + beside, budget, &*self.observer)
    }
}

struct WholeVertices<'r, P: VertexProgram> {
    program: &'r P,
    run: &'r VertexRun<'r, P::Value>,
    weighted: bool,
}

impl<P: VertexProgram> WholeVertices<'_, P> {
    const VALUE_BYTES: u64 = size_of::<P::Value>() as u64;
}

impl<P: VertexProgram> OwnIntervalAlgorithm for WholeVertices<'_, P>
where
    Values: From<Storage<P::Value>>,
{
    fn needs(&self) -> Needs {
        Needs { out_lists: true, in_lists: true, frontiers: false, ranks: false }
    }

    fn demand(&self, vertices: u32, on_disk: bool) -> Demand {
        Demand {
            vertices,
            on_disk,
            constructs: Constructs::Both,
            weighted: self.weighted,
            value_bytes: Self::VALUE_BYTES,
            copy_bytes: Self::VALUE_BYTES,
            beside: on_disk,
            active: true,
            degrees: false,
        }
    }

    fn value_bytes(&self) -> u64 {
        Self::VALUE_BYTES
    }

    fn run(&self, engine: &IntervalEngine<'_>, _: &[VertexId]) -> Result<Vec<Column>> {
        let mut values = IntervalValues::new(&engine.residence(), engine.vertices(), self.run.start)?;
        for _ in 0..self.run.at_most {
            let changed = engine.update(self.program, &mut values)?;
            engine.end_iteration(None);
            if changed.is_empty() {
                break;
            }
        }
        Ok(vec![Column::new(self.run.column.to_owned(), Values::from(values.into_storage()))])
    }
}
