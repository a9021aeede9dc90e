//! Programs of one's own in the model of values on edges.

use crate::graph::Graph;
use crate::own::OwnResult;
use crate::request::{ArrivingEdges, GasChoices, ValuePlace};
use crate::result::{TableSource, by_rank};
use crate::run::{GasWork, gas_needs};
use outcrop_algorithms::{Column, Values};
use outcrop_engine::gas::{Along, GasDemand, GasProgram};
use outcrop_engine::interval::Storage;
use outcrop_engine::messages::Plain;
use outcrop_types::{MemoryBudget, Result, VertexId};

/// Along which edges a [`GasProgram`] goes, what it looks at and when it ends.
pub struct GasRun<'r, V, T> {
    /// The name of the column of the result.
    pub column: &'r str,
    /// The part of the last value of a vertex that is the result.
    pub result: &'r (dyn Fn(V) -> T + Sync),
    /// Along which edges values go.
    pub along: Along,
    /// Whether the program looks at weights; every edge counts 1 in a graph without.
    pub weights: bool,
    /// Whether the program looks at out-degrees.
    pub degrees: bool,
    /// The most iterations; fewer where nothing changes any more.
    pub at_most: u32,
    /// Where the values of vertices are kept.
    pub values: ValuePlace,
    /// How edges are brought into memory. A program without an aggregation function runs on static shards alone, which have to be asked
    /// for.
    pub gas: GasChoices,
    /// Edges that come while the program runs, where it takes some.
    pub arrivals: Option<&'r ArrivingEdges>,
}

impl<V: Plain, T: Plain> GasRun<'_, V, T> {
    /// What a run of `P` on `graph` asks for.
    fn work<P: GasProgram<Value = V>>(&self, graph: &Graph, on_disk: bool) -> GasWork {
        let weighted = self.weights && graph.store.manifest().weighted;
        let demand = GasDemand::of::<P>(graph.num_vertices(), on_disk, self.along);
        GasWork {
            needs: gas_needs(self.along),
            demand: GasDemand { weighted, degrees: self.degrees, ..demand },
            options: self.gas.options(false),
            result_bytes: size_of::<T>() as u64,
            vector_bytes: 0,
            beside: 0,
        }
    }
}

impl Graph {
    /// Gathers, applies and scatters by `program`, iteration after iteration, until no edge has anything new; `examples/widest_paths.rs`
    /// does.
    ///
    /// # Errors
    /// A budget that does not hold the program, a full disk, a damaged store; a program without an aggregation function on dynamic
    /// shards.
    pub fn run_gas_program<P, T>(&self, program: &P, run: &GasRun<'_, P::Value, T>) -> Result<OwnResult>
    where
        P: GasProgram,
        T: Plain,
        Values: From<Storage<T>>,
    {
        let budget = MemoryBudget::new(self.memory);
        let (work, plan) = self.place_gas(run.values, |on_disk| run.work::<P>(self, on_disk));
        budget.require(&plan)?;
        let spill = self.gas_folder(&work)?;
        let mut shards = self.open_shards(&work, &spill, (&budget, &*self.observer))?;
        self.tell_notes();
        let arrivals = self.arrivals(run.arrivals, run.along, &budget)?;
        let engine = self.gas_engine(&work, (&mut shards, &arrivals), &spill, (&budget, &*self.observer))?;
        let ran = engine.run(program, run.at_most)?;
        let result = engine.project(&ran.values, run.result)?;
        drop((engine, ran));
        drop(shards);
        let source = TableSource::new(self, budget);
        let columns = vec![Column::new(run.column.to_owned(), Values::from(result))];
        Ok(OwnResult::new(by_rank(columns, &source)?.0, source))
    }

    /// The vertices with these original ids, for programs of one's own that begin at some.
    ///
    /// # Errors
    /// An id that the graph does not have; a damaged store.
    pub fn vertices_of(&self, ids: &[String]) -> Result<Vec<VertexId>> {
        self.find_all(ids, &MemoryBudget::new(self.memory))
    }
}
