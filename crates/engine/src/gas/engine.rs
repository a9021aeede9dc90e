//! The engine: what a run of a program works with.

use super::demand::{GasDemand, GasOptions};
use super::program::GasProgram;
use outcrop_io::SpillFolder;
use outcrop_store::access::{AccessFigures, Shards, Workers};
use outcrop_types::{GasFigures, MemoryBudget, MemoryPlan, Observer, Result, VertexValues};

/// What an engine works with.
pub struct GasSetup<'g> {
    /// The graph, along the edges that the demand names.
    pub shards: &'g dyn Shards,
    /// The out-degree of each vertex, where the demand asks for that.
    pub degrees: Option<VertexValues<u32>>,
    /// What is asked of the engine.
    pub demand: GasDemand,
    /// When dynamic shards are made.
    pub options: GasOptions,
    /// Where values of edges and dynamic shards go.
    pub spill: &'g SpillFolder,
    /// The threads.
    pub workers: &'g Workers,
    /// What pays for it all; what is left of it holds edges and their values in memory.
    pub budget: &'g MemoryBudget,
    /// Who is told of iterations.
    pub observer: &'g dyn Observer,
}

/// What came of a run.
#[derive(Debug)]
pub struct GasRan<V> {
    /// The value of each vertex.
    pub values: VertexValues<V>,
    /// Iterations, without shadow iterations and the one in which vertices began.
    pub iterations: u32,
}

/// Runs programs.
pub struct GasEngine<'g> {
    setup: GasSetup<'g>,
}

impl<'g> GasEngine<'g> {
    /// What an engine takes at the least, in shards of `intervals` intervals with `arcs` arcs in all. Blocks of arcs may be larger than
    /// can be foreseen: then making an engine fails.
    pub fn plan(demand: &GasDemand, intervals: u32, arcs: u64, threads: usize) -> MemoryPlan {
        _ = (demand, intervals, arcs, threads);
        MemoryPlan::new()
    }

    /// Reserves what a run takes at the least.
    ///
    /// # Errors
    /// The budget does not hold it, with what it takes exactly.
    pub fn new(setup: GasSetup<'g>) -> Result<Self> {
        Ok(Self { setup })
    }

    /// Runs `program` until no edge has anything new, the program does not continue, or there were `limit` iterations.
    ///
    /// # Errors
    /// A program without an aggregation on dynamic shards; a failed or damaged read, a full disk, interruption.
    pub fn run<P: GasProgram>(&self, program: &P, limit: u32) -> Result<GasRan<P::Value>> {
        _ = (program, limit);
        Err(outcrop_types::Error::Usage("not yet".to_owned()))
    }

    /// Counts of all reads of shards so far.
    pub fn figures(&self) -> AccessFigures {
        self.setup.shards.statistics().figures()
    }

    /// What shards and values of edges did in the last run.
    pub fn gas_figures(&self) -> GasFigures {
        GasFigures::default()
    }
}
